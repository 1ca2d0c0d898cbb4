/* Sorts a model's frames, contexts and values. */
#include "hpcprof/model/sorted_model.h"

#include "hpcprof/model/hugepage.h"
#include "hpcprof/model/radix.h"

#include <stdlib.h>
#include <string.h>

void sorted_model_deinit(struct sorted_model *o)
{
	if (!o)
		return;
	free(o->frames);
	free(o->keys);
	for (size_t i = 0; o->columns && i < o->num_columns; i++)
		free(o->columns[i]);
	free(o->columns);
	*o = (struct sorted_model){0};
}

/* f with the new ids of its module and function. */
static struct model_frame placed(struct model_frame f, const struct sorted_places *p)
{
	f.module = p->modules[f.module];
	if (f.role >= FRAME_ADDRESSED)
		f.address = (uint64_t)p->functions[f.address >> 32] << 32 | (uint32_t)f.address;
	return f;
}

/* Module, address and role as one number, in the order of model_compare_frames. False if they do
 * not fit. */
static bool frame_key(const struct model_frame *f, uint64_t *key)
{
	*key = (uint64_t)f->module << 48 | f->address << 1 | f->role;
	return model_frame_is_plain(f);
}

static struct model_frame key_frame(uint64_t key)
{
	return (struct model_frame){.address = key >> 1 & ((UINT64_C(1) << 47) - 1),
				    .module = (uint32_t)(key >> 48),
				    .role = key & 1};
}

/* ---- frames -------------------------------------------------------------------------- */

/* Put the keys of the frames of all contexts into items, followed by those of the model's other
 * frames. False if a frame has no key. */
static bool collect_keys(const struct model *m, const struct sorted_places *p,
			 struct radix_item *items)
{
	const struct contexts *c = &m->contexts;
	uint32_t n = c->len - MODEL_ROOTS;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = i + MODEL_ROOTS, frame = model_frame_of(m, id);
		uint64_t step = frame == MODEL_NO_FRAME ? contexts_step(c, id) : 0;
		struct model_frame f;
		if (step & MODEL_STEP_FRAME)
			frame = (uint32_t)step;
		f = frame == MODEL_NO_FRAME ? model_plain_frame(step) : m->frames.at[frame];
		f = placed(f, p);
		items[i].id = id;
		if (!frame_key(&f, &items[i].key))
			return false;
	}
	for (size_t i = 0; i < m->frames.len; i++) {
		struct model_frame f = placed(m->frames.at[i], p);
		items[n + i].id = MODEL_ROOT; /* not of a context; the root's frame is set later */
		if (!frame_key(&f, &items[n + i].key))
			return false;
	}
	return true;
}

/* Make a frame of each distinct key, in order. */
static int number_keys(struct sorted_model *o, struct model *m, const struct radix_item *sorted,
		       size_t n, struct error *e)
{
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++)
		distinct += !i || sorted[i].key != sorted[i - 1].key;
	o->frames = hugepage_alloc((distinct + 1) * sizeof *o->frames);
	if (!o->frames)
		return error_memory(e, distinct * sizeof *o->frames);
	for (size_t i = 0; i < n; i++) {
		if (!i || sorted[i].key != sorted[i - 1].key)
			o->frames[o->num_frames++] = key_frame(sorted[i].key);
		contexts_set_frame(&m->contexts, sorted[i].id, (uint32_t)o->num_frames - 1);
	}
	contexts_set_frame(&m->contexts, MODEL_ROOT, MODEL_NO_FRAME);
	return 0;
}

static int compare_placed(const void *pa, const void *pb, void *frames)
{
	const struct model_frame *at = frames;

	return model_compare_frames(&at[*(const uint32_t *)pa], &at[*(const uint32_t *)pb]);
}

/* Sort by comparing, if not all frames have keys. */
static int compare_frames(struct sorted_model *o, struct model *m, const struct sorted_places *p,
			  struct error *e)
{
	size_t n = model_make_frames(m) ? m->frames.len : 0;
	uint32_t *ids = malloc((n + 1) * sizeof *ids), *to = malloc((n + 1) * sizeof *to);

