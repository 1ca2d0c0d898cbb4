/* The call paths that the user chose by --focus, --ignore and --module, and by --under, after which
 * the model has no others (correlate/under.h). Values of others are not shown, but percentages are
 * of the totals of all. */
#ifndef HPCPROF_METRICS_PATH_FILTER_H
#define HPCPROF_METRICS_PATH_FILTER_H

#include "hpcprof/correlate/correlate.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/model/model.h"

/* Replace the values of the metrics by copies without those of other paths, if there are such
 * options, and set their `outside`. 0, or -1 and *e (ERROR_USAGE: an expression matches nothing).
 */
int path_filter(struct shown_metrics *s, const struct model *m, const struct symbolized *c,
		const struct common *o, struct error *e);

/* "paths with main, without read": for headings; clean. NULL if memory ran out. */
const char *path_filter_text(const struct common *o, struct arena *a);

#endif
