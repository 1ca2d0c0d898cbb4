#include "hpcprof/correlate/under.h"

#include "formats/base/interner.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_KEPT = MODEL_ROOT }; /* the place of a context that is not kept */

struct under {
	struct model *m;
	struct symbolized *c;
	const bool *marks;
	uint32_t *cuts; /* [frames]: 1 + the frame that begins at a marked function; 0: none yet */
	struct interner nodes; /* key: parent << 32 | frame, ids as found; node id + MODEL_ROOTS */
	uint32_t *places;      /* [contexts]: the node, or NOT_KEPT */
};

/* Of the frame's chain, the outermost marked code frame, or the end of the chain. */
static uint32_t outermost_marked(const struct under *u, uint32_t frame)
{
	uint32_t end = u->c->first[frame + 1];

	for (uint32_t k = end; k-- > u->c->first[frame];)
		if (u->marks[u->c->frames.at[k].function])
			return k;
	return end;
}

/* Add a copy of the frame, whose chain ends with code frame `last`. */
static bool add_cut(struct under *u, uint32_t frame, uint32_t last)
{
	size_t n = u->m->frames.len;
	uint32_t *first = realloc(u->c->first, (n + 2) * sizeof *first);

	if (!first)
		return false;
	u->c->first = first;
	for (uint32_t k = first[frame]; k <= last; k++) {
		struct code_frame copy = u->c->frames.at[k];
		copy.inlined &= k < last;
		if (!vec_push(&u->c->frames, copy))
			return false;
	}
	first[n + 1] = (uint32_t)u->c->frames.len;
	u->c->functions.at[u->c->frames.at[last].function].standing = true;
	return vec_push(&u->m->frames, (struct model_frame){u->m->frames.at[frame].address,
							    u->m->frames.at[frame].module,
							    u->m->frames.at[frame].role});
}

/* The frame that begins at its outermost marked function, in *out. 0 if it has none, -1 if memory
 * ran out. */
static int begin_at(struct under *u, uint32_t frame, uint32_t *out)
{
	uint32_t last = outermost_marked(u, frame);

	if (last == u->c->first[frame + 1])
		return 0;
	*out = frame;
	if (last + 1 == u->c->first[frame + 1])
		return 1;
	if (!u->cuts[frame]) {
		if (!add_cut(u, frame, last))
			return -1;
		u->cuts[frame] = (uint32_t)u->m->frames.len;
	}
	*out = u->cuts[frame] - 1;
	return 1;
}

static bool place(struct under *u, uint32_t context, uint32_t parent, uint32_t frame)
{
	uint32_t id = interner_add(&u->nodes, (uint64_t)parent << 32 | frame);

	u->places[context] = id + MODEL_ROOTS;
	return id != INTERNER_NONE;
}

/* Find the place of each context. Parents come before their children. */
static int place_all(struct under *u, struct error *e)
{
	uint32_t n = model_num_contexts(u->m);

	for (uint32_t i = MODEL_ROOTS; i < n; i++) {
		uint32_t up = u->places[model_parent(u->m, i)], frame = model_frame_of(u->m, i);
		int begins = up != NOT_KEPT ? 1 : begin_at(u, frame, &frame);
		if (begins < 0 || (begins && !place(u, i, up, frame)))
			return error_memory(e, n);
	}
	return 0;
}

static int by_key(const void *pa, const void *pb, void *context)
{
	const uint64_t *keys = context;
	uint64_t a = keys[*(const uint32_t *)pa], b = keys[*(const uint32_t *)pb];

	return (a > b) - (a < b);
}

/* The tree of the nodes. */
struct under_tree {
	uint32_t *sorted; /* [nodes] indices of nodes, by parent and frame */
	uint32_t
	    *first; /* the children of node id are sorted[first[id]] .. sorted[first[id + 1] - 1] */
	uint32_t *finals; /* [node ids] their ids in the finished model */
	uint64_t *keys;   /* [node ids] by final id: as in struct contexts */
};

static void sort_children(const struct under *u, struct under_tree *t)
{
	uint32_t n = u->nodes.len;

	for (uint32_t i = 0; i < n; i++) {
		t->sorted[i] = i;
		t->first[(u->nodes.keys[i] >> 32) + 1]++;
	}
	for (uint32_t id = 0; id < n + MODEL_ROOTS; id++)
		t->first[id + 1] += t->first[id];
	if (n)
		qsort_r(t->sorted, n, sizeof *t->sorted, by_key, u->nodes.keys);
}

