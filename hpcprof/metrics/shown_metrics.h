/* The metrics that a view shows as columns. */
#ifndef HPCPROF_METRICS_SHOWN_METRICS_H
#define HPCPROF_METRICS_SHOWN_METRICS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "hpcprof/command/common.h"
#include "hpcprof/model/model.h"
#include "hpcprof/terminal/layout.h"

#include <stddef.h>
#include <stdint.h>

/* Which of the columns that several profiles have in common are shown for a metric: all, if there
 * are as many profiles as --collective says, or the one that -m METRIC:sum, :min or :max names. */
enum shown_part { PART_ANY, PART_SUM, PART_MIN, PART_MAX };

/* A metric that is shown as events or, with --samples, as numbers of samples. */
struct shown_metric {
	const struct model_metric *metric;
	const uint64_t *values; /* [contexts], exclusive */
	const char *unit;
	const char *metric_name; /* clean */
	const char *name;        /* of the column: the metric's, or "NAME samples" */
	uint64_t total;
	bool of_samples; /* numbers of samples instead of events */
	enum shown_part part;
	double samples; /* for --ci: see interval_samples */
};

/* A ratio of two of the columns (ratio.h). */
struct shown_ratio {
	const char *name; /* of its column; clean */
	size_t above, below;
};

/* All zeros is empty. */
struct shown_metrics {
	struct shown_metric *at; /* at least one, unless no datafile has a metric */
	size_t len;
	size_t left_out; /* metrics with values that do not fit */
	struct shown_ratio *ratios;
	size_t num_ratios;
	const uint64_t **values; /* [len], for attribute */
	/* after path_filter: the contexts on paths that are not shown, and the copies of the values
	 * without theirs; or NULL */
	bool *outside;
	uint64_t **copies;
};

/* The metrics of -m, in its order. Without -m all that have values, at most `most` (at least 1):
 * sampled ones first, then by name, since the order in a file means nothing once several are
 * merged; but as in the files if other profilers wrote all of them. If none has values, the first.
 * Then those of --ratio that are not among them.
 * With has_parts -m also takes METRIC:sum and so on. Strings live in the arena. 0, or -1 and *e
 * (ERROR_USAGE: no such metric). */
int shown_metrics_choose(struct shown_metrics *out, const struct model *m, const struct common *o,
			 bool has_parts, size_t most, struct arena *a, struct error *e);
void shown_metrics_deinit(struct shown_metrics *c); /* takes NULL */

/* Whether there is a metric of that name; the error if not; and the column of one that there is,
 * which is added if it is not shown: false if memory ran out. For ratio.h. */
bool shown_metrics_known(const struct model *m, const char *name);
int shown_metrics_unknown(const struct model *m, const char *name, struct arena *a,
			  struct error *e);
bool shown_metrics_have(struct shown_metrics *out, const struct model *m, const struct common *o,
			const char *name, struct arena *a, size_t *column);

/* Have 2 * len columns: the events of each metric, then the samples of each. Before path_filter. 0,
 * or -1 and *e if memory ran out. */
int shown_metrics_add_samples(struct shown_metrics *c, struct error *e);

/* "12.3%", with --ci "12.3% [11.8, 12.9]". Returns out. */
enum { SHOWN_PERCENT_BYTES = LAYOUT_NUMBER_BYTES + 40 };
char *shown_metric_percent(char out[SHOWN_PERCENT_BYTES], const struct shown_metric *c,
			   uint64_t value);
/* Its largest width, in columns of the output: "100.0%" or "100.0% [99.9, 100.0]". */
enum { SHOWN_PERCENT = 6, SHOWN_INTERVAL = 20 };
static inline unsigned shown_percent_width(const struct common *o)
{
	return o->ci ? SHOWN_INTERVAL : SHOWN_PERCENT;
}

/* How many metrics fit beside a label, if each takes `each` columns of the output. */
size_t shown_metrics_fitting(const struct common *o, unsigned label, unsigned each);

/* "CPUTIME", "CPUTIME, BYTES": for headings; clean. NULL if memory ran out. */
const char *shown_metrics_names(const struct shown_metrics *c, struct arena *a);

#endif
