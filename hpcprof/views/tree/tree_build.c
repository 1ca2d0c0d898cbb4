/* The tree view's top-down tree, and what both directions share. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/tree/tree.h"

#include <stdlib.h>
#include <string.h>

bool tree_reaches(const struct tree *t, const uint64_t *values)
{
	for (size_t i = 0; i < t->columns.len; i++)
		if (values[i] &&
		    100.0 * (double)values[i] >= t->own->min * (double)t->columns.at[i].total)
			return true;
	return false;
}

bool tree_by_inclusive(const struct tree_options *o)
{
	return !o->bottom_up || o->common.sort == SORT_INCLUSIVE;
}

static int order(const void *pa, const void *pb, void *context)
{
	const struct tree_candidate *a = pa, *b = pb;
	const struct tree *t = context;
	bool inclusive = tree_by_inclusive(t->own);
	bool by_name = t->o->sort == SORT_NAME;
	int c;

	for (int k = 0; !by_name && k < 2; k++)
		for (size_t i = 0; i < t->columns.len; i++) {
			const uint64_t *x = inclusive ? a->inclusive : a->exclusive;
			const uint64_t *y = inclusive ? b->inclusive : b->exclusive;
			if ((k ? a->exclusive : x)[i] != (k ? b->exclusive : y)[i])
				return (k ? a->exclusive : x)[i] > (k ? b->exclusive : y)[i] ? -1
											     : 1;
		}
	if (a->node.kind != b->node.kind)
		return a->node.kind < b->node.kind ? -1 : 1;
	if (a->node.kind != TREE_FUNCTION)
		return 0;
	c = label_compare_functions(t->m, t->c, a->node.function, b->node.function);
	return c ? c : (int)a->node.inlined - (int)b->node.inlined;
}

/* Append a node and its values after a sibling (0: as the first child of parent). */
static bool append(struct tree *t, uint32_t parent, uint32_t *sibling, struct tree_node node,
		   const uint64_t *exclusive, const uint64_t *inclusive)
{
	uint32_t id = (uint32_t)t->nodes.len;
	size_t n = t->columns.len;
	bool ok = t->nodes.len < UINT32_MAX && vec_push(&t->nodes, node) &&
		  vec_push(&t->child, 0) && vec_push(&t->sibling, 0);

	for (size_t i = 0; ok && i < 2 * n; i++)
		ok = vec_push(&t->values, i < n ? exclusive[i] : inclusive[i - n]);
	if (!ok)
		return false;
	if (*sibling)
		t->sibling.at[*sibling] = id;
	else
		t->child.at[parent] = id;
	*sibling = id;
	return true;
}

bool tree_count(struct tree *t, uint32_t from, uint32_t node, bool inclusive)
{
	return !t->o->stats || stats_use(&t->stats.rows[0], from, node, inclusive);
}

bool tree_add_root(struct tree *t)
{
	size_t n = 2 * t->columns.len;
	bool ok = vec_push(&t->nodes, (struct tree_node){0}) && vec_push(&t->child, 0) &&
		  vec_push(&t->sibling, 0);

	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(&t->values, 0);
	return ok;
}

bool tree_append(struct tree *t, uint32_t parent, tree_candidates *candidates,
		 const struct tree_rest *rest, bool tell)
{
	uint32_t last = 0;
	bool saturated = false;

	if (candidates->len)
		qsort_r(candidates->at, candidates->len, sizeof *candidates->at, order, t);
	for (size_t i = 0; i < candidates->len; i++) {
		struct tree_candidate *c = &candidates->at[i];
		if (!append(t, parent, &last, c->node, c->exclusive, c->inclusive))
			return false;
		c->id = last;
	}
	if (!rest || !rest->count)
		return true;
	if (tree_reaches(t, rest->exclusive))
		return append(t, parent, &last,
			      (struct tree_node){.kind = rest->kind, .count = rest->count},
			      rest->exclusive, rest->inclusive);
	for (size_t i = 0; tell && i < t->columns.len; i++)
		t->cut[i] = sum_add(t->cut[i], rest->exclusive[i], &saturated);
	t->num_cut += tell ? rest->count : 0;
	return true;
}

/* ---- top-down ------------------------------------------------------------------------ */

