#include "hpcprof/metrics/calltree.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

/* No node has the key of a root: this is not the number of a function. */
#define ROOT_LABEL UINT32_MAX

/* Make the nodes of all contexts, parents before children. at[context] is the node of its innermost
 * frame. */
static bool fold(struct calltree *t, const struct model *m, const struct symbolized *c,
		 uint32_t *at)
{
	uint32_t contexts = model_num_contexts(m);

	at[MODEL_ROOT] = interner_add(&t->nodes, ROOT_LABEL);
	at[MODEL_PARTIAL_ROOT] =
	    interner_add(&t->nodes, (uint64_t)CALLTREE_PARTIAL_ROOT << 32 | ROOT_LABEL);
	if (t->nodes.len != CALLTREE_ROOTS)
		return false;
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		uint32_t frame = model_frame_of(m, i), node = at[model_parent(m, i)];
		for (uint32_t k = c->first[frame + 1]; k > c->first[frame]; k--) {
			const struct code_frame *f = &c->frames.at[k - 1];
			uint32_t label = f->function << 1 | f->inlined;
			node = interner_add(&t->nodes, (uint64_t)node << 32 | label);
			if (node == INTERNER_NONE)
				return false;
		}
		at[i] = node;
	}
	return true;
}

static void add_values(struct calltree *t, uint32_t contexts, const uint64_t *const *columns)
{
	size_t n = t->num_columns;
	bool saturated = false;

	for (uint32_t i = 0; i < contexts; i++) {
		uint64_t *to = &t->exclusive[t->at[i] * n];
		for (size_t k = 0; k < n; k++)
			to[k] = sum_add(to[k], columns[k][i], &saturated);
	}
	memcpy(t->inclusive, t->exclusive, t->nodes.len * n * sizeof *t->inclusive);
	for (uint32_t i = t->nodes.len; i-- > CALLTREE_ROOTS;)
		for (size_t k = 0; k < n; k++) {
			uint64_t *up = &t->inclusive[calltree_parent(t, i) * n + k];
			*up = sum_add(*up, t->inclusive[i * n + k], &saturated);
		}
}

int calltree_build(struct calltree *t, const struct model *m, const struct symbolized *c,
		   const uint64_t *const *columns, size_t num_columns, struct error *e)
{
	uint32_t contexts = model_num_contexts(m);
	bool ok;

	memset(t, 0, sizeof *t);
	t->num_columns = num_columns;
	t->at = calloc(contexts, sizeof *t->at);
	ok = t->at && fold(t, m, c, t->at);
	if (ok) {
		t->exclusive = calloc(t->nodes.len * num_columns + 1, sizeof *t->exclusive);
		t->inclusive = calloc(t->nodes.len * num_columns + 1, sizeof *t->inclusive);
		ok = t->exclusive && t->inclusive;
	}
	if (ok)
		add_values(t, contexts, columns);
	if (ok)
		return 0;
	calltree_deinit(t);
	return error_memory(e, contexts * sizeof *t->at);
}

void calltree_deinit(struct calltree *t)
{
	if (!t)
		return;
	interner_deinit(&t->nodes);
	free(t->exclusive);
	free(t->inclusive);
	free(t->at);
	memset(t, 0, sizeof *t);
}
