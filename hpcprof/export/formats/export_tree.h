/* The call paths of a profile as a tree of nodes, with the values of some columns, heaviest
 * children first. Used by one thread. */
#ifndef HPCPROF_EXPORT_FORMATS_EXPORT_TREE_H
#define HPCPROF_EXPORT_FORMATS_EXPORT_TREE_H

#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a node is, below the node of its caller, or of what it was inlined into. */
enum export_shape {
	EXPORT_FUNCTIONS, /* a function */
	EXPORT_LINES,     /* a line of a function */
	EXPORT_CONTEXTS   /* a context of the model, with the context's id */
};

enum { EXPORT_ROOT = MODEL_ROOT, EXPORT_PARTIAL_ROOT = MODEL_PARTIAL_ROOT };

struct export_tree {
	enum export_shape shape;
	uint32_t num_nodes;   /* the two roots are nodes, too */
	const uint64_t *keys; /* [num_nodes] parent << 32 | internal; not for the roots */
	size_t num_columns;
	uint64_t *exclusive, *inclusive; /* [num_nodes * num_columns] */
	uint32_t *at;                    /* [contexts] the node that its values belong to */
	/* The nodes with a value in or below them, each parent before its children and all
	 * descendants before the next sibling. EXPORT_PARTIAL_ROOT is one of them if there are
	 * partial paths; EXPORT_ROOT is not. */
	uint32_t *order;
	uint32_t num_order;
	uint32_t *depth; /* [num_nodes]: 0 for the outermost frames and EXPORT_PARTIAL_ROOT */
	struct interner nodes, places; /* internal */
};

/* Build the tree of a model with the values of some columns ([contexts] each). Children are in the
 * order of the first column. 0, or -1 and *e if memory ran out. Sums saturate. */
int export_tree_init(struct export_tree *t, enum export_shape shape, const struct model *m,
		     const struct symbolized *c, const uint64_t *const *columns, size_t num_columns,
		     struct error *e);
void export_tree_deinit(struct export_tree *t); /* takes NULL */

static inline uint32_t export_tree_parent(const struct export_tree *t, uint32_t node)
{
	return node == EXPORT_PARTIAL_ROOT ? EXPORT_ROOT : (uint32_t)(t->keys[node] >> 32);
}
/* For lines and functions, but not the roots. */
static inline uint32_t export_tree_function(const struct export_tree *t, uint32_t node)
{
	return (uint32_t)(t->places.keys[(uint32_t)t->keys[node] >> 1] >> 32);
}
/* For lines, but not the roots: an id of the code's lines. */
static inline uint32_t export_tree_line(const struct export_tree *t, uint32_t node)
{
	return (uint32_t)t->places.keys[(uint32_t)t->keys[node] >> 1];
}
static inline bool export_tree_inlined(const struct export_tree *t, uint32_t node)
{
	return t->keys[node] & 1;
}

/* Add up the inclusive values of all nodes from exclusive ones, as in struct export_tree. */
void export_tree_sum(const struct export_tree *t, const uint64_t *exclusive, uint64_t *inclusive);

#endif
