#include "hpcprof/export/feedback/calls.h"

#include "hpcprof/export/feedback/taken.h"
#include "hpcprof/metrics/activations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen as those of frequencies.c. */
#define NEAR 0.2        /* what a sample counts for, for each call further out */
#define PLACE_ERROR 0.3 /* of how often a call was executed, as a part of it */
#define ENTRY_ERROR 0.5 /* the same of a function's entry */
#define GUESS_ERROR 3.0 /* the same of a function in no code that was read */
#define CALL_PRICE 5    /* of a call and its return, in instructions of the function */
enum { ROUNDS = 8, SWEEPS = 20 };

/* A function of the profile's code. */
struct callee {
	double near;                   /* samples of all of its calls */
	struct feedback_procedure *to; /* NULL: it is not in code that was read */
	const struct feedback_instruction *entry;
	size_t first, num; /* links */
	double each;       /* how many calls a sample stands for */
	double guess;      /* the same by its entry, or any */
	double error;      /* of the guess, as a part of it */
	double weight;     /* of the guess */
};

/* An instruction that calls. */
struct call_place {
	const struct feedback_instruction *at;
	double sum;    /* of its links: how many calls they make */
	double weight; /* of the instruction's executions */
};

struct call_link {
	struct feedback_call *call;
	uint32_t place, callee;
};

/* ---- the calls on call paths ------------------------------------------------------- */