/* The children of call tree node i are list[first[i]] .. list[first[i + 1] - 1]. */
struct children {
	uint32_t *first, *list;
};

static bool list_children(const struct calltree *calls, struct children *out)
{
	uint32_t n = calls->nodes.len;

	out->first = calloc(n + (size_t)2, sizeof *out->first);
	out->list = calloc(n + (size_t)1, sizeof *out->list);
	if (!out->first || !out->list)
		return false;
	/* counts are two elements higher, so that filling moves each start to its final element */
	for (uint32_t i = CALLTREE_ROOTS; i < n; i++)
		out->first[calltree_parent(calls, i) + 2]++;
	for (uint32_t i = 2; i <= n; i++)
		out->first[i] += out->first[i - 1];
	for (uint32_t i = CALLTREE_ROOTS; i < n; i++)
		out->list[out->first[calltree_parent(calls, i) + 1]++] = i;
	return true;
}

/* A call tree node whose children were not visited yet. */
struct pending {
	uint32_t from, id;
	uint64_t depth;
};

struct down {
	struct tree *t;
	struct children children;
	tree_candidates candidates;
	VEC(struct pending) pending;
	struct tree_rest rest;
};

static void cut(struct down *d, const uint64_t *values)
{
	bool saturated = false;

	d->rest.count++;
	for (size_t i = 0; i < d->t->columns.len; i++)
		d->rest.exclusive[i] = sum_add(d->rest.exclusive[i], values[i], &saturated);
}

/* Add what a node calls. */
static bool expand(struct down *d, struct pending at)
{
	struct tree *t = d->t;
	size_t n = t->columns.len;
	bool deep = t->own->depth && at.depth >= t->own->depth;

	d->candidates.len = 0;
	d->rest.kind = deep ? TREE_DEEPER : TREE_CUT;
	d->rest.count = 0;
	memset(d->rest.exclusive, 0, n * sizeof *d->rest.exclusive);
	for (uint32_t k = d->children.first[at.from]; k < d->children.first[at.from + 1]; k++) {
		uint32_t from = d->children.list[k];
		const uint64_t *inclusive = t->calls.inclusive + from * n;
		struct tree_candidate c = {
		    .node = {.function = calltree_function(&t->calls, from),
			     .inlined = calltree_inlined(&t->calls, from),
			     .activations = t->entered ? t->entered[from] : 0,
			     .in_frame = t->entered ? t->in_frame[from] : 0},
		    .exclusive = t->calls.exclusive + from * n,
		    .inclusive = inclusive,
		    .from = from};
		bool any = false;
		for (size_t i = 0; i < n; i++)
			any |= inclusive[i] != 0;
		if (any && (deep || !tree_reaches(t, inclusive)))
			cut(d, inclusive);
		else if (any && !vec_push(&d->candidates, c))
			return false;
	}
	if (!tree_append(t, at.id, &d->candidates, &d->rest, true))
		return false;
	for (size_t i = 0; i < d->candidates.len; i++) {
		uint32_t from = d->candidates.at[i].from, id = d->candidates.at[i].id;
		if (!tree_count(t, from, id, false) || !tree_count(t, from, id, true) ||
		    !vec_push(&d->pending, (struct pending){from, id, at.depth + 1}))
			return false;
	}
	return true;
}

bool tree_build_down(struct tree *t)
{
	struct down d = {.t = t};
	bool ok = list_children(&t->calls, &d.children) && tree_add_root(t) && tree_add_root(t);

	d.rest.exclusive = d.rest.inclusive = calloc(t->columns.len + 1, sizeof *d.rest.exclusive);
	ok =
	    ok && d.rest.exclusive &&
	    vec_push(&d.pending, (struct pending){CALLTREE_ROOT, CALLTREE_ROOT, 0}) &&
	    vec_push(&d.pending, (struct pending){CALLTREE_PARTIAL_ROOT, CALLTREE_PARTIAL_ROOT, 0});
	while (ok && d.pending.len)
		ok = expand(&d, d.pending.at[--d.pending.len]);
	free(d.children.first);
	free(d.children.list);
	vec_free(&d.candidates);
	vec_free(&d.pending);
	free(d.rest.exclusive);
	return ok;
}
