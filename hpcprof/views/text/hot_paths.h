/* Call paths by function, with repetitions folded. If the last functions of a path repeat the ones
 * just before them (fib, fib, fib; or eval, call, eval, call), the repetition is folded into the
 * first occurrence. So paths that differ only in the depth of a recursion are one. */
#ifndef HPCPROF_VIEWS_TEXT_HOT_PATHS_H
#define HPCPROF_VIEWS_TEXT_HOT_PATHS_H

#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdint.h>

enum {
	HOT_PATHS_ROOT = 0,
	HOT_PATHS_PARTIAL_ROOT = 1,
	HOT_PATHS_LONGEST_CYCLE = 16, /* functions in a cycle that is folded */
};
#define HOT_PATHS_NO_FUNCTION (UINT32_MAX >> 1)

struct hot_path_node {
	uint64_t exclusive, inclusive; /* of the column */
	/* most rounds of the cycle ending here in a call path; 0, 1: no repetition */
	uint32_t repeats;
	uint32_t period; /* functions in that cycle (the longest one that was folded) */
};

struct hot_paths {
	struct interner nodes; /* key: parent << 32 | function << 1 | inlined */
	VEC(struct hot_path_node) info;
	uint32_t *at; /* [contexts] the node of a context's innermost frame */
};

/* Fold the contexts of the model, with the values of one column ([contexts]). 0, or -1 and *e if
 * memory ran out. A node's id is greater than its parent's. */
int hot_paths_fold(const struct model *m, const struct symbolized *c, const uint64_t *column,
		   struct hot_paths *out, struct error *e);
void hot_paths_deinit(struct hot_paths *p); /* takes NULL */

static inline uint32_t hot_paths_parent(const struct hot_paths *p, uint32_t node)
{
	return (uint32_t)(p->nodes.keys[node] >> 32);
}
/* HOT_PATHS_NO_FUNCTION for the two roots. */
static inline uint32_t hot_paths_function(const struct hot_paths *p, uint32_t node)
{
	return (uint32_t)p->nodes.keys[node] >> 1;
}
static inline bool hot_paths_inlined(const struct hot_paths *p, uint32_t node)
{
	return p->nodes.keys[node] & 1;
}

#endif