static int by_call(const void *pa, const void *pb)
{
	const struct feedback_call *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void join_calls(struct feedback_module *m)
{
	size_t n = 0;

	if (m->calls.len)
		qsort(m->calls.at, m->calls.len, sizeof *m->calls.at, by_call);
	for (size_t i = 0; i < m->calls.len; i++) {
		if (n && by_call(&m->calls.at[n - 1], &m->calls.at[i]) == 0) {
			m->calls.at[n - 1].samples += m->calls.at[i].samples;
			m->calls.at[n - 1].near += m->calls.at[i].near;
		} else {
			m->calls.at[n++] = m->calls.at[i];
		}
	}
	m->calls.len = n;
}

struct samples_below *calls_below(const struct feedback *f)
{
	const struct model *m = f->m;
	uint32_t n = model_num_contexts(m);
	struct samples_below *below = calloc(n + 1, sizeof *below);

	for (uint32_t i = 0; below && i < n; i++)
		below[i] = (struct samples_below){f->taken[i] + f->exact[i],
						  (double)(f->taken[i] + f->exact[i])};
	for (uint32_t i = n; below && i-- > MODEL_ROOTS;) {
		struct samples_below *to = &below[model_parent(m, i)];
		to->all += below[i].all;
		to->near += (taken_in_script(f, i) ? 1 : NEAR) * below[i].near;
	}
	return below;
}

/* Add the call that leads to a context. */
static bool add_call(struct calls *s, uint32_t context, const struct samples_below *below)
{
	struct feedback *f = s->f;
	const struct model *m = f->m;
	uint32_t parent = taken_caller(f, context);
	uint32_t function = activations_function(f->c, model_frame_of(m, context));
	const struct model_frame *call;

	if (function == ACTIVATIONS_NONE)
		return true;
	s->callees[function].near += below->near;
	if (parent < MODEL_ROOTS)
		return true;
	call = &m->frames.at[model_frame_of(m, parent)];
	if (call->role != FRAME_CALL || f->index[call->module] == FEEDBACK_NONE)
		return true;
	return vec_push(&f->modules.at[f->index[call->module]].calls,
			(struct feedback_call){.address = call->address,
					       .function = function,
					       .samples = below->all,
					       .near = below->near});
}

static bool walk(struct calls *s)
{
	uint32_t n = model_num_contexts(s->f->m);
	struct samples_below *below = calls_below(s->f);
	bool ok = below;

	for (uint32_t i = MODEL_ROOTS; ok && i < n; i++)
		if (below[i].all && !taken_in_script(s->f, i))
			ok = add_call(s, i, &below[i]);
	free(below);
	return ok;
}

/* ---- places and functions ---------------------------------------------------------- */

static void find_entries(struct calls *s)
{
	struct feedback *f = s->f;

	for (size_t i = 0; i < s->num_callees; i++) {
		const struct code_function *of = &f->c->functions.at[i];
		struct feedback_module *m;
		size_t p;
		if (f->index[of->module] == FEEDBACK_NONE)
			continue;
		m = &f->modules.at[f->index[of->module]];
		p = feedback_find(m, of->low);
		if (p == m->procedures.len || m->procedures.at[p].low != of->low)
			continue;
		s->callees[i].to = &m->procedures.at[p];
		s->callees[i].entry = &m->code.at[m->procedures.at[p].first];
	}
}

/* A call of a known function reaches another one only by a jump from there. */
static bool is_made(const struct feedback_module *m, const struct feedback_instruction *at,
		    const struct callee *to)
{
	size_t p;

	if (!at)
		return false;
	p = at->target ? feedback_find(m, at->target) : m->procedures.len;
	return p == m->procedures.len || m->procedures.at[p].low != at->target ||
	       &m->procedures.at[p] == to->to;
}

static void link_calls(struct calls *s, struct feedback_module *m)
{
	for (size_t i = 0; i < m->calls.len; i++) {
		struct feedback_call *c = &m->calls.at[i];
		bool same = i && m->calls.at[i - 1].address == c->address;
		size_t code = feedback_instruction_at(m, c->address);
		struct call_place *at;
		if (!same)
			s->places[s->num_places++].at =
			    code < m->code.len ? &m->code.at[code] : NULL;
		at = &s->places[s->num_places - 1];
		if (!is_made(m, at->at, &s->callees[c->function]))
			continue;
		s->links[s->num_links++] = (struct call_link){
		    .call = c, .place = (uint32_t)(s->num_places - 1), .callee = c->function};
	}
}

static int by_callee(const void *pa, const void *pb)
{
	const struct call_link *a = pa, *b = pb;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static bool link_all(struct calls *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->f->modules.len; i++)
		n += s->f->modules.at[i].calls.len;
	s->places = calloc(n + 1, sizeof *s->places);
	s->links = calloc(n + 1, sizeof *s->links);
	if (!s->places || !s->links)
		return false;
	for (size_t i = 0; i < s->f->modules.len; i++)
		link_calls(s, &s->f->modules.at[i]);
	qsort(s->links, s->num_links, sizeof *s->links, by_callee);
	for (size_t i = 0; i < s->num_links; i++) {
		struct callee *to = &s->callees[s->links[i].callee];
		if (!to->num++)
			to->first = i;
	}
	return true;
}

bool calls_find(struct calls *s, struct feedback *f)
{
	s->f = f;
	s->num_callees = f->c->functions.len;
	s->callees = calloc(s->num_callees + 1, sizeof *s->callees);
	if (!s->callees || !walk(s))
		return false;
	for (size_t i = 0; i < f->modules.len; i++)
		join_calls(&f->modules.at[i]);
	find_entries(s);
	return link_all(s);
}

void calls_deinit(struct calls *s)
{
	free(s->places);
	free(s->callees);
	free(s->links);
	*s = (struct calls){0};
}

/* ---- least squares ----------------------------------------------------------------- */

static double executions(const struct call_place *p)
{
	return p->at ? p->at->executions : 0;
}

/* How many calls a sample of the function stands for, as the executions of its entry tell; 0 if
 * they tell nothing. Short functions seem to be entered more often than they are, as a call and its
 * return take time there, too. */
static double by_entry(const struct callee *c)
{
	double entries, all = 0;

	if (!c->to || !c->entry || !(c->near > 0))
		return 0;
	entries = c->entry->executions;
	for (size_t i = 0; i < c->to->num; i++)
		all += c->entry[i].executions;
	return entries > 0 ? entries / c->near * all / (all + CALL_PRICE * entries) : 0;
}

static void sum_places(struct calls *s)
{
	for (size_t i = 0; i < s->num_places; i++)
		s->places[i].sum = 0;
	for (size_t i = 0; i < s->num_links; i++)
		s->places[s->links[i].place].sum +=
		    s->links[i].call->near * s->callees[s->links[i].callee].each;
}

/* Make all places together call as often as they are executed. */
static void scale_guesses(struct calls *s)
{
	double calls = 0, executed = 0;

	sum_places(s);
	for (size_t i = 0; i < s->num_places; i++)
		if (executions(&s->places[i]) > 0) {
			calls += s->places[i].sum;
			executed += executions(&s->places[i]);
		}
	for (size_t i = 0; calls > 0 && i < s->num_callees; i++) {
		s->callees[i].guess *= executed / calls;
		s->callees[i].each = s->callees[i].guess;
	}
}

/* Set the guesses; the mean of all for those of which nothing is known. */
static void guess(struct calls *s)
{
	double near = 0, calls = 0, mean;

	for (size_t i = 0; i < s->num_callees; i++) {
		struct callee *c = &s->callees[i];
		c->guess = by_entry(c);
		near += c->guess > 0 ? c->near : 0;
		calls += c->guess * c->near;
	}
	mean = near > 0 ? calls / near : 1;
	for (size_t i = 0; i < s->num_callees; i++) {
		struct callee *c = &s->callees[i];
		c->error = c->guess > 0 ? ENTRY_ERROR : GUESS_ERROR;
		c->guess = c->guess > 0 ? c->guess : mean;
		c->each = c->guess;
	}
	scale_guesses(s);
}

static double squared(double x)
{
	return x * x;
}

/* The weights, by the errors that are to be expected if the numbers are right. */
static void weigh(struct calls *s)
{
	for (size_t i = 0; i < s->num_places; i++)
		s->places[i].weight =
		    squared(PLACE_ERROR * fmax(executions(&s->places[i]), s->places[i].sum));
	for (size_t i = 0; i < s->num_links; i++) { /* by chance: a Poisson distribution */
		const struct call_link *l = &s->links[i];
		s->places[l->place].weight += l->call->near * squared(s->callees[l->callee].each);
	}
	for (size_t i = 0; i < s->num_places; i++) {
		struct call_place *p = &s->places[i];
		p->weight = executions(p) > 0 && p->weight > 0 ? 1 / p->weight : 0;
	}
	for (size_t i = 0; i < s->num_callees; i++) {
		struct callee *c = &s->callees[i];
		c->weight = 1 / squared(c->error * fmax(c->guess, c->each));
	}
}

/* What its calls tell of a function, while all else stays: the sum of weights, and *sum that of
 * weights times numbers. */
static double by_calls(const struct calls *s, const struct callee *c, double *sum)
{
	double weights = 0;

	*sum = 0;
	for (size_t i = c->first; i < c->first + c->num; i++) {
		const struct call_link *l = &s->links[i];
		const struct call_place *p = &s->places[l->place];
		double near = l->call->near, rest = p->sum - near * c->each;
		*sum += p->weight * near * (executions(p) - rest);
		weights += p->weight * near * near;
	}
	return weights;
}

static void improve(struct calls *s, struct callee *c)
{
	double sum, weights = by_calls(s, c, &sum);
	double want = (sum + c->weight * c->guess) / (weights + c->weight);

	want = want > 0 ? want : 0;
	for (size_t i = c->first; i < c->first + c->num; i++)
		s->places[s->links[i].place].sum += s->links[i].call->near * (want - c->each);
	c->each = want;
}

static void tell(const struct calls *s, const struct callee *c)
{
	double sum, weights = by_calls(s, c, &sum);

	if (!c->to || !(weights > 0) || !(c->near > 0))
		return;
	c->to->entered = sum > 0 ? c->near * sum / weights : 0;
	c->to->entered_weight = weights / squared(c->near);
}

void calls_solve(struct calls *s)
{
	guess(s);
	sum_places(s);
	for (int round = 0; round < ROUNDS; round++) {
		weigh(s);
		for (int sweep = 0; sweep < SWEEPS; sweep++)
			for (size_t i = 0; i < s->num_callees; i++)
				improve(s, &s->callees[i]);
		sum_places(s); /* without what rounding left */
	}
	for (size_t i = 0; i < s->num_callees; i++)
		tell(s, &s->callees[i]);
	for (size_t i = 0; i < s->num_links; i++) {
		const struct call_link *l = &s->links[i];
		double sum = s->places[l->place].sum;
		l->call->share = sum > 0 ? l->call->near * s->callees[l->callee].each / sum : 0;
	}
}

const struct feedback_call *calls_of(const struct feedback_module *m, size_t i, size_t *next,
				     size_t *n)
{
	uint64_t end = i + 1 < m->code.len ? m->code.at[i + 1].address : UINT64_MAX;
	size_t first;

	while (*next < m->calls.len && m->calls.at[*next].address < m->code.at[i].address)
		++*next;
	first = *next;
	while (*next < m->calls.len && m->calls.at[*next].address < end)
		++*next;
	*n = *next - first;
	return *n ? &m->calls.at[first] : NULL;
}
