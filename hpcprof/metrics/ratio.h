/* Ratios of two metrics as columns: --ratio [NAME=]ABOVE/BELOW. */
#ifndef HPCPROF_METRICS_RATIO_H
#define HPCPROF_METRICS_RATIO_H

#include "hpcprof/metrics/shown_metrics.h"

#include <stdint.h>

/* Read the ratios of --ratio into columns->ratios. Both metrics of each become columns, if they are
 * not; columns->at has room for them. Strings live in the arena. 0, or -1 and *e (ERROR_USAGE: no
 * such metrics). */
int ratio_choose(struct shown_metrics *columns, const struct model *m, const struct common *o,
		 struct arena *a, struct error *e);

/* The ratio for a row with these values of the columns: "0.123"; with --ci "0.123 [0.101, 0.150]".
 * "": both are 0; "-": only the one below is. Returns out.
 *
 * The interval is of 95%. The logarithm of a ratio of two numbers of samples has about the variance
 * 1 / n + 1 / m (Katz and others, Biometrics 34, 1978), where n and m are the effective numbers of
 * samples (interval.h). The two are sampled independently of each other. */
enum { RATIO_BYTES = 96 };
char *ratio_text(char out[RATIO_BYTES], const struct shown_metrics *columns, size_t ratio,
		 const uint64_t *values);

/* The width of its column without the gap beside it. */
unsigned ratio_width(const struct shown_metrics *columns, size_t ratio);
/* The widths of the columns of all ratios that the user asks for, with the gaps. */
unsigned ratio_widths(const struct common *o);

#endif
