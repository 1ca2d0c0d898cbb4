/* Internal to the text view: shared by its files. */
#ifndef HPCPROF_VIEWS_TEXT_TEXT_H
#define HPCPROF_VIEWS_TEXT_TEXT_H

#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/kernel.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stats.h"
#include "hpcprof/metrics/view_json.h"
#include "hpcprof/model/wall_time.h"
#include "hpcprof/terminal/layout.h"

#include <stdio.h>

/* The rows of a table: those with values, in order. The first `shown` are shown. */
struct text_table {
	uint32_t *ids;
	size_t count, shown;
	uint32_t first_row; /* of the shown rows, in the statistics */
};

/* How units (profiles, ranks, ...) are compared: not at all, by a column for each, by columns of
 * sum, minimum and maximum, or by lines of statistics. */
enum text_compare { COMPARE_NOT, COMPARE_SINGLE, COMPARE_COLLECTIVE, COMPARE_LINES };

/* What a report can have, in this order. The headline always comes first. */
enum text_section {
	SECTION_MEASURED,
	SECTION_PROCESSES,
	SECTION_THREADS,
	SECTION_WAITS,
	SECTION_REGIONS,
	SECTION_MODULES,
	SECTION_FOLDERS,
	SECTION_FILES,
	SECTION_NAMESPACES,
	SECTION_FUNCTIONS,
	SECTION_LINES,
	SECTION_ACTIVATIONS,
	SECTION_CALLS,
	SECTION_QUALITY,
	SECTIONS
};

struct text_options {
	struct common common;
	uint64_t collective;     /* number of units from which they share columns; 0: no columns */
	bool all;                /* every section */
	bool outline;            /* the answer in short, without code */
	bool sections[SECTIONS]; /* those that were asked for */
};
enum { TEXT_COLLECTIVE = 4 };

/* What is said of unseen_ns, after its value. */
#define TEXT_UNSEEN "besides: starts and ends, and threads that libraries hide"

/* The time that all processes took. */
struct text_span {
	const struct model_process *first; /* the earliest one that no other started */
	const struct model_process *last;  /* the last image of that process */
	struct wall_time wall;
	uint64_t cpu_ns, outside_ns, threads;
	uint64_t unseen_ns; /* of processes as a whole, but of no thread that was seen */
	uint64_t waited_ns; /* of commands and what they waited for; 0: not known */
	size_t processes;   /* distinct pids; exec makes another image of the same process */
	size_t hosts;
	bool several_tools, has_cpu;
	bool more_threads; /* there were more: a row stands for several ended threads */
};

struct text {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct symbolized *c;
	const struct text_options *own; /* NULL outside the text view */
	const struct common *o;
	struct arena arena;
	const struct shown_metric *columns; /* at least one, unless no datafile has a metric */
	size_t num_columns, columns_left_out, num_ratios;
	const struct shown_metrics *chosen; /* the same */
	struct attribution a;               /* of the columns */
	struct kernel_part kernel;          /* of the first column */
	struct text_table tables[GROUPINGS];
	struct hottest *hottest; /* NULL: not chosen yet */
	bool shows[SECTIONS];
	bool flat;  /* no file has call paths: there are no totals */
	bool brief; /* no section was asked for: the report is the answer in short */
	enum text_compare compare;
	struct stats stats;       /* unless COMPARE_NOT */
	const char **unit_titles; /* [units]: short, for COMPARE_SINGLE */
	bool starved;             /* memory ran out in a function that cannot report it */
};

/* " in 1,234 samples": the number of the metric's. It may be an estimate, which is said, or not
 * known: then "". */
const char *text_in_samples(struct text *t, const struct model_metric *m);

/* The groupings that the chosen sections need (see attribute). */
unsigned text_tables_wanted(const struct text *t);
/* Choose what tables and paths will show, before their sections. False if memory ran out. */
bool text_tables_choose(struct text *t);
bool text_paths_choose(struct text *t);
void text_tables_deinit(struct text *t);
void text_paths_deinit(struct text *t);
/* Count paths as rows of the statistics. False if memory ran out. */
bool text_paths_count(struct text *t, struct stats_rows *rows);

