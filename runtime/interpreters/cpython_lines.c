#include "runtime/interpreters/cpython_lines.h"

#include <stdbool.h>

/* What is written: runs of units that have one line. The last one is still open. */
struct lines_out {
	uint8_t *at;
	size_t n, room;
	uint32_t units; /* of all runs */
	uint32_t most;
	uint32_t said; /* the last line that was written */
	uint32_t line, units_of_run;
	bool full;
};

static void put_byte(struct lines_out *o, unsigned byte)
{
	if (o->n < o->room)
		o->at[o->n] = (uint8_t)byte;
	o->n++;
}

enum { LEB_BITS = 7, LEB_MORE = 1 << LEB_BITS, LEB_SIGN = LEB_MORE >> 1 };

static void put_unsigned(struct lines_out *o, uint64_t v)
{
	for (; v >= LEB_MORE; v >>= LEB_BITS)
		put_byte(o, (unsigned)(v % LEB_MORE) | LEB_MORE);
	put_byte(o, (unsigned)v);
}

static void put_signed(struct lines_out *o, int64_t v)
{
	while (v >= LEB_SIGN || v < -LEB_SIGN) {
		put_byte(o, (unsigned)(v & (LEB_MORE - 1)) | LEB_MORE);
		v >>= LEB_BITS;
	}
	put_byte(o, (unsigned)(v & (LEB_MORE - 1)));
}

/* A run that does not fit is left out, with all after it. */
static void end_run(struct lines_out *o)
{
	size_t before = o->n;
	if (o->units_of_run == 0 || o->full)
		return;
	put_unsigned(o, (uint64_t)o->units_of_run << 1 | 1);
	put_signed(o, (int64_t)o->line - (int64_t)o->said);
	if (o->n > o->room) {
		o->n = before;
		o->full = true;
	}
	o->said = o->line;
	o->units_of_run = 0;
}

static void add(struct lines_out *o, uint32_t units, uint32_t line)
{
	if (units > o->most - o->units)
		units = o->most - o->units;
	if (line != o->line)
		end_run(o);
	o->line = line;
	o->units_of_run += units;
	o->units += units;
}

/* ---- tables ------------------------------------------------------------------------- */

/* Pairs: the line changes by the second byte after as many bytes of code as the first says. */
static void read_lnotab(const struct cpython_code_lines *c, struct lines_out *o)
{
	uint32_t line = c->first;
	for (size_t i = 0; i + 1 < c->table_bytes; i += 2) {
		add(o, c->table[i] / 2, line);
		line += (uint32_t)(int8_t)c->table[i + 1];
	}
	add(o, o->most - o->units, line);
}

/* Pairs: bytes of code, and the difference of their line; -128: they have none. */
static void read_linetable(const struct cpython_code_lines *c, struct lines_out *o)
{
	enum { NO_LINE = -128 };
	uint32_t line = c->first;
	for (size_t i = 0; i + 1 < c->table_bytes; i += 2) {
		int8_t delta = (int8_t)c->table[i + 1];
		if (delta != NO_LINE)
			line += (uint32_t)delta;
		add(o, c->table[i] / 2, delta == NO_LINE && o->units ? o->line : line);
	}
}

/* A signed number, of which each byte has 6 bits and says whether there is another. */
static uint32_t read_delta(const uint8_t *p, const uint8_t *end)
{
	enum { BITS = 6, MORE = 1 << BITS, MOST = 32 };
	uint64_t v = 0;
	for (unsigned shift = 0; p < end && shift < MOST; shift += BITS) {
		v |= (uint64_t)(*p % MORE) << shift;
		if (!(*p++ & MORE))
			break;
	}
	return v & 1 ? -(uint32_t)(v >> 1) : (uint32_t)(v >> 1);
}

/* Entries begin with a byte whose highest bit is set: then the kind, and the number of units
 * less 1. */
static void read_locations(const struct cpython_code_lines *c, struct lines_out *o)
{
	enum { BEGINS = 128, UNITS = 7, KIND = 15, KIND_SHIFT = 3 };
	enum { LINE_0 = 10, LINE_2 = 12, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
	const uint8_t *p = c->table, *end = p + c->table_bytes;
	uint32_t line = c->first;
	while (p < end) {
		unsigned kind = *p >> KIND_SHIFT & KIND;
		uint32_t units = (*p & UNITS) + 1u;
		if (kind == LONG || kind == NO_COLUMNS)
			line += read_delta(p + 1, end);
		else if (kind >= LINE_0 && kind <= LINE_2)
			line += kind - LINE_0;
		add(o, units, kind == NONE && o->units ? o->line : line);
		for (p++; p < end && !(*p & BEGINS);)
			p++;
	}
}

size_t csprof_cpython_lines(const struct cpython_code_lines *c, uint8_t *out, size_t room)
{
	struct lines_out o = {
	    .at = out, .room = room, .most = c->units, .said = c->first, .line = c->first};
	if (c->kind == CPYTHON_LNOTAB)
		read_lnotab(c, &o);
	else if (c->kind == CPYTHON_LINETABLE)
		read_linetable(c, &o);
	else
		read_locations(c, &o);
	end_run(&o);
	return o.n;
}
