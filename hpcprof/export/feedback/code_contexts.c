#include "hpcprof/export/feedback/code_contexts.h"

#include "formats/base/search.h"
#include "hpcprof/export/feedback/calls.h"
#include "hpcprof/export/feedback/frequencies.h"
#include "hpcprof/export/feedback/taken.h"
#include "hpcprof/metrics/activations.h"

#include <stdlib.h>

/* A context with so many samples counts for as much as all contexts of its procedure together, when
 * its executions are estimated. */
#define PRIOR_SAMPLES 50

#define PLACE_NONE UINT32_MAX

/* ---- the contexts on call paths ---------------------------------------------------- */

static struct context_place find_place(const struct feedback_module *m, uint64_t address)
{
	size_t at = feedback_instruction_at(m, address);

	if (at == m->code.len)
		return (struct context_place){PLACE_NONE, PLACE_NONE};
	return (struct context_place){(uint32_t)at, (uint32_t)feedback_find(m, address)};
}

static bool find_places(struct code_contexts *s)
{
	const struct model_module *mod = &s->f->m->modules.at[s->m->module];

	s->first_frame = mod->first_frame;
	s->num_places = mod->num_frames;
	s->places = calloc(mod->num_frames + 1, sizeof *s->places);
	for (uint32_t i = 0; s->places && i < mod->num_frames; i++)
		s->places[i] = find_place(s->m, s->f->m->frames.at[mod->first_frame + i].address);
	return s->places;
}

/* Where in m a frame of the model is. */
static struct context_place place_of(const struct code_contexts *s, uint32_t context)
{
	uint32_t frame = context < MODEL_ROOTS ? MODEL_NO_FRAME : model_frame_of(s->f->m, context);

	if (frame == MODEL_NO_FRAME || frame < s->first_frame ||
	    frame - s->first_frame >= s->num_places)
		return (struct context_place){PLACE_NONE, PLACE_NONE};
	return s->places[frame - s->first_frame];
}

static uint32_t context_at(struct code_contexts *s, uint32_t shorter, uint32_t call,
			   uint32_t procedure)
{
	uint64_t key = shorter == CONTEXT_NONE ? procedure : (uint64_t)(shorter + 1) << 32 | call;
	uint32_t id = interner_add(&s->keys, key);
	struct code_context new = {.shorter = shorter, .call = call, .procedure = procedure};

	if (id == INTERNER_NONE || id < s->all.len)
		return id;
	if (shorter != CONTEXT_NONE)
		new.calls = s->all.at[shorter].calls + 1;
	return vec_push(&s->all, new) ? id : CONTEXT_NONE;
}

/* The context of a procedure whose frame is this one of the model's. CONTEXT_NONE if memory ran
 * out. */
static uint32_t find_context(struct code_contexts *s, uint32_t frame, uint32_t procedure)
{
	const struct feedback_module *m = s->m;
	uint32_t seen[CONTEXT_MOST_CALLS + 1] = {procedure}, n = 1;
	uint32_t at = context_at(s, CONTEXT_NONE, 0, procedure);

	while (at != CONTEXT_NONE && n <= CONTEXT_MOST_CALLS) {
		struct context_place call;
		uint32_t known = 0;
		frame = taken_caller(s->f, frame);
		call = place_of(s, frame);
		if (call.instruction == PLACE_NONE)
			break;
		while (known < n && seen[known] != call.procedure)
			known++;
		if (known < n || !m->procedures.at[call.procedure].has_lines)
			break;
		seen[n++] = call.procedure;
		at = context_at(s, at, call.instruction, procedure);
	}
	return at;
}

/* Add samples of a frame's context, at a place of the frame. */
static bool add_at(struct code_contexts *s, uint32_t frame, struct context_place at, double near,
		   uint64_t samples)
{
	uint32_t context = find_context(s, frame, at.procedure);

	if (context == CONTEXT_NONE)
		return false;
	s->all.at[context].near += near;
	s->all.at[context].samples += samples;
	return !samples ||
	       vec_push(&s->samples, (struct context_samples){.context = context,
							      .instruction = at.instruction,
							      .samples = samples});
}

