/* The calling context tree at the granularity of functions: contexts fall together where
 * they have the same functions, inlined or not, in the same order. Recursion stays as it is:
 * a function that called itself 100 deep stands 100 deep. */
#ifndef HPCPROF_CALLTREE_H
#define HPCPROF_CALLTREE_H

#include "formats/base/error.h"
#include "hpcprof/correlate.h"
#include "hpcprof/interner.h"
#include "hpcprof/model.h"

#include <stdbool.h>
#include <stdint.h>

#define CALLTREE_NO_NODE UINT32_MAX
enum { CALLTREE_ROOT = 0, CALLTREE_PARTIAL_ROOT = 1, CALLTREE_ROOTS = 2 };

struct calltree {
	struct interner nodes; /* key: parent << 32 | function << 1 | inlined */
	size_t num_columns;
	uint64_t *exclusive, *inclusive; /* [nodes * num_columns] */
	uint32_t *at; /* [contexts] the node of a context's innermost frame; CALLTREE_NO_NODE: its
			 values are left out */
};

/* Fold the contexts of the model with the values of some columns ([contexts] each). wanted
 * (or NULL) is per function whether it is looked for: then only what was recorded on paths
 * through such a function has values. Ids of nodes are greater than their parents'. 0, or -1
 * and *e for want of memory. Sums saturate. */
int calltree_build(struct calltree *t, const struct model *m, const struct code *c,
		   const uint64_t *const *columns, size_t num_columns, const bool *wanted,
		   struct error *e);
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
