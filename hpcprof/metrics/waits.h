/* What threads waited for: the kinds of the contexts in which they were blocked (CSP_BLOCKED). The
 * call that waits tells the kind, for a descriptor with what that was (formats/identity/kernel.h),
 * and for a futex the functions that made the call. */
#ifndef HPCPROF_METRICS_WAITS_H
#define HPCPROF_METRICS_WAITS_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>

struct wait_place {
	const char *kind; /* "lock", "socket" and so on; equal kinds are the same pointer */
	uint32_t context;
	/* that waits: the innermost one that is not of a library for threads or the C library, if
	 * there is one; WAITS_NO_FUNCTION: not known */
	uint32_t function;
	uint32_t line; /* of it; WAITS_NO_LINE: not known */
	uint64_t value;
};
typedef VEC(struct wait_place) wait_list;
#define WAITS_NO_FUNCTION UINT32_MAX
#define WAITS_NO_LINE UINT32_MAX

/* Whether a kind is that of waits which another thread ends. */
bool waits_for_thread(const char *kind);

/* The metric, if it has values; or NULL. */
const struct model_metric *waits_metric(const struct model *m);

/* One wait for each context with a value of the metric, in the order of contexts. outside:
 * [contexts], those not to list, or NULL. 0, or -1 and *e if memory ran out. */
int waits_find(wait_list *out, const struct model *m, const struct symbolized *c,
	       const struct model_metric *blocked, const bool *outside, struct error *e);

/* The waits of a kind. */
struct waits_row {
	const char *kind;
	uint64_t value;
	uint32_t function; /* with most of it, */
	uint64_t most;     /* and how much that is */
};
typedef VEC(struct waits_row) waits_rows;

/* Add them up by kind, those with most first; sorts the waits. 0, or -1 and *e. Sums saturate. */
int waits_add_up(waits_rows *out, wait_list *waits, const struct model *m,
		 const struct symbolized *c, struct error *e);

#endif
