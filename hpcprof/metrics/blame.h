/* Who made other threads wait: the contexts that are charged with that (CSP_BLAME). */
#ifndef HPCPROF_METRICS_BLAME_H
#define HPCPROF_METRICS_BLAME_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/metrics/waits.h"

#include <stdbool.h>
#include <stdint.h>

/* The metric, if it has values; or NULL. */
const struct model_metric *blame_metric(const struct model *m);

/* A function that is charged: the innermost one that is not of a library for threads or the C
 * library, if there is one; else WAITS_NO_FUNCTION. */
struct blame_row {
	uint32_t function;
	uint64_t value;
	uint32_t line; /* of it, that has most; WAITS_NO_LINE: not known, */
	uint64_t most; /* and how much that is */
};
typedef VEC(struct blame_row) blame_rows;

/* Find them, those with most first. outside: as for waits_find. 0, or -1 and *e if memory ran out.
 * Sums saturate. */
int blame_find(blame_rows *out, const struct model *m, const struct symbolized *c,
	       const struct model_metric *blame, const bool *outside, struct error *e);

/* How much of the waits for other threads nobody is charged with: waits by kind, and their blame.
 */
uint64_t blame_unknown(const waits_rows *waits, const struct model_metric *blame);

#endif