/* Add a frame with samples in it or below. */
static bool add_samples(struct code_contexts *s, uint32_t frame, double near)
{
	const struct feedback *f = s->f;
	struct context_place at = place_of(s, frame);
	uint32_t id = model_frame_of(f->m, frame);
	bool is_placed = at.instruction != PLACE_NONE;

	if (f->exact[frame] && f->index[f->m->frames.at[id].module] != FEEDBACK_NONE &&
	    &f->modules.at[f->index[f->m->frames.at[id].module]] == s->m) {
		struct context_place exact = find_place(s->m, f->m->frames.at[id].address + 1);
		if (exact.instruction != PLACE_NONE &&
		    !add_at(s, frame, exact, is_placed ? 0 : near, f->exact[frame]))
			return false;
	}
	return !is_placed || add_at(s, frame, at, near, f->taken[frame]);
}

/* Add the call that leads to a frame, if it can have several targets. */
static bool add_call(struct code_contexts *s, uint32_t frame, const struct samples_below *below)
{
	uint32_t function = activations_function(s->f->c, model_frame_of(s->f->m, frame));
	uint32_t parent = taken_caller(s->f, frame), context;
	struct context_place at = place_of(s, parent);
	uint64_t address;

	if (function == ACTIVATIONS_NONE || at.instruction == PLACE_NONE ||
	    s->m->code.at[at.instruction].target)
		return true;
	address = s->f->m->frames.at[model_frame_of(s->f->m, parent)].address;
	context = find_context(s, parent, at.procedure);
	return context != CONTEXT_NONE &&
	       vec_push(&s->calls, (struct context_call){.context = context,
							 .call = {.address = address,
								  .function = function,
								  .samples = below->all,
								  .near = below->near}});
}

static bool walk(struct code_contexts *s)
{
	uint32_t n = model_num_contexts(s->f->m);
	struct samples_below *below = calls_below(s->f);
	bool ok = below;

	for (uint32_t i = MODEL_ROOTS; ok && i < n; i++) {
		if (below[i].all && !taken_in_script(s->f, i))
			ok = add_samples(s, i, below[i].near) && add_call(s, i, &below[i]);
	}
	free(below);
	return ok;
}

/* ---- those with few samples -------------------------------------------------------- */

static int by_instruction(const void *pa, const void *pb)
{
	const struct context_samples *a = pa, *b = pb;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

static int by_call(const void *pa, const void *pb)
{
	const struct context_call *a = pa, *b = pb;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->call.address != b->call.address)
		return a->call.address < b->call.address ? -1 : 1;
	return a->call.function < b->call.function ? -1 : a->call.function > b->call.function;
}

static void join(struct code_contexts *s)
{
	size_t n = 0;

	if (s->samples.len)
		qsort(s->samples.at, s->samples.len, sizeof *s->samples.at, by_instruction);
	for (size_t i = 0; i < s->samples.len; i++)
		if (n && by_instruction(&s->samples.at[n - 1], &s->samples.at[i]) == 0)
			s->samples.at[n - 1].samples += s->samples.at[i].samples;
		else
			s->samples.at[n++] = s->samples.at[i];
	s->samples.len = n;
	n = 0;
	if (s->calls.len)
		qsort(s->calls.at, s->calls.len, sizeof *s->calls.at, by_call);
	for (size_t i = 0; i < s->calls.len; i++) {
		if (n && by_call(&s->calls.at[n - 1], &s->calls.at[i]) == 0) {
			s->calls.at[n - 1].call.samples += s->calls.at[i].call.samples;
			s->calls.at[n - 1].call.near += s->calls.at[i].call.near;
		} else {
			s->calls.at[n++] = s->calls.at[i];
		}
	}
	s->calls.len = n;
}

