#include "hpcprof/export/feedback/calls.h"

#include "hpcprof/metrics/activations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function of the profile's code. */
struct callee {
	uint64_t below; /* samples in it and below it, of all calls */
	double entries; /* how often its entry was executed; 0: not known */
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
		if (n && by_call(&m->calls.at[n - 1], &m->calls.at[i]) == 0)
			m->calls.at[n - 1].samples += m->calls.at[i].samples;
		else
			m->calls.at[n++] = m->calls.at[i];
	}
	m->calls.len = n;
}

/* Add the call that leads to a context with samples below it. */
static bool add_call(struct feedback *f, uint32_t context, uint64_t below, const uint32_t *index,
		     struct callee *callees)
{
	const struct model *m = f->m;
	uint32_t parent = model_parent(m, context);
	uint32_t function = activations_function(f->c, model_frame_of(m, context));
	const struct model_frame *call;

	if (function == ACTIVATIONS_NONE)
		return true;
	callees[function].below += below;
	if (parent < MODEL_ROOTS)
		return true;
	call = &m->frames.at[model_frame_of(m, parent)];
	if (call->role != FRAME_CALL || index[call->module] == UINT32_MAX)
		return true;
	return vec_push(&f->modules.at[index[call->module]].calls,
			(struct feedback_call){
			    .address = call->address, .function = function, .samples = below});
}

static bool walk(struct feedback *f, const uint64_t *samples, const uint32_t *index,
		 struct callee *callees)
{
	uint32_t n = model_num_contexts(f->m);
	uint64_t *below = malloc((n + 1) * sizeof *below);
	bool ok = below != NULL;

	if (below)
		memcpy(below, samples, n * sizeof *below);
	for (uint32_t i = n; ok && i-- > MODEL_ROOTS;) {
		if (!below[i])
			continue;
		below[model_parent(f->m, i)] += below[i];
		ok = add_call(f, i, below[i], index, callees);
	}
	free(below);
	return ok;
}

/* ---- shares ------------------------------------------------------------------------ */

static void find_entries(const struct feedback *f, const uint32_t *index, struct callee *callees)
{
	for (size_t i = 0; i < f->c->functions.len; i++) {
		const struct code_function *of = &f->c->functions.at[i];
		const struct feedback_module *m;
		size_t p;
		if (index[of->module] == UINT32_MAX || !callees[i].below)
			continue;
		m = &f->modules.at[index[of->module]];
		p = feedback_find(m, of->low);
		if (p < m->procedures.len && m->procedures.at[p].low == of->low)
			callees[i].entries = m->code.at[m->procedures.at[p].first].executions;
	}
}

/* The calls of n functions by one address. */
static void share(struct feedback_call *calls, size_t n, const struct callee *callees)
{
	double below = 0, entries = 0, each, sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct callee *to = &callees[calls[i].function];
		below += to->entries > 0 ? (double)to->below : 0;
		entries += to->entries;
	}
	each = entries > 0 ? below / entries : 1;
	for (size_t i = 0; i < n; i++) {
		const struct callee *to = &callees[calls[i].function];
		double of_one = to->entries > 0 ? (double)to->below / to->entries : each;
		calls[i].share = (double)calls[i].samples / sqrt(of_one);
		sum += calls[i].share;
	}
	for (size_t i = 0; i < n; i++)
		calls[i].share /= sum;
}

static void share_all(struct feedback_module *m, const struct callee *callees)
{
	for (size_t i = 0, end; i < m->calls.len; i = end) {
		for (end = i + 1; end < m->calls.len; end++)
			if (m->calls.at[end].address != m->calls.at[i].address)
				break;
		share(&m->calls.at[i], end - i, callees);
	}
}

bool calls_find(struct feedback *f, const uint64_t *samples, const uint32_t *index)
{
	struct callee *callees = calloc(f->c->functions.len + 1, sizeof *callees);
	bool ok = callees && walk(f, samples, index, callees);

	if (ok)
		find_entries(f, index, callees);
	for (size_t i = 0; ok && i < f->modules.len; i++) {
		join_calls(&f->modules.at[i]);
		share_all(&f->modules.at[i], callees);
	}
	free(callees);
	return ok;
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
