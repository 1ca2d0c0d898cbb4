/* Joins two models that different threads filled. */
#include "hpcprof/model/join.h"

#include "hpcprof/model/model.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"
#include "hpcprof/model/values.h"

#include <stdlib.h>
#include <string.h>

/* Maps ids of from to ids of to. */
struct join {
	struct model *to;
	struct model *from;
	uint32_t *modules, *functions, *metrics; /* join_facts */
	uint32_t *frames, *contexts;             /* model_join */
	struct interner text_ids;                /* of texts of from, by address */
	model_texts texts;                       /* the same texts in to, by id */
};
enum {
	AHEAD = 128,      /* contexts whose slots are prefetched at a time */
	GIVE_BACK = 1024, /* processes whose memory is freed at a time */
};

static struct reader_text text(const char *s)
{
	return (struct reader_text){s ? s : "", s ? (uint32_t)strlen(s) : 0};
}

/* The same text, interned in to; NULL for NULL. */
static const char *again(struct join *j, const char *s, bool *ok)
{
	uint32_t id;
	const char *t;

	if (!s)
		return NULL;
	id = interner_add(&j->text_ids, (uintptr_t)s);
	if (id < j->texts.len)
		return j->texts.at[id];
	t = id == INTERNER_NONE ? NULL : model_text(j->to, s, strlen(s));
	if (!t || !vec_push(&j->texts, t))
		*ok = false;
	return t;
}

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

/* Keep the best source of names, and the first reason in alphabetical order. */
static bool join_names(struct join *j, struct model_module *to, const struct model_module *from)
{
	bool ok = true;
	const char *why = again(j, from->why, &ok);

	if (!from->has_names)
		return ok;
	if (!to->has_names || from->best < to->best)
		to->best = from->best;
	to->has_names = true;
	to->stale |= from->stale;
	if (why && (!to->why || strcmp(why, to->why) < 0))
		to->why = why;
	return ok;
}

static bool join_modules(struct join *j)
{
	bool ok = true;

	for (size_t i = 0; ok && i < j->from->modules.len; i++) {
		const struct model_module *mod = &j->from->modules.at[i];
		const char *image = again(j, mod->image, &ok);
		uint32_t id = model_module(j->to, text(mod->name), text(mod->build_id));
		struct model_module *to;
		if (!ok || id == UINT32_MAX)
			return false;
		to = &j->to->modules.at[id];
		to->assumed |= mod->assumed;
		to->is_source |= mod->is_source;
		ok = join_names(j, to, mod);
		if (image && (!to->image || strcmp(image, to->image) < 0))
			to->image = image;
		j->modules[i] = id;
	}
	for (size_t i = 0; ok && i < j->from->functions.len; i++) {
		const struct model_function *f = &j->from->functions.at[i];
		struct model_function copy = {.name = again(j, f->name, &ok),
					      .linkage_name = again(j, f->linkage_name, &ok),
					      .file = again(j, f->file, &ok),
					      .line = f->line,
					      .module = j->modules[f->module],
					      .declared = again(j, f->declared, &ok),
					      .low = f->low,
					      .source = f->source};
		j->functions[i] = ok ? model_function(j->to, &copy) : UINT32_MAX;
		ok = j->functions[i] != UINT32_MAX;
	}
	return ok;
}

static bool join_frames(struct join *j)
{
	bool ok = true;

	for (size_t i = 0; ok && i < j->from->frames.len; i++) {
		const struct model_frame *f = &j->from->frames.at[i];
		if (f->role >= FRAME_ADDRESSED)
			j->frames[i] =
			    model_named_frame(j->to, j->functions[f->address >> 32],
					      (uint32_t)f->address, (enum frame_role)f->role);
		else
			j->frames[i] = model_frame(j->to, j->modules[f->module], f->address,
						   (enum frame_role)f->role);
		ok = j->frames[i] != UINT32_MAX;
	}
	return ok;
}

static bool join_account(struct join *j, struct model_metric *to, const struct model_metric *from)
{
	for (size_t i = 0; i < from->account.len; i++) {
		const struct model_account *row = &from->account.at[i];
		struct model_account *sum = model_account_row(j->to, to, text(row->disposition));
		if (!sum)
			return false;
		add(&sum->samples, row->samples);
		add(&sum->weight, row->weight);
	}
	return true;
}

static bool join_list(struct join *j, model_texts *to, const model_texts *from)
{
	model_texts list = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < from->len; i++) {
		const char *s = again(j, from->at[i], &ok);
		ok = ok && vec_push(&list, s);
	}
	ok = ok && model_list_texts(to, &list);
	vec_free(&list);
	return ok;
}

static bool join_metric(struct join *j, size_t i)
{
	const struct model_metric *from = &j->from->metrics.at[i];
	struct model_metric *to;
	uint32_t id = model_metric(j->to, text(from->name), text(from->unit), from->flags);

	if (id == UINT32_MAX)
		return false;
	j->metrics[i] = id;
	to = &j->to->metrics.at[id];
	add(&to->total.events, from->total.events);
	add(&to->total.samples, from->total.samples);
	add(&to->unaccounted.events, from->unaccounted.events);
	add(&to->unaccounted.samples, from->unaccounted.samples);
	add(&to->cost, from->cost);
	add(&to->enabled, from->enabled);
	add(&to->running, from->running);
	to->kernel |= from->kernel;
	to->has_account |= from->has_account;
	if (from->interval > to->interval)
		to->interval = from->interval;
	if (from->position < to->position)
		to->position = from->position;
	return join_list(j, &to->sources, &from->sources) &&
	       join_list(j, &to->requested, &from->requested) &&
	       join_list(j, &to->achieved, &from->achieved) &&
	       join_list(j, &to->jitters, &from->jitters) && join_account(j, to, from);
}