/* The caller of a context needs its own. */
static void need_caller(struct code_contexts *s, const struct code_context *c)
{
	const struct feedback_module *m = s->m;
	uint32_t calls[CONTEXT_MOST_CALLS], n = 0, at = INTERNER_NONE;

	for (; c->shorter != CONTEXT_NONE; c = &s->all.at[c->shorter])
		calls[n++] = c->call; /* outermost first */
	while (n-- > 0) {
		uint64_t key = at == INTERNER_NONE ? feedback_find(m, m->code.at[calls[n]].address)
						   : (uint64_t)(at + 1) << 32 | calls[n];
		at = interner_find(&s->keys, key);
		if (at == INTERNER_NONE)
			return;
	}
	s->all.at[at].needed = true;
}

static void fold_one(struct code_contexts *s, uint32_t i, uint64_t least, uint32_t *as)
{
	struct code_context *c = &s->all.at[i];

	as[i] = i;
	if (c->shorter == CONTEXT_NONE)
		return;
	if (c->needed || c->samples >= least) {
		need_caller(s, c);
		return;
	}
	s->all.at[c->shorter].samples += c->samples;
	s->all.at[c->shorter].near += c->near;
	c->samples = 0;
	c->near = 0;
	as[i] = c->shorter;
}

/* Count contexts with few samples as shorter ones. */
static bool fold(struct code_contexts *s)
{
	uint64_t part = s->m->samples / CONTEXT_LEAST_PART;
	uint64_t least = part > CONTEXT_LEAST_SAMPLES ? part : CONTEXT_LEAST_SAMPLES;
	uint32_t *as = malloc((s->all.len + 1) * sizeof *as);

	for (uint32_t calls = CONTEXT_MOST_CALLS + 1; as && calls-- > 0;)
		for (uint32_t i = 0; i < s->all.len; i++)
			if (s->all.at[i].calls == calls)
				fold_one(s, i, least, as);
	for (size_t i = 0; as && i < s->all.len; i++)
		as[i] = as[as[i]]; /* that of a shorter one is final */
	for (size_t i = 0; as && i < s->samples.len; i++)
		s->samples.at[i].context = as[s->samples.at[i].context];
	for (size_t i = 0; as && i < s->calls.len; i++)
		s->calls.at[i].context = as[s->calls.at[i].context];
	free(as);
	return as != NULL;
}

bool code_contexts_find(struct code_contexts *s, const struct feedback *f,
			const struct feedback_module *m)
{
	s->f = f;
	s->m = m;
	s->near = calloc(m->procedures.len + 1, sizeof *s->near);
	if (!s->near || !find_places(s) || !walk(s) || !fold(s))
		return false;
	for (size_t i = 0; i < s->all.len; i++)
		s->near[s->all.at[i].procedure] += s->all.at[i].near;
	join(s);
	return true;
}

void code_contexts_deinit(struct code_contexts *s)
{
	if (!s)
		return;
	interner_deinit(&s->keys);
	free(s->near);
	free(s->places);
	vec_free(&s->all);
	vec_free(&s->samples);
	vec_free(&s->calls);
}

/* ---- the code of a context --------------------------------------------------------- */

static bool copy_code(const struct code_contexts *s, uint32_t context, struct feedback_module *view)
{
	const struct feedback_procedure *p = &s->m->procedures.at[s->all.at[context].procedure];
	size_t n = s->samples.len;
	size_t i = SEARCH_FIRST(k, 0, n, s->samples.at[k].context >= context);

	view->code.at = calloc(p->num + 1, sizeof *view->code.at);
	if (!view->code.at)
		return false;
	view->code.len = p->num;
	view->code.cap = p->num + 1;
	for (size_t k = 0; k < p->num; k++) {
		view->code.at[k] = s->m->code.at[p->first + k];
		view->code.at[k].samples = 0;
	}
	for (; i < n && s->samples.at[i].context == context; i++)
		view->code.at[s->samples.at[i].instruction - p->first].samples +=
		    s->samples.at[i].samples;
	return true;
}

