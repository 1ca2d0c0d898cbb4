/* The chunk CODE: functions of an interpreter, and on which lines their addresses are. */
#include "formats/base/search.h"
#include "reader/internal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CODE_MIN_BYTES = 8 + 4 + 4 + 2 * CSP_TEXT_MIN_BYTES };

enum { LEB_BYTES = 5 }; /* of a number, at most */

static int by_ip(const void *pa, const void *pb)
{
	const struct reader_code *a = pa, *b = pb;
	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

/* The bits of a number in LEB128, and how many there are: at most 35. */
static int get_leb(struct cursor *c, uint64_t *out, unsigned *bits, struct error *e)
{
	size_t from = c->pos;
	uint8_t byte;

	*out = 0;
	*bits = 0;
	do {
		if (!cursor_u8(c, &byte))
			return error_format(e, from, "a number of a function's lines",
					    "the end of the lines");
		if (*bits >= 7 * LEB_BYTES)
			return error_format(e, from, "a number of at most 5 bytes", "more");
		*out |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	return 0;
}

static int get_signed(struct cursor *c, int64_t *out, struct error *e)
{
	unsigned bits;
	uint64_t v;

	if (get_leb(c, &v, &bits, e))
		return -1;
	if (v >> (bits - 1))
		v |= ~UINT64_C(0) << bits;
	memcpy(out, &v, sizeof v);
	return 0;
}

/* One run of addresses: where it ends, and its line. *line is the last one that was known. */
static int get_run(struct cursor *c, uint64_t *end, int64_t *line, struct reader_run *out,
		   struct error *e)
{
	size_t from = c->pos;
	uint64_t first;
	unsigned bits;
	int64_t more;

	if (get_leb(c, &first, &bits, e))
		return -1;
	*end += first >> 1;
	if (*end > UINT32_MAX)
		return error_format(e, from, "fewer than 2^32 addresses of a function", "%" PRIu64,
				    *end);
	*out = (struct reader_run){.end = (uint32_t)*end};
	if (!(first & 1))
		return 0;
	if (get_signed(c, &more, e))
		return -1;
	*line += more;
	if (*line < 0 || *line > UINT32_MAX)
		return error_format(e, from, "a line below 2^32", "%" PRId64, *line);
	out->line = (uint32_t)*line;
	return 0;
}

/* The cursor of a text, for errors with offsets in the file. */
static struct cursor lines_of(const struct reader *r, struct reader_text text)
{
	struct cursor c = cursor_of(r->bytes, 0, false);

	if (text.n) {
		c.pos = (size_t)((const uint8_t *)text.at - r->bytes);
		c.size = c.pos + text.n;
	}
	return c;
}

/* Decode the lines of a function, once to count the runs and once to keep them. */
static int get_lines(struct reader *r, struct reader_code *code, struct error *e)
{
	struct reader_run run, *runs = &run;
	uint32_t n = 0;

	for (int keep = 0; keep < 2; keep++) {
		struct cursor c = lines_of(r, code->lines);
		uint64_t end = 0;
		int64_t line = code->line;
		for (n = 0; cursor_left(&c); n++)
			if (get_run(&c, &end, &line, keep ? &runs[n] : &run, e))
				return -1;
		if (!keep)
			runs = reader_table(r, n, sizeof *runs, e);
		if (!runs)
			return -1;
	}
	code->runs = runs;
	code->num_runs = n;
	return 0;
}

static int check_place(const struct cursor *c, const struct reader_code *code, struct error *e)
{
	uint64_t first = code->ip - CSP_SOURCE_BASE;

	if (first >= CSP_SOURCES_EXTENT)
		return error_format(e, c->pos - 12, "an address in a source file", "0x%" PRIx64,
				    code->ip);
	if (!code->extent || (first & UINT32_MAX) + code->extent > UINT32_MAX + UINT64_C(1))
		return error_format(e, c->pos - 4, "the number of a function's addresses",
				    "%" PRIu32, code->extent);
	return 0;
}

static int get_code(struct reader *r, struct cursor *c, struct reader_code *code, struct error *e)
{
	struct csp_text name, lines;

	if (csp_get_u64(c, "ip of a CODE row", &code->ip, e) ||
	    csp_get_u32(c, "extent of a CODE row", &code->extent, e) || check_place(c, code, e) ||
	    csp_get_u32(c, "line of a CODE row", &code->line, e) ||
	    csp_get_text(c, "name of a CODE row", &name, e) ||
	    csp_get_text(c, "lines of a CODE row", &lines, e))
		return -1;
	code->name = text_of(name);
	code->lines = text_of(lines);
	return get_lines(r, code, e);
}

int trailer_code_get(struct reader *r, struct cursor *c, struct error *e)
{
	uint32_t n = 0;
	size_t from = c->pos;

	if (csp_get_count(c, "rows of CODE", CODE_MIN_BYTES, &n, e))
		return -1;
	r->codes = reader_table(r, n, sizeof *r->codes, e);
	if (!r->codes)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (get_code(r, c, &r->codes[i], e))
			return -1;
	qsort(r->codes, n, sizeof *r->codes, by_ip);
	for (uint32_t i = 1; i < n; i++)
		if (r->codes[i].ip - r->codes[i - 1].ip < r->codes[i - 1].extent)
			return error_format(e, from, "functions without common addresses",
					    "two at 0x%" PRIx64, r->codes[i].ip);
	r->num_codes = n;
	return 0;
}

void trailer_code_drop(struct reader *r)
{
	r->num_codes = 0;
}

uint32_t reader_num_code(const struct reader *r)
{
	return r->num_codes;
}

const struct reader_code *reader_code(const struct reader *r, uint32_t i)
{
	return &r->codes[i];
}

const struct reader_code *reader_code_of(const struct reader *r, uint64_t ip)
{
	uint32_t after = (uint32_t)SEARCH_FIRST(k, 0, r->num_codes, r->codes[k].ip > ip);
	const struct reader_code *code = after ? &r->codes[after - 1] : NULL;

	return code && ip - code->ip < code->extent ? code : NULL;
}

uint32_t reader_code_line(const struct reader_code *code, uint64_t ip)
{
	uint64_t at = ip - code->ip;
	uint32_t i = (uint32_t)SEARCH_FIRST(k, 0, code->num_runs, code->runs[k].end > at);

	return i < code->num_runs ? code->runs[i].line : 0;
}
