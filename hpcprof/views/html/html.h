/* Internal to the page: its data, as share/html/README.md describes them. Used by one thread.
 * Functions that return int return 0, or -1 and *e (memory ran out). Errors of the stream are left
 * to its owner. */
#ifndef HPCPROF_VIEWS_HTML_HTML_H
#define HPCPROF_VIEWS_HTML_HTML_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/path_tree.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stats.h"
#include "hpcprof/views/html/compare.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define HTML_NO_NUMBER UINT32_MAX

struct html {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct symbolized *c;
	const struct common *o;
	const struct html_extras *extras;
	const struct html_compare *compare; /* or NULL */
	struct arena arena;
	struct shown_metrics columns; /* events of each metric, then samples of each */
	size_t num_metrics;
	struct path_tree tree;
	/* [functions + 1] the page's number of a function, or HTML_NO_NUMBER; the last is that
	 * above partial paths */
	uint32_t *number;
	uint32_t num_functions; /* with a number */
	uint64_t *quantum;      /* [metrics] */
	bool *has_events;       /* [metrics]: its events are not its samples */
	struct strings *files;  /* those of functions and lines, by their numbers */
	uint32_t num_files;
	struct stats stats;
	bool has_activations, has_all_ends; /* of activations: see metrics/activations.h */
	bool has_units; /* there are several, and not too many, threads or processes */
};

/* Start a process that will show a file on the user's desktop: later, none may be started (see
 * sandbox.h). Once. */
void html_open_prepare(void);
/* Have it show the file. 0, or -1 and *e: why not. */
int html_open(const char *path, struct error *e);

/* ---- columns --------------------------------------------------------------------------- */

/* The bytes of a column. All zeros is empty. */
typedef VEC(uint8_t) html_bytes;

/* Append a varint or a zigzag integer. False if memory ran out. */
bool html_varint(html_bytes *b, uint64_t value);
bool html_zigzag(html_bytes *b, int64_t value);
/* Compress the bytes: *packed and *len, which the caller frees. */
int html_compress(const html_bytes *b, uint8_t **packed, size_t *len, struct error *e);
/* Print compressed bytes as the element with this id. */
void html_put_packed(FILE *out, const char *id, const uint8_t *packed, size_t len);
/* Append the samples and events of each metric. values: [columns]. False if memory ran out. */
bool html_put_values(const struct html *h, html_bytes *b, const uint64_t *values);
/* Compress and print. */
int html_put_column(FILE *out, const char *id, const html_bytes *b, struct error *e);

/* ---- the data -------------------------------------------------------------------------- */

/* Number the functions, those of the most nodes first. */
int html_number_functions(struct html *h, struct error *e);
/* Print the columns of the tree; sets h->quantum and h->has_events. */
int html_put_tree(struct html *h, struct error *e);
/* Then, if they were counted, the activations of each node, and how many of them returned and were
 * abandoned; sets h->has_activations and h->has_all_ends. */
int html_put_activations(struct html *h, struct error *e);
/* Read the values of threads and processes. */
int html_units_collect(struct html *h, struct error *e);
/* Print the column of units; what they are, as a member of the profile. */
int html_put_units(struct html *h, struct error *e);
bool html_put_unit_names(struct html *h, FILE *to); /* false if memory ran out */
/* Print the column of lines and, if they were asked for, the texts of files and instructions. */
int html_put_source(struct html *h, struct error *e);
/* Where a line stands in the column of lines. */
struct html_place {
	const char *file; /* as the symbolizer names it */
	uint32_t line, number;
	bool own; /* it has own values */
};
int html_by_place(const void *a, const void *b); /* by file and line, for qsort and bsearch */
/* Print the columns of the instructions of n lines, which are sorted, and say what was left out. */
int html_put_instructions(struct html *h, const struct html_place *lines, size_t n,
			  struct error *e);
/* The number of a file, which is added if it is new; HTML_NO_NUMBER if memory ran out. Its name. */
uint32_t html_file(struct html *h, const char *name);
const char *html_file_name(const struct html *h, uint32_t number);
/* Print the column of names, after those that name files. */
int html_put_names(struct html *h, struct error *e);
/* The mean number of events of a sample, in quanta, rounded: see the column events-M. */
uint64_t html_mean(const struct html *h, size_t metric);
/* The function that the page shows a function as. */
uint32_t html_function(const struct html *h, uint32_t function);
/* Print the columns of a comparison. */
int html_put_compare(struct html *h, struct error *e);

#endif
