/* Internal to the command diff: shared by its files.
 *
 * Both sides are read into one profile. Its functions, lines and load modules are put into rows, in
 * which those of two builds of a program are together (diff_rows.c). The statistics (stats.h) have
 * the values of each row in each run. From them follow what is beyond noise (diff_test.c) and what
 * is shown (diff_text.c, diff_json.c, diff_page.c). */
#ifndef HPCPROF_VIEWS_DIFF_DIFF_H
#define HPCPROF_VIEWS_DIFF_DIFF_H

#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stats.h"
#include "hpcprof/views/html/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Tables: those of enum grouping, and call paths. */
enum { DIFF_CALLS = GROUPINGS, DIFF_TABLES };
/* Columns of the statistics. */
enum { DIFF_EVENTS, DIFF_SAMPLES, DIFF_COLUMNS };

enum diff_side { BEFORE, AFTER, SIDES };

/* What a change that all rows have in common is taken for: a faster or slower machine (usual), part
 * of each row's change (none), or what makes the sums, the numbers of samples, the wall times or a
 * function equal. */
enum diff_normal {
	NORMAL_USUAL,
	NORMAL_NONE,
	NORMAL_TOTAL,
	NORMAL_SAMPLES,
	NORMAL_WALL,
	NORMAL_FUNCTION
};

struct diff_options {
	struct common common;
	const char *normalize; /* or NULL */
	bool shows[DIFF_TABLES];
	bool inclusive; /* compare totals instead of self */
	bool json, all;
	const char *html; /* the file of the page, or NULL */
	struct html_extras extras;
	double fail_above; /* percent; less than 0: not given */
};

/* A function, line or module of either side, or of both. */
struct diff_row {
	uint32_t id[SIDES];    /* of the profile, or DIFF_NONE */
	double mean[SIDES];    /* events in a run; adjusted by the runs' factors */
	double samples[SIDES]; /* of all runs */
	double all;            /* mean of all runs, not adjusted */
	double change;         /* mean[AFTER] - mean[BEFORE] */
	double deviation;      /* standard deviation of change, if nothing had changed */
	double p;              /* the probability of such a change by chance */
	bool beyond;           /* beyond noise */
	bool told;             /* of a path: one that it continues in tells its change */
	/* of a function: the caller or callee that changed as much in the opposite way */
	uint32_t moved;
	bool calls_it; /* the other one is the callee */
};
#define DIFF_NONE UINT32_MAX

struct diff_table {
	unsigned grouping; /* enum grouping, or DIFF_CALLS */
	uint32_t *row_of;  /* [ids] the row of each function, ... */
	struct diff_row *rows;
	size_t num_rows;
	uint32_t first_row; /* of the statistics */
	uint32_t *order;    /* [num_rows] those with values, as they are shown */
	size_t num_shown;   /* in order */
	size_t num_beyond;
};

/* What the rows say about the logarithm of a run's factor; see diff_test.c. */
struct diff_common {
	double sum, precision; /* of the weights times the logarithms, and of the weights */
	double center;         /* what the weights are around */
};

/* A PROFILE of the command line. */
struct diff_run {
	const char *name;
	enum diff_side side;
	double events, samples;
	double period;    /* events of a sample; 0: not sampled */
	double reference; /* what --normalize makes equal; 0: not known */
	double factor;    /* its values are divided by this */
	struct diff_common common;
};

struct diff_paths {
	struct interner nodes; /* parent << 32 | row of the function; the first are the two roots */
	uint32_t *at;          /* [contexts] the node of a context's innermost frame */
};

struct diff {
	const struct profile *p;
	const struct model *m;
	const struct symbolized *c;
	const struct diff_options *own;
	const struct common *o;
	const struct model_metric *metric;
	struct shown_metrics columns; /* the metric's events and samples */
	enum diff_normal normal;
	bool sampled;
	bool inclusive; /* what is being compared: totals, else self */
	double spread;  /* of weights of samples, as in interval.h */
	struct diff_run *runs;
	size_t num_runs, side_runs[SIDES];
	bool *has[SIDES]; /* [modules] it has values there; NULL: not known yet */
	bool *replaced;   /* [modules] another with the same name is there: of another build */
	struct diff_table tables[DIFF_TABLES];
	/* [functions' rows] what is beyond noise in self, and in total; only for a page */
	bool *beyond_self, *beyond_total;
	struct diff_paths paths;
	struct stats stats;
	double between; /* relative standard deviation of a row between runs, besides sampling */
	double factor;  /* after / before, of what rows have in common */
	double total[SIDES]; /* events of a run, not adjusted */
	double total_p;      /* of the change of the totals; negative: one run a side cannot tell */
	bool total_beyond;
	struct arena arena;
};

/* Whether a table, besides that of functions, is made: it was asked for, or a page has it. */
static inline bool diff_has_table(const struct diff *d, int table)
{
	return d->own->shows[table] || (d->own->html && (table == BY_LINE || table == DIFF_CALLS));
}

/* The run of a process, by the path of its datafile. num_runs: not known, as of one in a database.
 */
size_t diff_run_of(const struct diff *d, const struct model_process *p);
/* Put functions, lines and modules into rows. 0, or -1 and *e if memory ran out. */
int diff_make_rows(struct diff *d, enum grouping g, struct error *e);
/* Put call paths into rows. After those of functions. 0, or -1 and *e if memory ran out. */
int diff_make_paths(struct diff *d, struct error *e);
void diff_paths_deinit(struct diff_paths *p);
/* The rows of the functions on a path, innermost first, at most `most` of them. Returns how many
 * there are. */
size_t diff_path(const struct diff *d, size_t node, uint32_t *rows, size_t most);
/* The path of a function called from the last one of a path; INTERNER_NONE if there is none. */
uint32_t diff_path_below(const struct diff *d, uint32_t node, uint32_t function);
/* Find the paths whose change a longer path tells. */
void diff_choose_paths(struct diff *d);
/* Find functions whose change is made up for by a caller or callee. */
void diff_find_moved(struct diff *d);
/* Find what is beyond noise, from the statistics. 0, or -1 and *e. */
int diff_test(struct diff *d, struct error *e);
/* The smallest change, relative to its value, that a row with this share of the total has to have
 * to be beyond noise; 0: not known. */
double diff_smallest_change(const struct diff *d, double share);
/* The value of a row in a run: its events or its samples, self or total. */
double diff_value(const struct diff *d, const struct diff_table *t, size_t row, size_t run,
		  bool samples, bool inclusive);
/* The name of a row, and its load module or, for a line, function ("": none); clean. NULL if memory
 * ran out. */
const char *diff_label(struct diff *d, const struct diff_table *t, size_t row);
const char *diff_second_label(struct diff *d, const struct diff_table *t, size_t row);
/* Print. False if memory ran out. */
bool diff_print_text(FILE *out, struct diff *d);
bool diff_print_json(FILE *out, struct diff *d);
/* Print the page; 0, or -1 and *e. */
enum { DIFF_PAGE_WIDTH = 120 }; /* of the text in it */
int diff_print_page(FILE *out, struct diff *d, struct error *e);

#endif
