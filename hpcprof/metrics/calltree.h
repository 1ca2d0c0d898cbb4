/* The calling context tree by function: contexts with the same functions, inlined or not, in the
 * same order are one node. Recursion is kept: a function that called itself 100 deep has 100
 * nodes. */
#ifndef HPCPROF_METRICS_CALLTREE_H
#define HPCPROF_METRICS_CALLTREE_H

#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALLTREE_ROOT = 0, CALLTREE_PARTIAL_ROOT = 1, CALLTREE_ROOTS = 2 };

struct calltree {
	struct interner nodes; /* key: parent << 32 | function << 1 | inlined */
	size_t num_columns;
	uint64_t *exclusive, *inclusive; /* [nodes * num_columns] */
	uint32_t *at;                    /* [contexts] the node of a context's innermost frame */
};

/* Fold the contexts of the model, with the values of some columns ([contexts] each). A node's id is
 * greater than its parent's. 0, or -1 and *e if memory ran out. Sums saturate. */
int calltree_build(struct calltree *t, const struct model *m, const struct symbolized *c,
		   const uint64_t *const *columns, size_t num_columns, struct error *e);
void calltree_deinit(struct calltree *t); /* takes NULL */

static inline uint32_t calltree_parent(const struct calltree *t, uint32_t node)
{
	return (uint32_t)(t->nodes.keys[node] >> 32);
}
/* Not for the two roots. */
static inline uint32_t calltree_function(const struct calltree *t, uint32_t node)
{
	return (uint32_t)t->nodes.keys[node] >> 1;
}
static inline bool calltree_inlined(const struct calltree *t, uint32_t node)
{
	return t->nodes.keys[node] & 1;
}

#endif
