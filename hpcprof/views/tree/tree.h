/* Internal to the tree view: the part of a call tree that is shown, top-down or bottom-up. */
#ifndef HPCPROF_VIEWS_TREE_TREE_H
#define HPCPROF_VIEWS_TREE_TREE_H

#include "formats/base/arena.h"
#include "formats/base/vec.h"
#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/calltree.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stats.h"
#include "hpcprof/terminal/name_cuts.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum tree_kind {
	TREE_FUNCTION,
	TREE_CUT,       /* all nodes below the minimum, in one */
	TREE_DEEPER,    /* nodes that --depth cut off */
	TREE_OUTERMOST, /* bottom-up: nothing called it */
	TREE_MISSING,   /* bottom-up: its caller is not known */
};

struct tree_node {
	enum tree_kind kind;
	uint32_t function;    /* of a TREE_FUNCTION */
	uint32_t count;       /* of nodes in a TREE_CUT or TREE_DEEPER */
	bool inlined;         /* top-down: into the node above it */
	bool innermost;       /* bottom-up: the function itself, not a caller */
	bool hot;             /* on the hot path */
	uint64_t activations; /* top-down: that were counted here */
	uint64_t in_frame;    /* then: the part of its total in which it had called no other */
};

struct tree_options {
	struct common common;
	bool bottom_up, all;
	double min;     /* percent; nodes with less are cut */
	uint64_t depth; /* 0: the default; UINT64_MAX: no limit */
};

/* Nodes 0 and 1 are the roots of complete and partial paths. Bottom-up, where the end of a path is
 * a leaf, only node 0 has children. */
struct tree {
	FILE *out;
	const struct model *m;
	const struct symbolized *c;
	const struct tree_options *own;
	const struct common *o; /* of own */
	struct arena arena;
	struct shown_metrics columns;
	struct calltree calls;
	VEC(struct tree_node) nodes;
	VEC(uint64_t) values; /* [nodes][2 * columns]: exclusive, then inclusive */
	VEC(uint32_t) child;  /* first child of a node, or 0 */
	VEC(uint32_t) sibling;
	/* Values without a line: exclusive values [columns], and the number of their nodes. */
	uint64_t *cut;
	uint32_t num_cut;
	/* --stats: a row is a node; that of the root is everything. */
	struct stats stats;
	VEC(uint32_t) drawn;
	struct name_cuts cuts;
	uint64_t *outside; /* values on paths that are not shown [columns] */
	/* by node of calls: activations, and what is innermost in the function's frame, inlined or
	 * not; NULL: not counted */
	uint64_t *entered, *in_frame;
};

/* A node that will be appended to siblings. */
struct tree_candidate {
	struct tree_node node;
	const uint64_t *exclusive, *inclusive; /* [columns] */
	uint32_t from;                         /* identifies it to the builder */
	uint32_t id;                           /* of the appended node */
};

typedef VEC(struct tree_candidate) tree_candidates;

/* The nodes that were cut below one node. */
struct tree_rest {
	enum tree_kind kind;
	uint32_t count;
	uint64_t *exclusive, *inclusive; /* [columns], owned by the builder */
};

/* Fill the tree with the nodes to show, siblings in order. False if memory ran out. */
bool tree_build_down(struct tree *t);
bool tree_build_up(struct tree *t);

/* Print the tree as JSON; without nodes if nothing was recorded. 0, or -1 and *e if memory ran
 * out. */
int tree_print_json(struct tree *t, const struct profile *p, struct error *e);

/* ---- shared by both directions ------ */

/* Whether the value of a column is at least --min of its total. */
bool tree_reaches(const struct tree *t, const uint64_t *values);
/* Whether the tree is sorted and cut by inclusive values, else by exclusive ones. */
bool tree_by_inclusive(const struct tree_options *o);
/* Sort the candidates and append them below a node, followed by the rest (or NULL) if it reaches
 * --min. If it does not, and tell is set, add it to t->cut. False if memory ran out. */
bool tree_append(struct tree *t, uint32_t parent, tree_candidates *candidates,
		 const struct tree_rest *rest, bool tell);
/* With --stats: count a node of the call tree for a node that is shown. False if memory ran out. */
bool tree_count(struct tree *t, uint32_t from, uint32_t node, bool inclusive);
/* Append a node without a parent, with all values 0. False if memory ran out. */
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