/* Give the nodes ids depth first, siblings in the order of their frames. */
static bool number(const struct under *u, struct under_tree *t)
{
	struct range {
		uint32_t at, end;
	};
	VEC(struct range) stack = {0};
	uint32_t next = MODEL_ROOTS;
	bool ok;

	for (uint32_t root = 0; root < MODEL_ROOTS; root++) {
		t->keys[root] = u->m->contexts.keys[root];
		t->finals[root] = root;
	}
	if (!u->nodes.keys)
		return true;
	ok = vec_push(&stack, (struct range){t->first[MODEL_ROOT], t->first[MODEL_ROOT + 1]});
	while (ok && stack.len) {
		struct range *top = &stack.at[stack.len - 1];
		if (top->at == top->end) {
			stack.len--;
			continue;
		}
		uint32_t i = t->sorted[top->at++], id = i + MODEL_ROOTS;
		uint64_t key = u->nodes.keys[i];
		t->finals[id] = next;
		t->keys[next++] = (uint64_t)t->finals[key >> 32] << 32 | (uint32_t)key;
		ok = vec_push(&stack, (struct range){t->first[id], t->first[id + 1]});
	}
	vec_free(&stack);
	return ok;
}

/* Move a column's values to their new places. scratch is [node ids]. */
static void move_values(const struct under *u, const struct under_tree *t, uint64_t *values,
			uint64_t *scratch, bool *saturated)
{
	uint32_t n = model_num_contexts(u->m), kept = u->nodes.len + MODEL_ROOTS;

	memset(scratch, 0, kept * sizeof *scratch);
	for (uint32_t i = MODEL_ROOTS; i < n; i++) {
		if (u->places[i] == NOT_KEPT || !values[i])
			continue;
		uint64_t *to = &scratch[t->finals[u->places[i]]];
		*to = sum_add(*to, values[i], saturated);
	}
	memset(values, 0, n * sizeof *values);
	memcpy(values, scratch, kept * sizeof *values);
}

static void rebuild(struct under *u, const struct under_tree *t, uint64_t *scratch)
{
	struct model *m = u->m;
	uint32_t kept = u->nodes.len + MODEL_ROOTS;

	for (size_t k = 0; k < m->metrics.len; k++) {
		move_values(u, t, m->metrics.at[k].events, scratch, &m->saturated);
		move_values(u, t, m->metrics.at[k].samples, scratch, &m->saturated);
	}
	memcpy(m->contexts.keys, t->keys, kept * sizeof *t->keys);
	m->contexts.len = kept;
	m->framed = kept;
}

static int rebuild_all(struct under *u, struct error *e)
{
	size_t ids = (size_t)u->nodes.len + MODEL_ROOTS;
	struct under_tree t = {.sorted = malloc(ids * sizeof *t.sorted),
			       .first = calloc(ids + 2, sizeof *t.first),
			       .finals = malloc(ids * sizeof *t.finals),
			       .keys = malloc(ids * sizeof *t.keys)};
	uint64_t *scratch = malloc(ids * sizeof *scratch);
	bool ok = t.sorted && t.first && t.finals && t.keys && scratch;

	if (ok) {
		sort_children(u, &t);
		ok = number(u, &t);
	}
	if (ok)
		rebuild(u, &t, scratch);
	free(t.sorted);
	free(t.first);
	free(t.finals);
	free(t.keys);
	free(scratch);
	return ok ? 0 : error_memory(e, ids * sizeof *t.keys);
}

int under_keep(struct model *m, struct symbolized *c, const bool *marks, struct error *e)
{
	struct under u = {.m = m, .c = c, .marks = marks};
	int rc = 0;

	u.cuts = calloc(m->frames.len + 1, sizeof *u.cuts);
	u.places = calloc((size_t)model_num_contexts(m) + 1, sizeof *u.places);
	if (!u.cuts || !u.places)
		rc = error_memory(e, model_num_contexts(m) * sizeof *u.places);
	if (rc == 0)
		rc = place_all(&u, e);
	if (rc == 0)
		rc = rebuild_all(&u, e);
	free(u.cuts);
	free(u.places);
	interner_deinit(&u.nodes);
	return rc;
}