static bool join_contexts(struct join *j)
{
	struct contexts *to = &j->to->contexts;
	const struct contexts *from = &j->from->contexts;
	uint64_t paths[AHEAD];

	for (uint32_t i = 0; i < MODEL_ROOTS; i++)
		j->contexts[i] = i;
	for (uint32_t first = MODEL_ROOTS, n; first < from->len; first += n) {
		n = from->len - first < AHEAD ? from->len - first : AHEAD;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t up = model_parent(j->from, first + k);
			uint64_t step =
			    model_step(j->to, j->frames[model_frame_of(j->from, first + k)]);
			paths[k] = contexts_path(
			    up >= first ? paths[up - first] : to->paths[j->contexts[up]], step);
			contexts_prefetch(to, paths[k]);
		}
		for (uint32_t k = 0; k < n; k++) {
			uint32_t up = j->contexts[model_parent(j->from, first + k)];
			uint32_t id = contexts_find(to, up, paths[k]);
			if (id == CONTEXT_NONE)
				id = contexts_insert(to, up, paths[k],
						     j->frames[model_frame_of(j->from, first + k)]);
			if (id == CONTEXT_NONE)
				return false;
			j->contexts[first + k] = id;
		}
	}
	return true;
}

static bool join_values(struct join *j)
{
	for (size_t i = 0; i < j->from->metrics.len; i++) {
		const struct model_metric *from = &j->from->metrics.at[i];
		struct model_metric *to = &j->to->metrics.at[j->metrics[i]];
		uint32_t n = j->from->contexts.len;
		if (n > from->capacity)
			n = from->capacity;
		if (!model_reach(j->to, to, j->to->contexts.len - 1))
			return false;
		for (uint32_t c = 0; c < n; c++) {
			add(&to->events[j->contexts[c]], from->events[c]);
			add(&to->samples[j->contexts[c]], from->samples[c]);
		}
	}
	return true;
}

/* Add a process. Its path and sums are in the arena that the model has adopted. */
static bool join_process(struct join *j, const struct model_process *from)
{
	struct model *to = j->to;
	struct model_process p = *from;
	bool ok = true;

	p.command = again(j, from->command, &ok);
	p.executable = again(j, from->executable, &ok);
	p.host = again(j, from->host, &ok);
	p.end = again(j, from->end, &ok);
	p.tool = again(j, from->tool, &ok);
	p.unmarked = again(j, from->unmarked, &ok);
	p.uninterpreted = again(j, from->uninterpreted, &ok);
	metric_sums_move(&p.sums, j->metrics);
	return ok && vec_push(&to->processes, p);
}

/* There may be many processes: free those that were moved on the way. */
static bool join_processes(struct join *j)
{
	while (j->from->processes.len) {
		size_t left = j->from->processes.len - 1;
		void *shorter = NULL;
		if (!join_process(j, &j->from->processes.at[left]))
			return false;
		j->from->processes.len = left;
		if (left && left % GIVE_BACK == 0)
			shorter =
			    realloc(j->from->processes.at, left * sizeof(struct model_process));
		if (shorter) {
			j->from->processes.at = shorter;
			j->from->processes.cap = left;
		}
	}
	return true;
}

static int cannot_join(const struct join *j, struct error *e)
{
	if (j->to->contexts.len >= CONTEXT_NONE - 1)
		return error_set(e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	return error_memory(e, j->from->contexts.len * sizeof(uint64_t));
}

static bool join_all_facts(struct join *j)
{
	bool ok = j->modules && j->functions && j->metrics && join_modules(j);

	for (size_t i = 0; ok && i < j->from->metrics.len; i++)
		ok = join_metric(j, i);
	for (size_t i = 0; ok && i < j->from->threads.len; i++)
		ok = model_join_threads(j->to, &j->from->threads.at[i], j->metrics, j->modules,
					j->functions);
	return ok && model_join_values(j->to, j->from, j->modules) && join_processes(j);
}

int join_facts(struct model *m, struct model *from, struct joined *out, struct error *e)
{
	struct join j = {.to = m, .from = from};
	bool ok;

	j.modules = out->modules = malloc((from->modules.len + 1) * sizeof *j.modules);
	j.functions = out->functions = malloc((from->functions.len + 1) * sizeof *j.functions);
	j.metrics = out->metrics = calloc(from->metrics.len + 1, sizeof *j.metrics);
	arena_adopt(&m->arena, &from->arena);
	ok = join_all_facts(&j);
	interner_deinit(&j.text_ids);
	vec_free(&j.texts);
	m->has_labels |= from->has_labels;
	m->saturated |= from->saturated;
	return ok ? 0 : cannot_join(&j, e);
}

void join_deinit(struct joined *x)
{
	if (!x)
		return;
	free(x->modules);
	free(x->functions);
	free(x->metrics);
}

int model_join(struct model *m, struct model *from, struct error *e)
{
	struct joined facts = {0};
	struct join j = {.to = m, .from = from};
	int rc = join_facts(m, from, &facts, e);

	if (rc != 0) {
		join_deinit(&facts);
		return rc;
	}
	j.modules = facts.modules;
	j.functions = facts.functions;
	j.metrics = facts.metrics;
	if (!model_make_frames(from))
		rc = cannot_join(&j, e);
	j.frames = malloc((from->frames.len + 1) * sizeof *j.frames);
	j.contexts = calloc(from->contexts.len, sizeof *j.contexts);
	if (rc == 0 &&
	    !(j.frames && j.contexts && join_frames(&j) && join_contexts(&j) && join_values(&j)))
		rc = cannot_join(&j, e);
	join_deinit(&facts);
	free(j.frames);
	free(j.contexts);
	return rc;
}