	o->frames = malloc((n + 1) * sizeof *o->frames);
	if (!n || !ids || !to || !o->frames) {
		free(ids);
		free(to);
		return error_memory(e, n * sizeof *o->frames);
	}
	for (size_t i = 0; i < n; i++) {
		ids[i] = (uint32_t)i;
		m->frames.at[i] = placed(m->frames.at[i], p);
	}
	qsort_r(ids, n, sizeof *ids, compare_placed, m->frames.at);
	for (size_t i = 0; i < n; i++) {
		o->frames[i] = m->frames.at[ids[i]];
		to[ids[i]] = (uint32_t)i;
	}
	o->num_frames = n;
	for (uint32_t c = MODEL_ROOTS; c < m->contexts.len; c++)
		contexts_set_frame(&m->contexts, c, to[model_frame_of(m, c)]);
	free(ids);
	free(to);
	return 0;
}

/* Sort the frames. Afterwards the model's contexts have frames of o. */
static int order_frames(struct sorted_model *o, struct model *m, const struct sorted_places *p,
			struct error *e)
{
	size_t n = m->contexts.len - MODEL_ROOTS + m->frames.len;
	struct radix_item *items = hugepage_alloc((2 * n + 1) * sizeof *items);
	int rc;

	if (!items)
		return error_memory(e, 2 * n * sizeof *items);
	if (collect_keys(m, p, items)) {
		rc = number_keys(o, m, radix_sort(items, items + n, n), n, e);
		free(items);
	} else {
		free(items);
		rc = compare_frames(o, m, p, e);
	}
	return rc;
}

/* ---- contexts ------------------------------------------------------------------------ */

/* Put the children of all contexts into kids, each as frame << 32 | id, those of a context in the
 * order of their frames. start[p] ([contexts + 1]) is where the children of p begin. Contexts of
 * one file have ids near each other, so most accesses are local. */
static int gather_kids(const struct model *m, uint32_t *start, uint64_t *kids, struct error *e)
{
	uint32_t n = m->contexts.len, most = 0;
	uint64_t *room;

	for (uint32_t c = MODEL_ROOTS; c < n; c++)
		start[model_parent(m, c) + 1]++;
	for (uint32_t p = 0; p < n; p++) {
		most = start[p + 1] > most ? start[p + 1] : most;
		start[p + 1] += start[p];
	}
	room = malloc((most + (size_t)1) * sizeof *room);
	if (!room)
		return error_memory(e, most * sizeof *room);
	for (uint32_t c = MODEL_ROOTS; c < n; c++)
		kids[start[model_parent(m, c)]++] = (uint64_t)model_frame_of(m, c) << 32 | c;
	memmove(start + 1, start, n * sizeof *start);
	start[0] = 0;
	for (uint32_t p = 0; p < n; p++)
		radix_sort_words(kids + start[p], room, start[p + 1] - start[p]);
	free(room);
	return 0;
}

/* Set places[c] to the position of c in depth-first order. sizes is working memory. */
static void number_contexts(const struct model *m, const uint32_t *start, const uint64_t *kids,
			    uint32_t *sizes, uint32_t *places)
{
	uint32_t n = m->contexts.len;

	for (uint32_t c = 0; c < n; c++)
		sizes[c] = 1;
	for (uint32_t c = n - 1; c >= MODEL_ROOTS; c--)
		sizes[model_parent(m, c)] += sizes[c];
	for (uint32_t p = 0, below; p < n; p++) {
		if (p < MODEL_ROOTS) {
			below = p == MODEL_ROOT ? MODEL_ROOTS : MODEL_ROOTS + sizes[MODEL_ROOT] - 1;
			places[p] = p;
		} else {
			below = places[p] + 1;
		}
		for (uint32_t k = start[p]; k < start[p + 1]; k++) {
			uint32_t c = (uint32_t)kids[k];
			places[c] = below;
			below += sizes[c];
		}
	}
}

