/* Merges two sorted trees of contexts. */
#include "hpcprof/model/hugepage.h"
#include "hpcprof/model/sorted_model.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>

enum { AHEAD = 32 }; /* contexts ahead whose frames, at random addresses, are prefetched */

/* New ids by the ids of both trees. */
struct maps {
	uint32_t *frames[2], *contexts[2];
};

static void free_maps(struct maps *x)
{
	for (int k = 0; k < 2; k++) {
		free(x->frames[k]);
		free(x->contexts[k]);
	}
}

static int zip_frames(struct sorted_model *to, const struct sorted_model *a,
		      const struct sorted_model *b, struct maps *x, struct error *e)
{
	size_t i = 0, k = 0, n = 0;

	to->frames = hugepage_alloc((a->num_frames + b->num_frames + 1) * sizeof *to->frames);
	if (!to->frames)
		return error_memory(e, (a->num_frames + b->num_frames) * sizeof *to->frames);
	while (i < a->num_frames || k < b->num_frames) {
		int c = i == a->num_frames   ? 1
			: k == b->num_frames ? -1
					     : model_compare_frames(&a->frames[i], &b->frames[k]);
		to->frames[n] = c <= 0 ? a->frames[i] : b->frames[k];
		x->frames[0][i] = x->frames[1][k] = (uint32_t)n++;
		i += c <= 0;
		k += c >= 0;
	}
	to->num_frames = n;
	return 0;
}

/* The next context of a tree, as a number: of two trees, the greater one comes first. The parents
 * of both contexts are on the path to the context that was written last. The deeper parent has the
 * higher id, so its child comes first; of siblings, the one with the lower frame. The ids of the
 * two roots are swapped, because the first root's tree comes before the second's. 0: no context is
 * left. */
static inline uint64_t next_of(const struct sorted_model *o, uint32_t i, const uint32_t *contexts,
			       const uint32_t *frames)
{
	uint64_t key, parent;

	if (i >= o->num_contexts)
		return 0;
	if (i + AHEAD < o->num_contexts)
		__builtin_prefetch(&frames[(uint32_t)o->keys[i + AHEAD]]);
	key = o->keys[i];
	parent = contexts[key >> 32];
	parent ^= parent < MODEL_ROOTS;
	return parent << 32 | (uint32_t)~frames[(uint32_t)key];
}

static int zip_contexts(struct sorted_model *to, const struct sorted_model *a,
			const struct sorted_model *b, struct maps *x, struct error *e)
{
	uint64_t most = (uint64_t)a->num_contexts + b->num_contexts, n = MODEL_ROOTS;
	uint32_t i = MODEL_ROOTS, k = MODEL_ROOTS;

	to->keys = hugepage_alloc(most * sizeof *to->keys);
	if (!to->keys)
		return error_memory(e, most * sizeof *to->keys);
	for (uint32_t root = 0; root < MODEL_ROOTS; root++) {
		to->keys[root] = a->keys[root];
		x->contexts[0][root] = x->contexts[1][root] = root;
	}
	while (i < a->num_contexts || k < b->num_contexts) {
		uint64_t of_a = next_of(a, i, x->contexts[0], x->frames[0]);
		uint64_t of_b = next_of(b, k, x->contexts[1], x->frames[1]);
		uint64_t next = of_a > of_b ? of_a : of_b, parent = next >> 32;
		parent ^= parent < MODEL_ROOTS;
		to->keys[n] = parent << 32 | (uint32_t)~next;
		x->contexts[0][i] = x->contexts[1][k] = (uint32_t)n++;
		i += of_a >= of_b;
		k += of_b >= of_a;
	}
	if (n >= CONTEXT_NONE)
		return error_set(e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	to->num_contexts = (uint32_t)n;
	return 0;
}

static void add_column(uint64_t *restrict to, const uint64_t *restrict from,
		       const uint32_t *restrict contexts, uint32_t n)
{
	for (uint32_t c = 0; from && c < n; c++) {
		bool passed = false;
		to[contexts[c]] = sum_add(to[contexts[c]], from[c], &passed);
	}
}

static int zip_columns(struct sorted_model *to, struct sorted_model *a, struct sorted_model *b,
		       const struct maps *x, struct error *e)
{
	to->num_columns = a->num_columns;
	to->columns = calloc(to->num_columns + 1, sizeof *to->columns);
	if (!to->columns)
		return error_memory(e, to->num_columns * sizeof *to->columns);
	for (size_t i = 0; i < to->num_columns; i++) {
		if (!a->columns[i] && !b->columns[i])
			continue;
		to->columns[i] = hugepage_zeroed(to->num_contexts * sizeof **to->columns);
		if (!to->columns[i])
			return error_memory(e, to->num_contexts * sizeof **to->columns);
		add_column(to->columns[i], a->columns[i], x->contexts[0], a->num_contexts);
		add_column(to->columns[i], b->columns[i], x->contexts[1], b->num_contexts);
		free(a->columns[i]);
		free(b->columns[i]);
		a->columns[i] = b->columns[i] = NULL;
	}
	return 0;
}

int sorted_model_zip(struct sorted_model *o, struct sorted_model *from, struct error *e)
{
	const struct sorted_model *both[2] = {o, from};
	struct sorted_model to = {0};
	struct maps x = {0};
	bool ok = true;
	int rc;

	/* one more element each: at the end of a tree, the element after the last is also
	 * written */
	for (int k = 0; k < 2; k++) {
		x.frames[k] = hugepage_alloc((both[k]->num_frames + 1) * sizeof *x.frames[k]);
		x.contexts[k] =
		    hugepage_alloc(((size_t)both[k]->num_contexts + 1) * sizeof *x.contexts[k]);
		ok &= x.frames[k] && x.contexts[k];
	}
	rc = ok ? zip_frames(&to, o, from, &x, e)
		: error_memory(e, o->num_contexts * sizeof(uint32_t));
	if (rc == 0)
		rc = zip_contexts(&to, o, from, &x, e);
	if (rc == 0) {
		free(o->keys);
		free(from->keys);
		o->keys = from->keys = NULL;
		rc = zip_columns(&to, o, from, &x, e);
	}
	free_maps(&x);
	sorted_model_deinit(from);
	sorted_model_deinit(o);
	if (rc == 0)
		*o = to;
	else
		sorted_model_deinit(&to);
	return rc;
}
