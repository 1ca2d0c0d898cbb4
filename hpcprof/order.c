/* The order of a finished model: the same whatever came first. */
#include "hpcprof/model.h"
#include "hpcprof/radix.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_module(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;
	const struct model_module *a = &m->modules.at[*(const uint32_t *)pa];
	const struct model_module *b = &m->modules.at[*(const uint32_t *)pb];
	int c = strcmp(a->name, b->name);

	return c ? c : compare_texts(a->build_id, b->build_id);
}

int model_compare_functions(const struct model_function *a, const struct model_function *b)
{
	int c = compare_numbers(a->module, b->module);

	if (!c)
		c = compare_texts(a->name, b->name);
	if (!c)
		c = compare_texts(a->linkage_name, b->linkage_name);
	if (!c)
		c = compare_texts(a->declared, b->declared);
	if (!c)
		c = compare_numbers(a->line, b->line);
	if (!c)
		c = compare_numbers(a->low, b->low);
	return c ? c : compare_texts(a->file, b->file);
}

/* Modules have their places by now. */
static int by_function(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;

	return model_compare_functions(&m->functions.at[*(const uint32_t *)pa],
				       &m->functions.at[*(const uint32_t *)pb]);
}

static int by_metric(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;
	const struct model_metric *a = &m->metrics.at[*(const uint32_t *)pa];
	const struct model_metric *b = &m->metrics.at[*(const uint32_t *)pb];
	int c = compare_numbers(a->position, b->position);

	if (!c)
		c = strcmp(a->name, b->name);
	if (!c)
		c = strcmp(a->unit, b->unit);
	return c ? c : compare_numbers(a->flags, b->flags);
}

/* *places: from ids to places in the order of compare; *ids: the ids in order. */
static int sort_ids(struct model *m, size_t n, int (*compare)(const void *, const void *, void *),
		    uint32_t **ids, uint32_t **places, struct error *e)
{
	*ids = malloc((n + 1) * sizeof **ids);
	*places = malloc((n + 1) * sizeof **places);
	if (!*ids || !*places) {
		free(*ids);
		free(*places);
		return error_memory(e, n * sizeof **ids);
	}
	for (size_t i = 0; i < n; i++)
		(*ids)[i] = (uint32_t)i;
	qsort_r(*ids, n, sizeof **ids, compare, m);
	for (size_t i = 0; i < n; i++)
		(*places)[(*ids)[i]] = (uint32_t)i;
	return 0;
}

/* Put the n records of size bytes at at into the order of ids. */
static int permute(void *at, size_t n, size_t size, const uint32_t *ids, struct error *e)
{
	char *copy = malloc(n * size + 1);

	if (!copy)
		return error_memory(e, n * size);
	if (n)
		memcpy(copy, at, n * size);
	for (size_t i = 0; i < n; i++)
		memcpy((char *)at + i * size, copy + ids[i] * size, size);
	free(copy);
	return 0;
}

static int order_modules(struct model *m, struct error *e)
{
	uint32_t *ids, *places;
	int rc = sort_ids(m, m->modules.len, by_module, &ids, &places, e);

	if (rc != 0)
		return rc;
	rc = permute(m->modules.at, m->modules.len, sizeof *m->modules.at, ids, e);
	for (size_t i = 0; i < m->frames.len; i++)
		m->frames.at[i].module = places[m->frames.at[i].module];
	for (size_t i = 0; i < m->functions.len; i++)
		m->functions.at[i].module = places[m->functions.at[i].module];
	free(ids);
	free(places);
	return rc;
}

static int order_functions(struct model *m, struct error *e)
{
	uint32_t *ids, *places;
	int rc;

	if (!m->functions.len)
		return 0;
	rc = sort_ids(m, m->functions.len, by_function, &ids, &places, e);
	if (rc != 0)
		return rc;
	rc = permute(m->functions.at, m->functions.len, sizeof *m->functions.at, ids, e);
	for (size_t i = 0; i < m->frames.len; i++) {
		struct model_frame *f = &m->frames.at[i];
		if (f->role >= FRAME_ADDRESSED)
			f->address =
			    (uint64_t)places[f->address >> 32] << 32 | (uint32_t)f->address;
	}
	free(ids);
	free(places);
	return rc;
}

int model_compare_frames(const struct model_frame *a, const struct model_frame *b)
{
	bool named_a = a->role >= FRAME_ADDRESSED, named_b = b->role >= FRAME_ADDRESSED;

	if (a->module != b->module)
		return compare_numbers(a->module, b->module);
	if (named_a != named_b)
		return named_a - named_b;
	if (a->address != b->address)
		return compare_numbers(a->address, b->address);
	return compare_numbers(a->role, b->role);
}