/* Compare units if that was requested and there are any, and set compare. 0, or -1 and *e. */
int text_compare_units(struct text *t, struct error *e);
/* The number of columns for the units, for each metric. Called before units are compared. */
unsigned text_compare_columns(const struct profile *p, const struct text_options *own);
/* Titles and cells of these columns, for a row of the statistics. */
size_t text_compare_titles(const struct text *t, size_t column, bool inclusive,
			   struct layout_column *titles);
bool text_compare_cells(struct text *t, struct layout_table *table, const struct stats_rows *rows,
			uint32_t row, size_t column, bool inclusive);
void text_compare_deinit(struct text *t);

/* Add the processes up. There is at least one. False if memory ran out. */
bool text_span_measure(const struct text *t, struct text_span *s);
/* What a process ran; the same without the folder of the program, clean, or NULL if memory ran out.
 */
const char *text_command_of(const struct model_process *p);
const char *text_short_command(struct text *t, const struct model_process *p);
/* All processes in an order, of which one is by start. NULL if memory ran out; the caller frees it.
 */
const struct model_process **text_sorted_processes(const struct model *m,
						   int (*order)(const void *, const void *));
int text_by_start(const void *a, const void *b);

/* The report in short; with `outline` set in the options, without its functions and calls. A
 * command_print. */
int text_report(FILE *out, const struct profile *p, const void *options, struct error *e);

/* Sections. False if memory ran out. Write errors are in ferror(out). */
bool text_headline(struct text *t, const struct text_span *s); /* the run in two lines */
bool text_measured(struct text *t, const struct text_span *s); /* what was measured, totals */
/* As JSON if j is not NULL. Processes are printed as text if there are several; brief: their
 * programs. */
bool text_processes(struct text *t, struct view_json *j);
bool text_threads(struct text *t, struct view_json *j);
bool text_waits(struct text *t);       /* what threads waited for; may be empty */
bool text_regions(struct text *t);     /* the program's regions; may be empty */
bool text_compared(struct text *t);    /* the units that are compared, if any */
bool text_tables(struct text *t);      /* load modules, files, functions, lines */
bool text_activations(struct text *t); /* how often functions were called; may be empty */
bool text_paths(struct text *t);       /* the hot part of the call tree */
bool text_quality(struct text *t);     /* how reliable the figures are; brief: what is wrong */

/* The report as JSON. */
int text_json(struct text *t, const struct text_span *s, struct error *e);
bool text_paths_json(struct text *t, struct view_json *j);
bool text_activations_json(struct text *t, struct view_json *j);
bool text_waits_json(struct text *t, struct view_json *j);
bool text_regions_json(struct text *t, struct view_json *j);

/* Print a section's title, after an empty line. */
void text_title(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print " label value", with the value shortened in its middle to fit. */
bool text_fact(struct text *t, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Print a paragraph, indented and wrapped between words. */
void text_paragraph(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A printf into the arena; NULL if memory ran out. */
const char *text_format(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the cells of a row's value: as a percentage of the column's total, and scaled. */
bool text_value_cells(struct text *t, struct layout_table *table, uint64_t value, size_t column);
/* Whether the metric took turns with others for a part of the time that is worth a word: a tenth of
 * a percent, as it is shown. */
bool text_took_turns(const struct model_metric *m);
/* Titles and cells of the ratios, of a row with these values of the columns. */
void text_ratio_titles(const struct text *t, struct layout_column *titles, size_t *n);
bool text_ratio_cells(struct text *t, struct layout_table *table, const uint64_t *values);
/* The cells of all columns and ratios. values: [num_columns], or NULL if memory ran out. */
bool text_row_cells(struct text *t, struct layout_table *table, const uint64_t *values);

/* A table with a row for each of n things: their values, and more columns. */
struct text_values {
	const char *title;
	size_t n, shown;
	struct layout_column more[4];
	size_t num_more;
	bool (*cells)(struct text *t, struct layout_table *table, const void *things, size_t i);
	const void *things;
	bool without_values; /* only the other columns */
};
/* Print it after its title. False if memory ran out. */
bool text_value_table(struct text *t, const struct text_values *r);
/* The value of a column in sums by the model's metrics. */
uint64_t text_sum(const struct text *t, const struct metric_sums *sums, size_t column);

/* How many rows a table shows; most is the default. */
size_t text_rows(const struct text *t, size_t most);

#endif