/* The procedure's own executions, as far as there are samples for that, and else its part of all.
 */
static bool set_executions(const double *before, double part, struct feedback_module *view)
{
	const struct feedback_procedure *p = &view->procedures.at[0];
	double own = (double)p->samples / ((double)p->samples + PRIOR_SAMPLES);

	if (!frequencies_estimate(view))
		return false;
	for (size_t i = 0; i < p->num; i++) {
		double *to = &view->code.at[i].executions;
		*to = own * *to + (1 - own) * part * before[i];
	}
	return true;
}

/* The context's part of the calls of its procedure. */
static double part_of(const struct code_contexts *s, uint32_t context)
{
	double all = s->near[s->all.at[context].procedure];

	return all > 0 ? s->all.at[context].near / all : 0;
}

static bool find_executions(const struct code_contexts *s, uint32_t context,
			    struct feedback_module *view)
{
	const struct feedback_procedure *all = &s->m->procedures.at[s->all.at[context].procedure];
	struct feedback_procedure p = *all;
	double *before = calloc(all->num + 1, sizeof *before);
	double part = part_of(s, context);
	bool ok;

	p.first = 0;
	p.samples = s->all.at[context].samples;
	p.entered *= part;
	p.entered_weight = part > 0 ? p.entered_weight / (part * part) : 0;
	for (size_t i = 0; before && i < all->num; i++)
		before[i] = s->m->code.at[all->first + i].executions;
	ok = before && vec_push(&view->procedures, p) && set_executions(before, part, view);
	free(before);
	return ok;
}

/* How many calls a sample that is near stands for, in all contexts. */
static double each_of(const struct code_contexts *s, const struct feedback_call *call)
{
	const struct feedback_module *m = s->m;
	size_t next = SEARCH_FIRST(k, 0, m->calls.len, m->calls.at[k].address >= call->address);

	for (; next < m->calls.len && m->calls.at[next].address == call->address; next++)
		if (m->calls.at[next].function == call->function)
			return m->calls.at[next].near > 0
				   ? m->calls.at[next].share / m->calls.at[next].near
				   : 0;
	return 0;
}

/* Make the shares of each address add up to 1. */
static void share(struct feedback_module *view)
{
	for (size_t i = 0, end; i < view->calls.len; i = end) {
		double sum = 0;
		for (end = i; end < view->calls.len &&
			      view->calls.at[end].address == view->calls.at[i].address;
		     end++)
			sum += view->calls.at[end].share;
		for (size_t k = i; sum > 0 && k < end; k++)
			view->calls.at[k].share /= sum;
	}
}

static bool find_calls(const struct code_contexts *s, uint32_t context,
		       struct feedback_module *view)
{
	size_t n = s->calls.len;
	size_t i = SEARCH_FIRST(k, 0, n, s->calls.at[k].context >= context);

	for (; i < n && s->calls.at[i].context == context; i++) {
		struct feedback_call call = s->calls.at[i].call;
		call.share = call.near * each_of(s, &call);
		if (!vec_push(&view->calls, call))
			return false;
	}
	share(view);
	return true;
}

bool code_context_view(const struct code_contexts *s, uint32_t context,
		       struct feedback_module *view)
{
	*view = *s->m;
	view->procedures = (__typeof__(view->procedures)){0};
	view->code = (__typeof__(view->code)){0};
	view->calls = (__typeof__(view->calls)){0};
	return copy_code(s, context, view) && find_executions(s, context, view) &&
	       find_calls(s, context, view);
}

void code_context_free_view(struct feedback_module *view)
{
	vec_free(&view->procedures);
	vec_free(&view->code);
	vec_free(&view->calls);
}
