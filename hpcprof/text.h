/* Inside the text view: what its files share. */
#ifndef HPCPROF_TEXT_H
#define HPCPROF_TEXT_H

#include "hpcprof/attribute.h"
#include "hpcprof/columns.h"
#include "hpcprof/layout.h"
#include "hpcprof/options.h"
#include "hpcprof/profile.h"

#include <stdio.h>

struct text {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct code *c;
	const struct options *o;
	struct arena arena;
	const struct column *columns; /* at least one, unless no datafile has a metric */
	size_t num_columns, columns_left_out;
	struct attribution a; /* of the columns */
	bool starved;         /* memory ran out in something that cannot say so */
};

/* Sections. False if memory ran out; what could not be written shows in ferror(out). */
bool text_measured(struct text *t); /* what was measured, totals, processes */
bool text_tables(struct text *t);   /* load modules, files, functions, lines */
bool text_paths(struct text *t);    /* the hottest call paths */
bool text_quality(struct text *t);  /* how far the figures can be trusted */

/* A section's title, after an empty line. */
void text_title(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "  label   value", the value cut to the width in its middle. */
bool text_fact(struct text *t, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A paragraph, indented and broken between words to fit. */
void text_paragraph(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A printf into the arena; NULL if memory ran out. */
const char *text_format(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the cells of a row's value, percent of the column's total and scaled. */
bool text_value_cells(struct text *t, struct layout_table *table, uint64_t value, size_t column);

/* How many rows a table shows that has most of them by default. */
size_t text_rows(const struct text *t, size_t most);

#endif
