/* The parts of random_dwarf.c: what a file is made of, one function per kind of section. Every
 * choice is a byte of the input; when the input ends, the rest of the choices are 0. */
#ifndef TESTS_RANDOM_MAKER_H
#define TESTS_RANDOM_MAKER_H

#include "tests/lib/builders/build_elf.h"
#include "tests/lib/builders/random_dwarf.h"

#include <stdbool.h>

enum { RANDOM_ABBREVIATIONS = 40, RANDOM_ATTRIBUTES = 10 }; /* at most */

struct random_abbreviation {
	uint8_t tag, num_attributes;
	bool children;
	struct {
		uint16_t name, form;
	} attributes[RANDOM_ATTRIBUTES];
};

/* A file that is being made of the n bytes from `at` on, in steps of 1 or -1. */
struct random_maker {
	const uint8_t *at;
	size_t n;
	int step;
	size_t choices; /* that were made: parts that are repeated may put nothing */
	unsigned turn;  /* of what is repeated */
	bool split;     /* it is a .dwo file */
	char split_path[32], alternate_path[32];
	struct random_abbreviation abbreviations[RANDOM_ABBREVIATIONS];
	size_t num_abbreviations;
	size_t unit, die; /* where the ones that are being put begin in info */
	size_t depth;     /* levels of DIEs that are open */
	unsigned version; /* of the unit */
	struct elf_bytes info, abbrev, str, line_str, line, ranges, rnglists, addr, str_offsets;
	struct elf_bytes symbols, names, alt, packed, build_id;
	VEC(uint32_t) dies, texts, lines, lists, rnglist_offsets; /* where some begin */
};

unsigned random_take(struct random_maker *m);           /* a byte */
unsigned random_take_wide(struct random_maker *m);      /* two */
unsigned random_take_place(struct random_maker *m);     /* in the text: mostly near its beginning */
unsigned random_pick(struct random_maker *m, size_t n); /* less than n, or 0 */
/* One of a list, or sometimes anything. */
uint32_t random_one_of(struct random_maker *m, const uint32_t *list, size_t n);
unsigned random_take_times(struct random_maker *m); /* how often a part is there: mostly once */
bool random_is_full(const struct random_maker *m, size_t more);

/* Copy what stands from `from` on, so that it is there so many times, as far as there is room. */
void random_repeat(struct random_maker *m, struct elf_bytes *b, size_t from, unsigned times);

/* Make a part several times of the same input; what it puts may say the turn or where it is. */
#define RANDOM_REPEATED(m, part)                                                                   \
	do {                                                                                       \
		unsigned times_ = random_take_times(m), before_ = (m)->turn;                       \
		const uint8_t *at_ = (m)->at;                                                      \
		size_t n_ = (m)->n;                                                                \
		for ((m)->turn = 0; (m)->turn < times_ && !random_is_full(m, 100); (m)->turn++) {  \
			(m)->at = at_;                                                             \
			(m)->n = n_;                                                               \
			part;                                                                      \
		}                                                                                  \
		(m)->turn = before_;                                                               \
	} while (0)

/* A name, mangled or not, or a path, with its zero. */
void random_put_text(struct random_maker *m, struct elf_bytes *b);

/* In this order: each may refer to what those before it made. Abbreviations and units are made of
 * what is at the beginning of the input, the rest of what is at its end: a change of one leaves the
 * others as they are. */
void random_put_texts(struct random_maker *m);
void random_put_lines(struct random_maker *m);
void random_put_ranges(struct random_maker *m);
void random_put_rnglists(struct random_maker *m);
void random_put_tables(struct random_maker *m);
void random_put_symbols(struct random_maker *m);
void random_put_abbreviations(struct random_maker *m);
void random_put_units(struct random_maker *m);

#endif