static int by_frame(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;

	return model_compare_frames(&m->frames.at[*(const uint32_t *)pa],
				    &m->frames.at[*(const uint32_t *)pb]);
}

/* The ids of the frames in order where module, address and role fit one key, so that it takes
 * no comparing. items is [2 x frames]. False if they do not. */
static bool sort_plain_frames(const struct model *m, struct radix_item *items, uint32_t *ids)
{
	size_t n = m->frames.len;
	struct radix_item *sorted;
	bool plain = true;

	for (size_t i = 0; plain && i < n; i++) {
		const struct model_frame *f = &m->frames.at[i];
		plain = f->role < FRAME_ADDRESSED && model_step_is_plain(f->module, f->address);
		items[i] = (struct radix_item){
		    (uint64_t)f->module << 48 | f->address << 1 | f->role, (uint32_t)i};
	}
	sorted = plain ? radix_sort(items, items + n, n) : NULL;
	for (size_t i = 0; plain && i < n; i++)
		ids[i] = sorted[i].id;
	return plain;
}

/* Frames in order; *places from what they were, which the caller frees in any case. */
static int order_frames(struct model *m, uint32_t **places, struct error *e)
{
	size_t n = m->frames.len;
	uint32_t *ids = malloc((n + 1) * sizeof *ids);
	struct radix_item *items = malloc((2 * n + 1) * sizeof *items);
	int rc = 0;

	*places = malloc((n + 1) * sizeof **places);
	if (!ids || !items || !*places) {
		free(ids);
		free(items);
		return error_memory(e, 2 * n * sizeof *items);
	}
	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)i;
	if (!sort_plain_frames(m, items, ids))
		qsort_r(ids, n, sizeof *ids, by_frame, m);
	free(items);
	for (size_t i = 0; i < n; i++)
		(*places)[ids[i]] = (uint32_t)i;
	rc = permute(m->frames.at, n, sizeof *m->frames.at, ids, e);
	for (size_t i = 0; i < n; i++) {
		struct model_module *mod = &m->modules.at[m->frames.at[i].module];
		if (m->frames.at[i].role >= FRAME_ADDRESSED)
			continue;
		if (!mod->num_frames)
			mod->first_frame = (uint32_t)i;
		mod->num_frames++;
	}
	free(ids);
	free(m->frame_slots);
	m->frame_slots = NULL;
	return rc;
}

/* The links of the tree of contexts; 0: none. */
struct links {
	uint32_t *child, *sibling;
};

/* Link each context to its parent, the last frame first, so that lists of siblings have the
 * frames in order. start is [frames + 1] and scratch [contexts]. */
static void link_contexts(const struct model *m, const uint32_t *frame_places, struct links *l,
			  uint32_t *start, uint32_t *scratch)
{
	uint32_t n = m->contexts.len;

	for (uint32_t c = MODEL_ROOTS; c < n; c++)
		start[frame_places[model_frame_of(m, c)] + 1]++;
	for (size_t f = 0; f < m->frames.len; f++)
		start[f + 1] += start[f];
	for (uint32_t c = MODEL_ROOTS; c < n; c++)
		scratch[start[frame_places[model_frame_of(m, c)]]++] = c;
	for (uint32_t i = n - MODEL_ROOTS; i > 0; i--) {
		uint32_t c = scratch[i - 1], up = model_parent(m, c);
		l->sibling[c] = l->child[up];
		l->child[up] = c;
	}
}

/* places: new ids, depth first, below each root in turn. */
static void number_contexts(const struct model *m, const struct links *l, uint32_t *places)
{
	uint32_t next = MODEL_ROOTS;

	for (uint32_t root = 0; root < MODEL_ROOTS; root++) {
		uint32_t c = l->child[root];
		places[root] = root;
		while (c) {
			places[c] = next++;
			if (l->child[c]) {
				c = l->child[c];
				continue;
			}
			while (c != root && !l->sibling[c])
				c = model_parent(m, c);
			c = c == root ? 0 : l->sibling[c];
		}
	}
}

static void permute_columns(struct model *m, const uint32_t *places, uint64_t *room)
{
	uint32_t n = m->contexts.len;

	for (size_t k = 0; k < m->metrics.len; k++) {
		uint64_t *columns[2] = {m->metrics.at[k].events, m->metrics.at[k].samples};
		for (int i = 0; i < 2; i++) {
			for (uint32_t c = 0; c < n; c++)
				room[places[c]] = columns[i][c];
			memcpy(columns[i], room, n * sizeof *room);
		}
	}
}

