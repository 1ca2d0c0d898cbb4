/* The metrics that a view shows side by side. */
#ifndef HPCPROF_COLUMNS_H
#define HPCPROF_COLUMNS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "hpcprof/layout.h"
#include "hpcprof/model.h"
#include "hpcprof/command/common.h"

#include <stddef.h>
#include <stdint.h>

/* Which of the common columns of several profiles a metric has: all, where there are as many
 * profiles as --collective says, or the one that -m METRIC:sum, :min or :max names. */
enum column_part { PART_ANY, PART_SUM, PART_MIN, PART_MAX };

/* A metric that is shown, as events or, with --samples, as numbers of samples. */
struct column {
	const struct model_metric *metric;
	const uint64_t *values; /* [contexts], exclusive */
	const char *unit;
	const char *metric_name; /* clean */
	const char *name;        /* of what is shown: the metric's, or "NAME samples" */
	uint64_t total;
	enum column_part part;
	double samples; /* that its shares rest on, for --ci; 0: shares are exact */
};

/* All zeros is empty. */
struct columns {
	struct column *at; /* at least one, unless no datafile has a metric */
	size_t len;
	size_t left_out;         /* metrics with values that would not have fitted */
	const uint64_t **values; /* [len], as attribute wants them */
};

/* The metrics of -m, in its order. Without -m all that have values, at most as many as is
 * said (at least 1): sampled ones first, then by name, since a file's order means nothing
 * once several are merged; if none has values, the first. With has_parts -m takes METRIC:sum
 * and the like, too. Texts live in the arena. 0, or
 * -1 and *e (ERROR_USAGE: no such metric). */
int columns_choose(struct columns *out, const struct model *m, const struct common *o,
		   bool has_parts, size_t most, struct arena *a, struct error *e);
void columns_deinit(struct columns *c); /* takes NULL */

/* "12.3%", with --ci "12.3% [11.8, 12.9]". Returns out. */
enum { COLUMNS_PERCENT_BYTES = LAYOUT_NUMBER_BYTES + 40 };
char *columns_percent(char out[COLUMNS_PERCENT_BYTES], const struct column *c, uint64_t value);
/* The columns of the output that it takes at most: "100.0%" or "100.0% [99.9, 100.0]". */
enum { COLUMNS_PERCENT = 6, COLUMNS_INTERVAL = 20 };
static inline unsigned columns_percent_width(const struct common *o)
{
	return o->ci ? COLUMNS_INTERVAL : COLUMNS_PERCENT;
}

/* How many metrics fit beside a label of some length: each takes so many columns. */
size_t columns_fitting(const struct common *o, unsigned label, unsigned each);

/* "CPUTIME", "CPUTIME, BYTES": for headings; clean. NULL if memory ran out. */
const char *columns_names(const struct columns *c, struct arena *a);

#endif
