#include "hpcprof/metrics/path_tree.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

/* The places of the roots: no function has this id. */
#define ROOT_PLACE UINT32_MAX

/* ---- nodes ------------------------------------------------------------------------- */

/* The node of a code frame below another. INTERNER_NONE if memory ran out. */
static uint32_t add_frame(struct path_tree *t, uint32_t parent, const struct code_frame *f,
			  const uint32_t *same)
{
	uint32_t line = t->shape == PATH_TREE_LINES ? f->line : 0;
	uint32_t function = same ? same[f->function] : f->function;
	uint32_t place = interner_add(&t->places, (uint64_t)function << 32 | line);

	/* a place has 31 bits */
	if (place >= ROOT_PLACE >> 1)
		return INTERNER_NONE;
	return interner_add(&t->nodes, (uint64_t)parent << 32 | place << 1 | (f->inlined && !same));
}

static bool fold(struct path_tree *t, const struct model *m, const struct symbolized *c,
		 const uint32_t *same)
{
	uint32_t contexts = model_num_contexts(m);

	t->at[PATH_TREE_ROOT] = interner_add(&t->nodes, ROOT_PLACE);
	t->at[PATH_TREE_PARTIAL_ROOT] =
	    interner_add(&t->nodes, (uint64_t)PATH_TREE_PARTIAL_ROOT << 32 | ROOT_PLACE);
	if (t->nodes.len != MODEL_ROOTS)
		return false;
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		uint32_t frame = model_frame_of(m, i), node = t->at[model_parent(m, i)];
		for (uint32_t k = c->first[frame + 1]; k > c->first[frame]; k--) {
			node = add_frame(t, node, &c->frames.at[k - 1], same);
			if (node == INTERNER_NONE)
				return false;
		}
		t->at[i] = node;
	}
	t->num_nodes = t->nodes.len;
	t->keys = t->nodes.keys;
	return true;
}

static void take_contexts(struct path_tree *t, const struct model *m)
{
	t->num_nodes = model_num_contexts(m);
	t->keys = m->contexts.keys;
	for (uint32_t i = 0; i < t->num_nodes; i++)
		t->at[i] = i;
}

/* ---- values ------------------------------------------------------------------------ */

void path_tree_sum(const struct path_tree *t, const uint64_t *exclusive, uint64_t *inclusive)
{
	size_t n = t->num_columns;
	bool saturated = false;

	memcpy(inclusive, exclusive, t->num_nodes * n * sizeof *inclusive);
	for (uint32_t i = t->num_nodes; i-- > MODEL_ROOTS;)
		for (size_t k = 0; k < n; k++) {
			uint64_t *up = &inclusive[path_tree_parent(t, i) * n + k];
			*up = sum_add(*up, inclusive[i * n + k], &saturated);
		}
}

static bool add_values(struct path_tree *t, uint32_t contexts, const uint64_t *const *columns)
{
	size_t n = t->num_columns;
	bool saturated = false;

	t->exclusive = calloc(t->num_nodes * n + 1, sizeof *t->exclusive);
	t->inclusive = calloc(t->num_nodes * n + 1, sizeof *t->inclusive);
	if (!t->exclusive || !t->inclusive)
		return false;
	for (uint32_t i = 0; i < contexts; i++)
		for (size_t k = 0; k < n; k++) {
			uint64_t *to = &t->exclusive[t->at[i] * n + k];
			*to = sum_add(*to, columns[k][i], &saturated);
		}
	path_tree_sum(t, t->exclusive, t->inclusive);
	return true;
}

/* ---- order ------------------------------------------------------------------------- */

static bool has_value(const struct path_tree *t, uint32_t node)
{
	for (size_t k = 0; k < t->num_columns; k++)
		if (t->inclusive[node * t->num_columns + k])
			return true;
	return false;
}

/* By parent; the heaviest child is first, and partial paths are last. Contexts are sorted, so what
 * was seen first depends on nothing else. */