static int order_contexts(struct model *m, const uint32_t *frame_places, struct error *e)
{
	size_t n = m->contexts.len;
	uint32_t *start = calloc(m->frames.len + 2, sizeof *start);
	uint32_t *places = malloc(n * sizeof *places);
	struct links l = {calloc(n, sizeof *l.child), malloc(n * sizeof *l.sibling)};
	uint64_t *room = NULL;
	bool ok = start && places && l.child && l.sibling;

	contexts_close(&m->contexts);
	if (ok) {
		link_contexts(m, frame_places, &l, start, places);
		number_contexts(m, &l, places);
	}
	free(start);
	free(l.child);
	free(l.sibling);
	if (ok)
		room = malloc(n * sizeof *room);
	if (room) {
		permute_columns(m, places, room);
		for (uint32_t c = 0; c < n; c++) {
			uint32_t frame = model_frame_of(m, c);
			room[places[c]] = (uint64_t)places[model_parent(m, c)] << 32 |
					  (frame == MODEL_NO_FRAME ? frame : frame_places[frame]);
		}
		memcpy(m->contexts.keys, room, n * sizeof *room);
	}
	ok = room != NULL;
	free(room);
	free(places);
	return ok ? 0 : error_memory(e, n * sizeof *room);
}

static int order_metrics(struct model *m, struct error *e)
{
	uint32_t *ids, *places;
	size_t n = m->metrics.len;
	bool moved = false;
	int rc = sort_ids(m, n, by_metric, &ids, &places, e);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		moved |= ids[i] != i;
	if (moved)
		rc = permute(m->metrics.at, n, sizeof *m->metrics.at, ids, e);
	for (size_t i = 0; moved && rc == 0 && i < m->processes.len; i++) {
		struct model_process *p = &m->processes.at[i];
		struct model_sum *sums = arena_alloc(&m->arena, n * sizeof *sums);
		if (!sums)
			rc = error_memory(e, n * sizeof *sums);
		for (uint32_t k = 0; sums && k < p->num_sums; k++)
			sums[places[k]] = p->sums[k];
		p->sums = sums;
		p->num_sums = (uint32_t)n;
	}
	free(ids);
	free(places);
	return rc;
}

/* By path; everything else only tells apart what has the same path. */
static int by_process(const void *pa, const void *pb)
{
	const struct model_process *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);

	if (!c)
		c = compare_numbers(a->start_ns, b->start_ns);
	if (!c)
		c = compare_numbers(a->pid, b->pid);
	if (!c)
		c = strcmp(a->host, b->host);
	if (!c)
		c = strcmp(a->command, b->command);
	if (!c)
		c = strcmp(a->executable, b->executable);
	if (!c)
		c = strcmp(a->end, b->end);
	if (!c)
		c = strcmp(a->tool, b->tool);
	if (!c)
		c = compare_numbers(a->wall_ns, b->wall_ns);
	if (!c)
		c = compare_numbers(a->cpu_ns, b->cpu_ns);
	if (!c)
		c = compare_numbers(a->threads, b->threads);
	for (uint32_t i = 0; !c && i < a->num_sums && i < b->num_sums; i++) {
		c = compare_numbers(a->sums[i].events, b->sums[i].events);
		if (!c)
			c = compare_numbers(a->sums[i].samples, b->sums[i].samples);
	}
	return c;
}

/* A sum that reached the end may have passed it: which of the two, nobody can tell from the
 * sum alone, and it must not depend on the order of adding. */
static bool at_end(const struct model_metric *k)
{
	bool end = k->total.events == UINT64_MAX || k->total.samples == UINT64_MAX;

	for (size_t i = 0; i < k->account.len; i++)
		end |=
		    k->account.at[i].samples == UINT64_MAX || k->account.at[i].weight == UINT64_MAX;
	return end;
}

int model_finish(struct model *m, struct error *e)
{
	uint32_t *frame_places = NULL;
	int rc = 0;

	for (size_t i = 0; i < m->metrics.len; i++) {
		if (!model_reach(m, &m->metrics.at[i], m->contexts.len - 1))
			return error_memory(e, m->contexts.len * sizeof(uint64_t));
		m->saturated |= at_end(&m->metrics.at[i]);
	}
	if (order_modules(m, e) != 0 || order_functions(m, e) != 0 ||
	    order_frames(m, &frame_places, e) != 0 || order_contexts(m, frame_places, e) != 0 ||
	    order_metrics(m, e) != 0)
		rc = -1;
	free(frame_places);
	if (rc == 0 && m->processes.len)
		qsort(m->processes.at, m->processes.len, sizeof *m->processes.at, by_process);
	return rc;
}
