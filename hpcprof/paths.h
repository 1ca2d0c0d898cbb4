/* Call paths at the granularity of functions, with repetition folded: where the last
 * functions of a path repeat the ones just before them (fib, fib, fib; or eval, call,
 * eval, call), the repetition folds into the first occurrence, so that paths that
 * differ only in the depth of a recursion are one. */
#ifndef HPCPROF_PATHS_H
#define HPCPROF_PATHS_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate.h"
#include "hpcprof/interner.h"
#include "hpcprof/model.h"

#include <stdint.h>

enum {
	PATHS_ROOT = 0,
	PATHS_PARTIAL_ROOT = 1,
	PATHS_LONGEST_CYCLE = 16, /* functions in a cycle that is folded */
};
#define PATHS_NO_FUNCTION (UINT32_MAX >> 1)

struct path_node {
	uint64_t exclusive, inclusive; /* of the column */
	uint32_t repeats; /* the most often that the cycle ending here was gone round in one
			     call path; 0 or 1: never more than once */
	uint32_t period;  /* functions in that cycle (the longest that was folded) */
};

struct paths {
	struct interner nodes; /* key: parent << 32 | function << 1 | inlined */
	VEC(struct path_node) info;
	uint32_t *at; /* [contexts] the node that a context's innermost frame is at */
};

/* Fold the contexts of the model with the values of one column ([contexts]). 0, or -1 and
 * *e for want of memory. Ids of nodes are greater than their parents'. */
int paths_fold(const struct model *m, const struct code *c, const uint64_t *column,
	       struct paths *out, struct error *e);
void paths_deinit(struct paths *p); /* takes NULL */

static inline uint32_t paths_parent(const struct paths *p, uint32_t node)
{
	return (uint32_t)(p->nodes.keys[node] >> 32);
}
/* PATHS_NO_FUNCTION for the two roots. */
static inline uint32_t paths_function(const struct paths *p, uint32_t node)
{
	return (uint32_t)p->nodes.keys[node] >> 1;
}
static inline bool paths_inlined(const struct paths *p, uint32_t node)
{
	return p->nodes.keys[node] & 1;
}

#endif
