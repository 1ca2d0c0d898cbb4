/* What the JSON of the views text, tree, callers and callees has in common; hpcprof.1 describes it.
 * Values are exact integers, in arrays with one element for each metric. Names are those of the
 * binaries; what is not UTF-8 in them becomes U+FFFD. Write errors are in ferror(out). */
#ifndef HPCPROF_METRICS_VIEW_JSON_H
#define HPCPROF_METRICS_VIEW_JSON_H

#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/shown_metrics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The first number in the object. It grows if something that was there goes or changes its meaning,
 * not if something is added. */
enum { VIEW_JSON_VERSION = 1 };

struct view_json {
	FILE *out;
	const struct profile *p;
	const struct common *o;
	const struct shown_metrics *columns;
	const double *samples; /* [columns]: see interval_samples; 0: the metric is exact */
	bool first;            /* the next row is the first of its array */
};

/* Print what comes first: version, view, metrics and, if the user chose paths, paths. j needs only
 * out, p, o and columns; a owns what is added. False if memory ran out. */
bool view_json_begin(struct view_json *j, const char *view, struct arena *a);
/* Print how reliable the data is, and end the object. */
int view_json_end(struct view_json *j, struct error *e);

/* Print ,"NAME":{"ROWS":[ -- and then rows, each between view_json_row and '}', then what was left
 * out: so many rows, with the
 * exclusive values of the first n columns. */
void view_json_rows(struct view_json *j, const char *name, const char *rows);
void view_json_row(struct view_json *j); /* prints { or ,{ */
void view_json_left_out(struct view_json *j, const char *rows, uint64_t count,
			const uint64_t *values, size_t n);

/* Members. Those that begin with a comma are not the first of their object. */
void view_json_function(struct view_json *j, uint32_t function); /* "function":... without comma */
/* The function (UINT32_MAX: none, and no members) that has the most of a row, and how much. */
void view_json_most(struct view_json *j, uint32_t function, uint64_t most);
void view_json_number(struct view_json *j, const char *name, uint64_t value);
void view_json_bool(struct view_json *j, const char *name, bool value);
void view_json_text(struct view_json *j, const char *name, const char *value); /* "": null */
/* ,"NAME":[...] of the first n columns, and ,"NAME_interval":[[low, high], ...]. */
void view_json_array(struct view_json *j, const char *name, const uint64_t *values, size_t n);
void view_json_values(struct view_json *j, const char *name, const uint64_t *values, size_t n);

#endif
