#include "hpcprof/model/match.h"

#include "formats/base/search.h"
#include "formats/identity/content_id.h"
#include "hpcprof/model/labels.h"

#include <stdlib.h>
#include <string.h>

/* Modules are the same if their build-ids are equal, or, without build-ids, their names and hashes
 * of contents; as in model_module. */
static int compare_identities(const struct model_module *a, const struct model_module *b)
{
	int c;

	if (!a->build_id != !b->build_id)
		return a->build_id ? 1 : -1;
	c = a->build_id ? strcmp(a->build_id, b->build_id) : 0;
	if (c || (a->build_id && !content_id_is(a->build_id, strlen(a->build_id))))
		return c;
	return strcmp(a->name, b->name);
}

static int by_identity(const void *pa, const void *pb, void *context)
{
	const struct model *m = context;

	return compare_identities(&m->modules.at[*(const uint32_t *)pa],
				  &m->modules.at[*(const uint32_t *)pb]);
}

int match_index_create(struct match_index *x, const struct model *m, struct error *e)
{
	uint32_t n = model_num_contexts(m) - MODEL_ROOTS;

	*x = (struct match_index){.m = m};
	x->modules = malloc((m->modules.len + 1) * sizeof *x->modules);
	if (!x->modules || !interner_over(&x->contexts, m->contexts.keys + MODEL_ROOTS, n)) {
		match_index_deinit(x);
		return error_memory(e, (n + m->modules.len + 1) * sizeof *x->modules);
	}
	for (uint32_t i = 0; i < m->modules.len; i++)
		x->modules[i] = i;
	qsort_r(x->modules, m->modules.len, sizeof *x->modules, by_identity, (void *)m);
	return 0;
}

void match_index_deinit(struct match_index *x)
{
	if (!x)
		return;
	interner_deinit(&x->contexts);
	free(x->modules);
	x->modules = NULL;
}

static uint32_t find_module(const struct match_index *x, const struct model_module *mod)
{
	const struct model_module *all = x->m->modules.at;
	size_t n = x->m->modules.len;
	size_t at = SEARCH_FIRST(i, 0, n, compare_identities(mod, &all[x->modules[i]]) <= 0);

	return at < n && compare_identities(mod, &all[x->modules[at]]) == 0 ? x->modules[at]
									    : MATCH_NONE;
}

/* Find f, whose module is already that of the finished model. */
static uint32_t find_function(const struct model *m, const struct model_function *f)
{
	const struct model_function *all = m->functions.at;
	size_t n = m->functions.len;
	size_t at = SEARCH_FIRST(i, 0, n, model_compare_functions(f, &all[i]) <= 0);

	return at < n && model_compare_functions(f, &all[at]) == 0 ? (uint32_t)at : MATCH_NONE;
}

/* Find f among the frames of its module, or, for a frame that came with its name, among all
 * frames. */
static uint32_t find_frame(const struct model *m, const struct model_frame *f)
{
	const struct model_frame *all = m->frames.at;
	size_t first = 0, end = m->frames.len, at;

	if (f->role < FRAME_ADDRESSED) {
		first = m->modules.at[f->module].first_frame;
		end = first + m->modules.at[f->module].num_frames;
	}
	at = SEARCH_FIRST(i, first, end, model_compare_frames(f, &all[i]) <= 0);
	return at < end && model_compare_frames(f, &all[at]) == 0 ? (uint32_t)at : MATCH_NONE;
}

static uint32_t match_function(const struct match *x, struct model_function f)
{
	f.module = x->modules.at[f.module];
	return f.module == MATCH_NONE ? MATCH_NONE : find_function(x->index->m, &f);
}

static uint32_t match_frame(const struct match *x, struct model_frame f)
{
	f.module = x->modules.at[f.module];
	if (f.module == MATCH_NONE)
		return MATCH_NONE;
	if (f.role >= FRAME_ADDRESSED) {
		uint32_t function = x->functions.at[f.address >> 32];
		if (function == MATCH_NONE)
			return MATCH_NONE;
		f.address = (uint64_t)function << 32 | (uint32_t)f.address;
	}
	return find_frame(x->index->m, &f);
}

static uint32_t match_context(const struct match *x, const struct model *from, uint32_t c)
{
	uint32_t up, frame, found;

	if (c < MODEL_ROOTS)
		return c;
	up = x->contexts.at[model_parent(from, c)];
	frame = model_frame_of(from, c);
	if (x->through_labels && model_frame_is_label(from, frame))
		return up;
	frame = x->frames.at[frame];
	if (up == MATCH_NONE || frame == MATCH_NONE)
		return MATCH_NONE;
	found = interner_find(&x->index->contexts, (uint64_t)up << 32 | frame);
	return found == INTERNER_NONE ? MATCH_NONE : found + MODEL_ROOTS;
}

bool match_extend(struct match *x, const struct model *from)
{
	bool ok = true;

	for (size_t i = x->modules.len; ok && i < from->modules.len; i++)
		ok = vec_push(&x->modules, find_module(x->index, &from->modules.at[i]));
	for (size_t i = x->functions.len; ok && i < from->functions.len; i++)
		ok = vec_push(&x->functions, match_function(x, from->functions.at[i]));
	for (size_t i = x->frames.len; ok && i < from->frames.len; i++)
		ok = vec_push(&x->frames, match_frame(x, from->frames.at[i]));
	for (size_t i = x->contexts.len; ok && i < model_num_contexts(from); i++)
		ok = vec_push(&x->contexts, match_context(x, from, (uint32_t)i));
	return ok;
}

void match_deinit(struct match *x)
{
	if (!x)
		return;
	vec_free(&x->modules);
	vec_free(&x->functions);
	vec_free(&x->frames);
	vec_free(&x->contexts);
}
