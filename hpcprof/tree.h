/* Inside the tree view: the part of a call tree that is shown, top-down or bottom-up. */
#ifndef HPCPROF_TREE_H
#define HPCPROF_TREE_H

#include "formats/base/arena.h"
#include "formats/base/vec.h"
#include "hpcprof/calltree.h"
#include "hpcprof/columns.h"
#include "hpcprof/command/common.h"
#include "hpcprof/profile.h"
#include "hpcprof/stats.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum tree_kind {
	TREE_FUNCTION,
	TREE_CUT,       /* what was too little to be shown, in one */
	TREE_DEEPER,    /* what --depth cut off */
	TREE_OUTERMOST, /* bottom-up: nothing called it */
	TREE_MISSING,   /* bottom-up: what called it is not known */
};

struct tree_node {
	enum tree_kind kind;
	uint32_t function; /* of a TREE_FUNCTION */
	uint32_t count;    /* nodes that a TREE_CUT or TREE_DEEPER stands for */
	bool inlined;      /* top-down: into the node above it */
	bool innermost;    /* bottom-up: the function itself, not a caller */
	bool hot;          /* on the hot path */
};

struct tree_options {
	struct common common;
	bool bottom_up, all;
	double min;        /* percent; what has less is cut */
	uint64_t depth;    /* 0: the usual; UINT64_MAX: no limit */
	const char *focus; /* an extended regular expression, or NULL */
};

/* Nodes 0 and 1 are the roots of complete and partial paths; bottom-up, where a path's end
 * is a leaf, only the first has anything below it. */
struct tree {
	FILE *out;
	const struct model *m;
	const struct code *c;
	const struct tree_options *own;
	const struct common *o; /* of own */
	struct arena arena;
	struct columns columns;
	struct calltree calls;
	VEC(struct tree_node) nodes;
	VEC(uint64_t) values; /* [nodes][2 * columns]: exclusive, then inclusive */
	VEC(uint32_t) child;  /* first child of a node, or 0 */
	VEC(uint32_t) sibling;
	/* What has no line of its own: exclusive values [columns], and of how many nodes. */
	uint64_t *cut;
	uint32_t num_cut;
	/* --stats: a row is a node, the root's is everything. */
	struct stats stats;
	VEC(uint32_t) drawn;
	uint64_t *outside; /* --focus: exclusive values on other paths [columns] */
};

/* A sibling-to-be. */
struct tree_candidate {
	struct tree_node node;
	const uint64_t *exclusive, *inclusive; /* [columns] */
	uint32_t from;                         /* what the builder knows it by */
	uint32_t id;                           /* the node that it became */
};

typedef VEC(struct tree_candidate) tree_candidates;

/* What was cut from below one node. */
struct tree_rest {
	enum tree_kind kind;
	uint32_t count;
	uint64_t *exclusive, *inclusive; /* [columns], the builder's */
};

/* Fill the tree with what shall be shown, siblings in order. False if memory ran out. */
bool tree_build_down(struct tree *t);
bool tree_build_up(struct tree *t);

/* ---- what the two have in common ---- */

/* Whether some column's value is worth a line: it is at least --min of the total. */
bool tree_reaches(const struct tree *t, const uint64_t *values);
/* Which of the two a tree is sorted and cut by. */
bool tree_by_inclusive(const struct tree_options *o);
/* Sort the candidates and append them below a node, followed by the rest (or NULL) if that
 * is worth a line; where not, it counts to t->cut if it is to be told at the end. False if
 * memory ran out. */
bool tree_append(struct tree *t, uint32_t parent, tree_candidates *candidates,
		 const struct tree_rest *rest, bool tell);
/* With --stats: count a call tree's node to a node that is shown. False if memory ran out. */
bool tree_count(struct tree *t, uint32_t from, uint32_t node, bool inclusive);
/* A node without a parent, all values 0. False if memory ran out. */
bool tree_add_root(struct tree *t);
static inline uint64_t *tree_exclusive(struct tree *t, uint32_t node)
{
	return t->values.at + (size_t)node * 2 * t->columns.len;
}
static inline uint64_t *tree_inclusive(struct tree *t, uint32_t node)
{
	return tree_exclusive(t, node) + t->columns.len;
}

#endif