/* Move keys and columns to their new positions. Each old table is the room for the next new one. */
static int permute(struct sorted_model *o, struct model *m, const struct sorted_places *p,
		   const uint32_t *places, struct error *e)
{
	uint32_t n = m->contexts.len;
	uint64_t *room = hugepage_alloc(m->contexts.cap * sizeof *room);

	o->num_columns = 2 * p->num_metrics;
	o->columns = calloc(o->num_columns + 1, sizeof *o->columns);
	if (!room || !o->columns) {
		free(room);
		return error_memory(e, n * sizeof *room);
	}
	for (uint32_t c = 0; c < n; c++)
		room[places[c]] = (uint64_t)places[model_parent(m, c)] << 32 | model_frame_of(m, c);
	o->keys = room;
	o->num_contexts = n;
	room = m->contexts.keys;
	m->contexts.keys = NULL;
	for (size_t i = 0; i < m->metrics.len; i++) {
		struct model_metric *metric = &m->metrics.at[i];
		uint64_t **from[2] = {&metric->events, &metric->samples};
		uint64_t **to = &o->columns[2 * (p->metrics ? p->metrics[i] : i)];
		for (int k = 0; k < 2 && metric->capacity; k++) {
			uint64_t *old = *from[k];
			for (uint32_t c = 0; c < n; c++)
				room[places[c]] = old[c];
			to[k] = room;
			room = old;
			*from[k] = NULL;
		}
		metric->capacity = 0;
	}
	free(room);
	return 0;
}

static int order_contexts(struct sorted_model *o, struct model *m, const struct sorted_places *p,
			  struct error *e)
{
	size_t n = m->contexts.len;
	uint32_t *start = hugepage_zeroed((n + 1) * sizeof *start);
	uint32_t *sizes = hugepage_alloc(n * sizeof *sizes),
		 *places = hugepage_alloc(n * sizeof *places);
	uint64_t *kids = hugepage_alloc(n * sizeof *kids);
	int rc = start && sizes && places && kids ? gather_kids(m, start, kids, e)
						  : error_memory(e, n * sizeof *kids);

	if (rc == 0)
		number_contexts(m, start, kids, sizes, places);
	free(start);
	free(sizes);
	free(kids);
	if (rc == 0)
		rc = permute(o, m, p, places, e);
	free(places);
	return rc;
}

int sorted_model_take(struct sorted_model *o, struct model *m, const struct sorted_places *places,
		      struct error *e)
{
	int rc;

	*o = (struct sorted_model){0};
	contexts_close(&m->contexts);
	for (size_t i = 0; i < m->metrics.len; i++)
		if (m->metrics.at[i].capacity &&
		    !model_reach(m, &m->metrics.at[i], m->contexts.cap - 1))
			return error_memory(e, m->contexts.len * sizeof(uint64_t));
	rc = order_frames(o, m, places, e);
	free(m->contexts.paths);
	m->contexts.paths = NULL;
	if (rc == 0)
		rc = order_contexts(o, m, places, e);
	if (rc != 0)
		sorted_model_deinit(o);
	return rc;
}

static int give_column(uint64_t **from, uint64_t **to, uint32_t n, struct error *e)
{
	*to = *from ? *from : hugepage_zeroed(n * sizeof **to);
	*from = NULL;
	return *to ? 0 : error_memory(e, n * sizeof **to);
}

int sorted_model_give(struct sorted_model *o, struct model *m, struct error *e)
{
	int rc = 0;

	vec_free(&m->frames);
	m->frames.at = o->frames;
	m->frames.len = m->frames.cap = o->num_frames;
	m->contexts.keys = o->keys;
	m->contexts.len = m->contexts.cap = m->framed = o->num_contexts;
	o->frames = NULL;
	o->keys = NULL;
	for (size_t i = 0; rc == 0 && i < m->metrics.len; i++) {
		struct model_metric *metric = &m->metrics.at[i];
		rc = give_column(&o->columns[2 * i], &metric->events, o->num_contexts, e);
		if (rc == 0)
			rc = give_column(&o->columns[2 * i + 1], &metric->samples, o->num_contexts,
					 e);
		metric->capacity = o->num_contexts;
	}
	sorted_model_deinit(o);
	return rc;
}
