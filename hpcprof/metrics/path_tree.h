/* The call paths of a profile as a tree of nodes, with the values of some columns, heaviest
 * children first. Used by one thread. */
#ifndef HPCPROF_METRICS_PATH_TREE_H
#define HPCPROF_METRICS_PATH_TREE_H

#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a node is, below the node of its caller, or of what it was inlined into. */
enum path_tree_shape {
	PATH_TREE_FUNCTIONS, /* a function */
	PATH_TREE_LINES,     /* a line of a function */
	PATH_TREE_CONTEXTS   /* a context of the model, with the context's id */
};

enum { PATH_TREE_ROOT = MODEL_ROOT, PATH_TREE_PARTIAL_ROOT = MODEL_PARTIAL_ROOT };

struct path_tree {
	enum path_tree_shape shape;
	uint32_t num_nodes;   /* the two roots are nodes, too */
	const uint64_t *keys; /* [num_nodes] parent << 32 | internal; not for the roots */
	size_t num_columns;
	uint64_t *exclusive, *inclusive; /* [num_nodes * num_columns] */
	uint32_t *at;                    /* [contexts] the node that its values belong to */
	/* The nodes with a value in or below them, each parent before its children and all
	 * descendants before the next sibling. PATH_TREE_PARTIAL_ROOT is one of them if there are
	 * partial paths; PATH_TREE_ROOT is not. */
	uint32_t *order;
	uint32_t num_order;
	uint32_t *depth; /* [num_nodes]: 0 for the outermost frames and PATH_TREE_PARTIAL_ROOT */
	struct interner nodes, places; /* internal */
};

/* Build the tree of a model with the values of some columns ([contexts] each). Children are in the
 * order of the first column. same: NULL, or for PATH_TREE_FUNCTIONS the function that each function
 * ([functions]) is shown as; whether one is inlined then makes no difference. 0, or -1 and *e if
 * memory ran out. Sums saturate. */
int path_tree_init(struct path_tree *t, enum path_tree_shape shape, const struct model *m,
		   const struct symbolized *c, const uint32_t *same, const uint64_t *const *columns,
		   size_t num_columns, struct error *e);
void path_tree_deinit(struct path_tree *t); /* takes NULL */

static inline uint32_t path_tree_parent(const struct path_tree *t, uint32_t node)
{
	return node == PATH_TREE_PARTIAL_ROOT ? PATH_TREE_ROOT : (uint32_t)(t->keys[node] >> 32);
}
/* For lines and functions, but not the roots. */
static inline uint32_t path_tree_function(const struct path_tree *t, uint32_t node)
{
	return (uint32_t)(t->places.keys[(uint32_t)t->keys[node] >> 1] >> 32);
}
/* For lines, but not the roots: an id of the code's lines. */
static inline uint32_t path_tree_line(const struct path_tree *t, uint32_t node)
{
	return (uint32_t)t->places.keys[(uint32_t)t->keys[node] >> 1];
}
static inline bool path_tree_inlined(const struct path_tree *t, uint32_t node)
{
	return t->keys[node] & 1;
}

/* Add up the inclusive values of all nodes from exclusive ones, as in struct path_tree. */
void path_tree_sum(const struct path_tree *t, const uint64_t *exclusive, uint64_t *inclusive);

#endif
