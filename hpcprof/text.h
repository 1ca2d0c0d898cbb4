/* Inside the text view: what its files share. */
#ifndef HPCPROF_TEXT_H
#define HPCPROF_TEXT_H

#include "hpcprof/attribute.h"
#include "hpcprof/columns.h"
#include "hpcprof/layout.h"
#include "hpcprof/command/common.h"
#include "hpcprof/profile.h"
#include "hpcprof/stats.h"

#include <stdio.h>

/* The rows of a table: those with values, in order, of which the first so many are shown. */
struct text_table {
	uint32_t *ids;
	size_t count, shown;
	uint32_t first_row; /* of those shown, in the statistics */
};

/* How units (profiles, ranks, ...) are compared: not at all, by a column for each, by columns
 * of sum, smallest and largest value, or by lines of statistics. */
enum text_compare { COMPARE_NOT, COMPARE_SINGLE, COMPARE_COLLECTIVE, COMPARE_LINES };

struct text_options {
	struct common common;
	uint64_t collective; /* from so many units on they have common columns; 0: no columns of
				units at all */
};
enum { TEXT_COLLECTIVE = 4 };

struct text {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct code *c;
	const struct text_options *own; /* NULL outside of the text view */
	const struct common *o;
	struct arena arena;
	const struct column *columns; /* at least one, unless no datafile has a metric */
	size_t num_columns, columns_left_out;
	const struct columns *chosen; /* the same */
	struct attribution a;         /* of the columns */
	struct text_table tables[GROUPINGS];
	struct hottest *hottest; /* NULL: not chosen yet */
	enum text_compare compare;
	struct stats stats;       /* unless COMPARE_NOT */
	const char **unit_titles; /* [units]: short, of COMPARE_SINGLE */
	bool starved;             /* memory ran out in something that cannot say so */
};

/* What tables and paths will show; before their sections. False if memory ran out. */
bool text_tables_choose(struct text *t);
bool text_paths_choose(struct text *t);
void text_tables_deinit(struct text *t);
void text_paths_deinit(struct text *t);
/* Have paths counted as rows of the statistics. False if memory ran out. */
bool text_paths_count(struct text *t, struct stats_rows *rows);

/* Compare units if that is asked for and there are any, and fill compare. 0, or -1 and *e. */
int text_compare_units(struct text *t, struct error *e);
/* How many columns stand there for the units, of each metric; before they are compared. */
unsigned text_compare_columns(const struct profile *p, const struct text_options *own);
/* Titles and cells of these, for a row of a tree's rows. */
size_t text_compare_titles(const struct text *t, size_t column, bool inclusive,
			   struct layout_column *titles);
bool text_compare_cells(struct text *t, struct layout_table *table, const struct stats_rows *rows,
			uint32_t row, size_t column, bool inclusive);
void text_compare_deinit(struct text *t);

/* Sections. False if memory ran out; what could not be written shows in ferror(out). */
bool text_measured(struct text *t); /* what was measured, totals, processes */
bool text_compared(struct text *t); /* what is compared, if anything is */
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
