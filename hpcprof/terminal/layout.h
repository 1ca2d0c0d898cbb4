/* Text that fits a terminal: widths of UTF-8, escaping, shortening, numbers with units, tables.
 * Widths are in columns of a terminal and do not depend on the user's locale. Used by one thread at
 * a time. Strings that are returned live in the given arena; they are NULL if memory ran out. */
#ifndef HPCPROF_TERMINAL_LAYOUT_H
#define HPCPROF_TERMINAL_LAYOUT_H

#include "formats/base/arena.h"
#include "formats/base/vec.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A copy with control characters, marks that change the direction of text and invalid UTF-8
 * replaced by \xNN or \u{N}. All functions below expect such clean text. */
const char *layout_clean(struct arena *a, const char *s);
unsigned layout_width(const char *s);
/* Shorten s to at most width columns: the middle, the beginning or the end is replaced by "...". */
const char *layout_cut_middle(struct arena *a, const char *s, unsigned width);
/* The same for a function's name: its arguments, then its template arguments, are replaced by "..."
 * and then removed before the rest is shortened. */
const char *layout_cut_name(struct arena *a, const char *s, unsigned width);
const char *layout_cut_left(struct arena *a, const char *s, unsigned width);
const char *layout_cut_right(struct arena *a, const char *s, unsigned width);
/* The same, but keep the first head columns; what is left is for the end. */
const char *layout_cut_after(struct arena *a, const char *s, unsigned head, unsigned width);
/* A copy with "..." between outermost brackets, which open and close are, but for those of
 * operators. */
const char *layout_empty_brackets(struct arena *a, const char *s, char open, char close);
/* A printf into the arena; NULL if memory ran out. */
const char *layout_format(struct arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *layout_format_list(struct arena *a, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* Print a line, in bold if color is set. */
void layout_title(FILE *out, bool color, const char *text);
/* Print a paragraph, indented and wrapped between words; with LAYOUT_WHOLE as LAYOUT_USUAL. */
void layout_paragraph(FILE *out, unsigned width, const char *text);

enum { LAYOUT_NUMBER_BYTES = 40 };
/* "12.3%"; "-" if total is 0. Returns out. */
char *layout_percent(char out[LAYOUT_NUMBER_BYTES], uint64_t value, uint64_t total);
/* value with three digits in a suitable unit: ns as ns, us, ms, s, min, h; bytes as B, KiB, ...;
 * counts exact up to six digits, then k, M, G, ... Returns out. */
char *layout_value(char out[LAYOUT_NUMBER_BYTES], uint64_t value, const char *unit);
/* The same for a mean or similar, at least 0: a count below 100 that is not an integer has three
 * digits. */
char *layout_real(char out[LAYOUT_NUMBER_BYTES], double value, const char *unit);
/* All digits, in groups of three: "12,345". Returns out. */
char *layout_exact(char out[LAYOUT_NUMBER_BYTES], uint64_t value);

/* Widths of an output: of one whose width is not known, and of one that has no width. */
enum { LAYOUT_USUAL = 100, LAYOUT_WHOLE = 10000 };

enum layout_cut { CUT_NOT, CUT_MIDDLE, CUT_LEFT, CUT_NAME };

struct layout_column {
	const char *title;
	bool right;          /* aligned to the right */
	enum layout_cut cut; /* what is cut if the table is too wide */
	unsigned least;      /* smallest width after cutting */
};

struct layout_table {
	struct arena *arena;
	const struct layout_column *columns;
	size_t num_columns;
	VEC(const char *) cells; /* row by row */
};

/* Append a cell, a clean text that outlives the table. Rows are filled from left to right. text may
 * be NULL if memory ran out. False if text is NULL, or memory ran out. */
bool layout_cell(struct layout_table *t, const char *text);
/* The same with a copy of text. */
bool layout_number(struct layout_table *t, const char *text);
/* Print the titles and rows, with two blanks before and between columns and none at the ends of
 * lines. The table is at most width columns wide, if columns can be cut that far. With LAYOUT_WHOLE
 * nothing is cut: the columns are as for LAYOUT_USUAL, and a longer cell moves the rest of its row.
 * False if memory ran out. */
bool layout_print(FILE *out, const struct layout_table *t, unsigned width);
void layout_table_deinit(struct layout_table *t);

#endif
