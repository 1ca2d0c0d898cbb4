#include "tests/lib/builders/random_maker.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LEVELS = 4 };

unsigned random_take(struct random_maker *m)
{
	m->choices++;
	if (!m->n)
		return 0;
	m->n--;
	m->at += m->step;
	return m->at[m->step > 0 ? -1 : 1];
}

unsigned random_take_wide(struct random_maker *m)
{
	unsigned low = random_take(m);

	return low | random_take(m) << 8;
}

unsigned random_take_place(struct random_maker *m)
{
	unsigned wide = random_take_wide(m);

	return wide & 0x8000 ? wide : wide & 0x3ff;
}

unsigned random_pick(struct random_maker *m, size_t n)
{
	return n ? random_take(m) % (unsigned)n : 0;
}

uint32_t random_one_of(struct random_maker *m, const uint32_t *list, size_t n)
{
	unsigned which = random_take_wide(m);

	if (!n || which % 32 == 31)
		return random_take_wide(m);
	return list[which % n];
}

static size_t made_bytes(const struct random_maker *m)
{
	return m->info.v.len + m->abbrev.v.len + m->str.v.len + m->line_str.v.len + m->line.v.len +
	       m->ranges.v.len + m->rnglists.v.len + m->symbols.v.len + m->names.v.len;
}

bool random_is_full(const struct random_maker *m, size_t more)
{
	return m->choices > RANDOM_DWARF_MOST || made_bytes(m) + more > RANDOM_DWARF_MOST;
}

unsigned random_take_times(struct random_maker *m)
{
	unsigned byte = random_take(m);

	return byte < 224 ? 1 : byte < 248 ? byte - 220 : (byte - 246) * 400;
}

void random_repeat(struct random_maker *m, struct elf_bytes *b, size_t from, unsigned times)
{
	size_t n = b->v.len - from;

	for (unsigned i = 1; n && i < times && !random_is_full(m, n); i++) {
		if (!vec_reserve(&b->v, b->v.len + n))
			abort();
		elf_put(b, b->v.at + from, n);
	}
}

/* ---- texts --------------------------------------------------------------------------- */

static const char *const pieces[] = {
    "1a",
    "_Z",
    "_ZN",
    "3abc",
    "I",
    "E",
    "S_",
    "S0_",
    "S1_",
    "T_",
    "T0_",
    "v",
    "i",
    "f",
    "K",
    "R",
    "P",
    "L_Z",
    "sr",
    "X",
    "dp",
    "J",
    "Lb1E",
    "F",
    "_R",
    "NvC",
    "Ib_",
    "B_",
    "Nt",
    "M_",
    "INvC1",
    "0",
    "9",
    "/",
    "../",
    "a",
    "usr",
    ".c",
    "<",
    ">",
    "::",
    "T",
    "Ul",
    "D",
    "\33[",
    "\xff",
    "aaaaaaaaaaaaaaaa",
    "Ss",
    "St",
    "sp",
    "Dp",
    "cv",
    "_GLOBAL__sub_I_",
    "Z",
    "Ev",
    "C1",
    "D2",
    "Qc",
};

/* A reference back to what a name said before, for both manglings. */
static void put_substitution(struct random_maker *m, struct elf_bytes *b, unsigned how)
{
	static const char digits[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned base = how & 1 ? 36 : 62, value = m->turn * (1 + (how >> 3 & 1)) + (how >> 1 & 3);
	const char *from = how & 1 ? digits : digits + 36;

	elf_put_int(b, how & 1 ? 'S' : 'B', 1);
	if (value >= base)
		elf_put_int(b, (uint8_t)from[value / base % base], 1);
	elf_put_int(b, (uint8_t)from[value % base], 1);
	elf_put_int(b, '_', 1);
}

static void put_pieces(struct random_maker *m, struct elf_bytes *b, unsigned levels);

/* Pieces between what opens and closes a list. */
static void put_list(struct random_maker *m, struct elf_bytes *b, unsigned levels)
{
	static const char *const opening[] = {"1aI", "I", "N", "J", "F", "L_Z", "X", "INvC1a"};
	const char *open = opening[random_pick(m, sizeof opening / sizeof *opening)];

	elf_put(b, open, strlen(open));
	put_pieces(m, b, levels);
	elf_put_int(b, 'E', 1);
}

static void put_pieces(struct random_maker *m, struct elf_bytes *b, unsigned levels)
{
	for (unsigned n = 1 + random_pick(m, 6); n; n--) {
		unsigned which = random_take(m);
		if (which >= 232 && levels)
			RANDOM_REPEATED(m, put_pieces(m, b, levels - 1));
		else if (which >= 192)
			put_substitution(m, b, which);
		else if (which >= 160 && levels)
			put_list(m, b, levels - 1);
		else
			elf_put(b, pieces[which % (sizeof pieces / sizeof *pieces)],
				strlen(pieces[which % (sizeof pieces / sizeof *pieces)]));
	}
}

void random_put_text(struct random_maker *m, struct elf_bytes *b)
{
	static const char *const beginning[] = {"", "_Z1f", "_ZN", "_RNv"};
	const char *begin = beginning[random_pick(m, sizeof beginning / sizeof *beginning)];

	elf_put(b, begin, strlen(begin));
	put_pieces(m, b, TEXT_LEVELS);
	elf_put_int(b, 0, 1);
}

void random_put_texts(struct random_maker *m)
{
	elf_put_text(&m->str, "/folder");
	elf_put_text(&m->line_str, "/folder");
	for (unsigned n = 1 + random_pick(m, 20); n; n--) {
		if (!vec_push(&m->texts, (uint32_t)m->str.v.len))
			abort();
		random_put_text(m, &m->str);
	}
	for (unsigned n = random_pick(m, 4); n; n--)
		random_put_text(m, &m->line_str);
}
