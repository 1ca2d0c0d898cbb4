/* Two ordered trees of contexts into one. */
#include "hpcprof/large.h"
#include "hpcprof/ordered.h"
#include "hpcprof/sum.h"

#include <stdlib.h>

enum { AHEAD = 32 }; /* contexts whose frames, which lie anywhere, are fetched before their turn */

/* What becomes of the ids of both. */
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

static int unite_frames(struct ordered *to, const struct ordered *a, const struct ordered *b,
			struct maps *x, struct error *e)
{
	size_t i = 0, k = 0, n = 0;

	to->frames = large_room((a->num_frames + b->num_frames + 1) * sizeof *to->frames);
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

/* What comes next of a tree, as a number that is greater the sooner it comes. The parents of
 * both are on the path to what came last, so the one with the deeper parent, which has the
 * higher number, is first, and of siblings the one with the lower frame. The roots, of which the
 * first has all of its tree before the other's, change places. 0: nothing. */
static inline uint64_t next_of(const struct ordered *o, uint32_t i, const uint32_t *contexts,
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

static int unite_contexts(struct ordered *to, const struct ordered *a, const struct ordered *b,
			  struct maps *x, struct error *e)
{
	uint64_t most = (uint64_t)a->num_contexts + b->num_contexts, n = MODEL_ROOTS;
	uint32_t i = MODEL_ROOTS, k = MODEL_ROOTS;

	to->keys = large_room(most * sizeof *to->keys);
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

static int unite_columns(struct ordered *to, struct ordered *a, struct ordered *b,
			 const struct maps *x, struct error *e)
{
	to->num_columns = a->num_columns;
	to->columns = calloc(to->num_columns + 1, sizeof *to->columns);
	if (!to->columns)
		return error_memory(e, to->num_columns * sizeof *to->columns);
	for (size_t i = 0; i < to->num_columns; i++) {
		if (!a->columns[i] && !b->columns[i])
			continue;
		to->columns[i] = large_zeroed(to->num_contexts * sizeof **to->columns);
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

int ordered_unite(struct ordered *o, struct ordered *from, struct error *e)
{
	const struct ordered *both[2] = {o, from};
	struct ordered to = {0};
	struct maps x = {0};
	bool ok = true;
	int rc;

	/* one more of each: of the one that is at its end the last is written, too */
	for (int k = 0; k < 2; k++) {
		x.frames[k] = large_room((both[k]->num_frames + 1) * sizeof *x.frames[k]);
		x.contexts[k] =
		    large_room(((size_t)both[k]->num_contexts + 1) * sizeof *x.contexts[k]);
		ok &= x.frames[k] && x.contexts[k];
	}
	rc = ok ? unite_frames(&to, o, from, &x, e)
		: error_memory(e, o->num_contexts * sizeof(uint32_t));
	if (rc == 0)
		rc = unite_contexts(&to, o, from, &x, e);
	if (rc == 0) {
		free(o->keys);
		free(from->keys);
		o->keys = from->keys = NULL;
		rc = unite_columns(&to, o, from, &x, e);
	}
	free_maps(&x);
	ordered_deinit(from);
	ordered_deinit(o);
	if (rc == 0)
		*o = to;
	else
		ordered_deinit(&to);
	return rc;
}
