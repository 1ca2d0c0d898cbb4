/* From what was read to the model. */
#include "hpcprof/import/parsed.h"

#include "formats/datafile.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"

#include <stdlib.h>
#include <string.h>

struct filling {
	const struct parsed *p;
	struct model *m;
	struct error *e;
	uint32_t part;
	uint32_t *metrics; /* of the file -> of the model */
	const char *tool;  /* of the model */
	struct interner functions;
	VEC(uint32_t) function_ids; /* [functions] of the model */
	struct interner known;      /* node << 1, + 1 for its own values */
	VEC(uint32_t) contexts;     /* [known] of the model */
	VEC(uint32_t) path;         /* nodes, innermost first */
	struct interner places;     /* function << 32 | line */
	struct interner frames;     /* place << 32 | role */
	VEC(uint32_t) frame_ids;    /* [frames] of the model */
	/* [processes], [threads + 1]: the last is what is of no thread */
	struct metric_sums *by_process, *by_thread;
};

static int out_of_memory(struct filling *f)
{
	if (f->m->contexts.len >= UINT32_MAX - 1)
		return error_set(f->e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	return error_memory(f->e, 0);
}

static struct reader_text as_text(const char *s)
{
	return (struct reader_text){s, (uint32_t)strlen(s)};
}

static bool is_chosen(const struct filling *f, uint32_t thread)
{
	return f->part == PARSED_ALL ||
	       (thread == PARSED_NONE ? f->part == PARSED_OF_NONE : f->part == thread);
}

/* ---- metrics ----------------------------------------------------------------------- */

/* Metrics of one file are different, even if their names are the same. */
enum { ORDINAL_SHIFT = 32 };

static int add_metrics(struct filling *f)
{
	for (size_t i = 0; i < f->p->metrics.len; i++) {
		const struct parsed_metric *from = &f->p->metrics.at[i];
		uint64_t flags = from->sampled ? CSP_METRIC_ASYNC : 0;
		struct model_metric *to;
		for (size_t k = 0; k < i; k++)
			if (strcmp(f->p->metrics.at[k].name, from->name) == 0 &&
			    strcmp(f->p->metrics.at[k].unit, from->unit) == 0)
				flags += UINT64_C(1) << ORDINAL_SHIFT;
		f->metrics[i] = model_metric(f->m, as_text(from->name), as_text(from->unit), flags);
		if (f->metrics[i] == UINT32_MAX)
			return out_of_memory(f);
		to = &f->m->metrics.at[f->metrics[i]];
		if (i < to->position)
			to->position = (uint32_t)i;
		if (from->period > to->interval)
			to->interval = from->period;
	}
	return 0;
}

/* ---- contexts ---------------------------------------------------------------------- */

static bool same_text(struct filling *f, const char *from, const char **to)
{
	*to = from ? model_text(f->m, from, strlen(from)) : NULL;
	return *to || !from;
}

static uint32_t add_function(struct filling *f, const struct parsed_function *from)
{
	const struct parsed_module *module = &f->p->modules.at[from->module];
	struct model_function to = {.line = from->line};

	to.module = model_module(f->m, as_text(module->name), as_text(module->build_id));
	if (to.module == UINT32_MAX || !same_text(f, from->name, &to.name) ||
	    !same_text(f, from->linkage_name, &to.linkage_name) ||
	    !same_text(f, from->file, &to.file) || !same_text(f, from->declared, &to.declared))
		return UINT32_MAX;
	return model_function(f->m, &to);
}

/* The model's function. Its name may be long, so it is copied once. */
static uint32_t function_of(struct filling *f, uint32_t function)
{
	uint32_t id = interner_add(&f->functions, function);

	if (id == f->function_ids.len &&
	    !vec_push(&f->function_ids, add_function(f, &f->p->functions.at[function])))
		return UINT32_MAX;
	return id < f->function_ids.len ? f->function_ids.at[id] : UINT32_MAX;
}

/* Add the frame of a line of a function. */
static uint32_t add_frame(struct filling *f, uint32_t function, uint32_t line, enum frame_role role)
{
	uint32_t id = function_of(f, function);

	return id == UINT32_MAX ? id : model_named_frame(f->m, id, line, role);
}

/* Add the context of a node under a context. */
static uint32_t add_context(struct filling *f, uint32_t parent, const struct parsed_node *n,
			    bool point)
{
	bool inlined = n->inlined && n->parent >= PARSED_ROOTS;
	enum frame_role role = (inlined ? FRAME_NAMED_INLINED_POINT : FRAME_NAMED_POINT) + !point;
	uint32_t place = interner_add(&f->places, (uint64_t)n->function << 32 | n->line), id;

	id =
	    place == INTERNER_NONE ? place : interner_add(&f->frames, (uint64_t)place << 32 | role);
	if (id == INTERNER_NONE)
		return UINT32_MAX;
	if (id == f->frame_ids.len &&
	    !vec_push(&f->frame_ids, add_frame(f, n->function, n->line, role)))
		return UINT32_MAX;
	if (id >= f->frame_ids.len || f->frame_ids.at[id] == UINT32_MAX)
		return UINT32_MAX;
	return model_context(f->m, parent, f->frame_ids.at[id]);
}

/* The context of a node, as a call or for its own values. */
static uint32_t context_of(struct filling *f, uint32_t node, bool point)
{
	uint32_t at = node, context, known = INTERNER_NONE;

	f->path.len = 0;
	for (; at >= PARSED_ROOTS; at = f->p->nodes.at[at].parent) {
		known = interner_find(&f->known, (uint64_t)at << 1 | (at == node && point));
		if (known < f->contexts.len)
			break;
		if (!vec_push(&f->path, at))
			return UINT32_MAX;
	}
	context = at == PARSED_ROOT           ? MODEL_ROOT
		  : at == PARSED_PARTIAL_ROOT ? MODEL_PARTIAL_ROOT
					      : f->contexts.at[known];
	while (f->path.len) {
		bool own;
		at = f->path.at[--f->path.len];
		own = at == node && point;
		context = add_context(f, context, &f->p->nodes.at[at], own);
		if (context == UINT32_MAX ||
		    interner_add(&f->known, (uint64_t)at << 1 | own) != f->contexts.len ||
		    !vec_push(&f->contexts, context))
			return UINT32_MAX;
	}
	return context;
}

/* Sampled values belong to the instruction, others to the call. */
static int add_value(struct filling *f, const struct parsed_value *v)
{
	const struct model_sum value = {v->events, v->samples};
	uint32_t id = f->metrics[v->metric], process = 0;
	uint32_t thread = v->thread == PARSED_NONE ? (uint32_t)f->p->threads.len : v->thread;
	bool point = f->p->flat || f->p->metrics.at[v->metric].sampled;
	uint32_t context = context_of(f, v->node, point);
	struct model_metric *to = &f->m->metrics.at[id];

	if (context == UINT32_MAX || !model_reach(f->m, to, context))
		return out_of_memory(f);
	to->events[context] = sum_add(to->events[context], v->events, &f->m->saturated);
	to->samples[context] = sum_add(to->samples[context], v->samples, &f->m->saturated);
	to->total.events = sum_add(to->total.events, v->events, &f->m->saturated);
	to->total.samples = sum_add(to->total.samples, v->samples, &f->m->saturated);
	if (f->part != PARSED_ALL)
		return 0;
	if (v->thread != PARSED_NONE)
		process = f->p->threads.at[v->thread].process;
	return metric_sums_add(&f->by_process[process], &f->m->arena, id, value) &&
		       metric_sums_add(&f->by_thread[thread], &f->m->arena, id, value)
		   ? 0
		   : out_of_memory(f);
}

/* ---- processes and threads --------------------------------------------------------- */

/* Whether the numbers of samples are not those of the file. */
static bool is_estimated(const struct parsed *p)
{
	bool none = true, some = false;

	for (size_t i = 0; i < p->metrics.len; i++) {
		none &= !p->metrics.at[i].counted;
		some |= p->metrics.at[i].sampled && !p->metrics.at[i].counted;
	}
	return none || some;
}

static int add_process(struct filling *f, uint32_t i, const uint32_t *threads, const char *path)
{
	const struct parsed_process *from = &f->p->processes.at[i];
	struct model_process to = {
	    .path = parsed_process_path(f->p, i, path, &f->m->arena),
	    .command = model_text(f->m, from->command, strlen(from->command)),
	    .tool = f->tool,
	    .pid = from->pid,
	    .start_ns = from->start_ns,
	    .wall_ns = from->wall_ns,
	    .sums = f->by_process[i],
	    .has_sums = f->m->metrics.len,
	    .threads = threads[i],
	    .has_pid = from->has_pid,
	    .has_start = from->has_start,
	    .has_wall = from->has_wall,
	    .has_trailer = true,
	    .estimated = is_estimated(f->p),
	    .flat = f->p->flat,
	    .foreign = true,
	};

	to.executable = to.host = to.end = to.unmarked = to.uninterpreted = model_text(f->m, "", 0);
	if (!to.path || !to.command || !to.executable)
		return out_of_memory(f);
	return vec_push(&f->m->processes, to) ? 0 : out_of_memory(f);
}

static int add_processes(struct filling *f, const char *path)
{
	uint32_t *threads = calloc(f->p->processes.len, sizeof *threads);
	int rc = 0;

	if (!threads)
		return error_memory(f->e, f->p->processes.len * sizeof *threads);
	f->tool = model_text(f->m, f->p->tool, strlen(f->p->tool));
	rc = f->tool ? 0 : out_of_memory(f);
	for (size_t i = 0; i < f->p->threads.len; i++)
		threads[f->p->threads.at[i].process]++;
	for (uint32_t i = 0; rc == 0 && i < f->p->processes.len; i++)
		rc = add_process(f, i, threads, path);
	free(threads);
	return rc;
}

/* The threads, and after them what is of none, if there are threads. */
static int add_threads(struct filling *f)
{
	size_t n = f->p->threads.len;

	for (size_t i = 0; n && i <= n; i++) {
		const struct parsed_thread *from = i < n ? &f->p->threads.at[i] : NULL;
		const char *name = from ? from->name : "";
		struct model_threads group = {.kind = THREAD_NOT_SAID, .sums = f->by_thread[i]};
		if (!from && !f->by_thread[i].len)
			continue;
		if (from) {
			group.kind = from->main ? THREAD_MAIN : THREAD_CREATED;
			group.threads = 1;
		}
		group.first = group.last = model_text(f->m, name, strlen(name));
		group.pattern = group.first ? model_thread_pattern(f->m, group.first) : NULL;
		if (!group.pattern || !model_add_threads(f->m, &group))
			return out_of_memory(f);
	}
	return 0;
}

/* ---- all --------------------------------------------------------------------------- */

static int fill(struct filling *f, const char *path)
{
	int rc = add_metrics(f);

	/* a part is of one thread, of which there may be many */
	if (f->part == PARSED_ALL) {
		f->by_process = calloc(f->p->processes.len + 1, sizeof *f->by_process);
		f->by_thread = calloc(f->p->threads.len + 1, sizeof *f->by_thread);
		if (!f->by_process || !f->by_thread)
			rc = out_of_memory(f);
	}
	for (size_t i = 0; rc == 0 && i < f->p->values.len; i++)
		if (is_chosen(f, f->p->values.at[i].thread))
			rc = add_value(f, &f->p->values.at[i]);
	f->m->saturated |= f->p->saturated;
	if (f->part != PARSED_ALL)
		return rc;
	if (rc == 0)
		rc = add_processes(f, path);
	return rc == 0 ? add_threads(f) : rc;
}

int parsed_fill(const struct parsed *p, struct model *m, const char *path, uint32_t part,
		struct error *e)
{
	struct filling f = {.p = p, .m = m, .e = e, .part = part};
	int rc;

	f.metrics = calloc(p->metrics.len + 1, sizeof *f.metrics);
	rc = f.metrics ? fill(&f, path) : out_of_memory(&f);
	free(f.metrics);
	free(f.by_process);
	free(f.by_thread);
	interner_deinit(&f.known);
	vec_free(&f.contexts);
	vec_free(&f.path);
	interner_deinit(&f.functions);
	vec_free(&f.function_ids);
	interner_deinit(&f.places);
	interner_deinit(&f.frames);
	vec_free(&f.frame_ids);
	return rc;
}