static int by_parent(const void *pa, const void *pb, void *context)
{
	const struct path_tree *t = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint32_t p = path_tree_parent(t, a), q = path_tree_parent(t, b);

	if (p != q)
		return p < q ? -1 : 1;
	if (a == PATH_TREE_PARTIAL_ROOT || b == PATH_TREE_PARTIAL_ROOT)
		return (a == PATH_TREE_PARTIAL_ROOT) - (b == PATH_TREE_PARTIAL_ROOT);
	if (t->num_columns) {
		uint64_t x = t->inclusive[a * t->num_columns], y = t->inclusive[b * t->num_columns];
		if (x != y)
			return x > y ? -1 : 1;
	}
	return a < b ? -1 : a > b;
}

/* Walk from the root. sorted[first[node]] up to sorted[first[node + 1]] are the children of a node;
 * the next one of each level is on a stack: paths may be long. */
static void walk(struct path_tree *t, const uint32_t *sorted, const uint32_t *first,
		 uint32_t *stack)
{
	uint32_t node = PATH_TREE_ROOT, level = 0;

	stack[0] = first[PATH_TREE_ROOT];
	for (;;) {
		if (stack[level] < first[node + 1]) {
			node = sorted[stack[level]++];
			t->depth[node] = level++;
			t->order[t->num_order++] = node;
			stack[level] = first[node];
		} else if (level) {
			level--;
			node = path_tree_parent(t, node);
		} else {
			return;
		}
	}
}

static bool put_in_order(struct path_tree *t)
{
	uint32_t n = t->num_nodes, live = 0;
	uint32_t *sorted = malloc((n + (size_t)1) * sizeof *sorted);
	uint32_t *first = calloc(n + (size_t)2, sizeof *first);
	uint32_t *stack = malloc((n + (size_t)1) * sizeof *stack);
	bool ok = sorted && first && stack;

	t->order = malloc((n + (size_t)1) * sizeof *t->order);
	t->depth = calloc(n + (size_t)1, sizeof *t->depth);
	ok = ok && t->order && t->depth;
	if (ok) {
		for (uint32_t i = PATH_TREE_PARTIAL_ROOT; i < n; i++)
			if (has_value(t, i))
				sorted[live++] = i;
		qsort_r(sorted, live, sizeof *sorted, by_parent, t);
		for (uint32_t i = 0; i < live; i++)
			first[path_tree_parent(t, sorted[i]) + 1]++;
		for (uint32_t i = 1; i <= n; i++)
			first[i] += first[i - 1];
		walk(t, sorted, first, stack);
	}
	free(sorted);
	free(first);
	free(stack);
	return ok;
}

int path_tree_init(struct path_tree *t, enum path_tree_shape shape, const struct model *m,
		   const struct symbolized *c, const uint32_t *same, const uint64_t *const *columns,
		   size_t num_columns, struct error *e)
{
	uint32_t contexts = model_num_contexts(m);
	bool ok;

	*t = (struct path_tree){.shape = shape, .num_columns = num_columns};
	t->at = malloc((contexts + (size_t)1) * sizeof *t->at);
	ok = t->at != NULL;
	if (ok && shape == PATH_TREE_CONTEXTS)
		take_contexts(t, m);
	else if (ok)
		ok = fold(t, m, c, same);
	ok = ok && add_values(t, contexts, columns) && put_in_order(t);
	if (ok)
		return 0;
	path_tree_deinit(t);
	return error_memory(e, contexts * (num_columns + 1) * sizeof(uint64_t));
}

void path_tree_deinit(struct path_tree *t)
{
	if (!t)
		return;
	interner_deinit(&t->nodes);
	interner_deinit(&t->places);
	free(t->exclusive);
	free(t->inclusive);
	free(t->at);
	free(t->order);
	free(t->depth);
	*t = (struct path_tree){0};
}
