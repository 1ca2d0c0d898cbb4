#include "hpcprof/metrics/activations.h"

#include "formats/base/interner.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/kernel.h"
#include "hpcprof/model/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The metric of that kind with most events: of several runs, some may have counted all ends. */
static const struct model_metric *find(const struct model *m, uint64_t flag)
{
	const struct model_metric *best = NULL;

	for (size_t i = 0; i < m->metrics.len; i++) {
		const struct model_metric *k = &m->metrics.at[i];
		if (k->flags & flag && k->total.events &&
		    (!best || k->total.events > best->total.events))
			best = k;
	}
	return best;
}

bool activations_find(const struct model *m, struct activations *a)
{
	*a = (struct activations){.entered = find(m, CSP_METRIC_ACTIVATIONS),
				  .returned = find(m, CSP_METRIC_RETURNS),
				  .abandoned = find(m, CSP_METRIC_ABANDONED)};
	a->all = !(a->returned && strcmp(a->returned->name, CSP_FIRST_RETURNS) == 0) &&
		 !(a->abandoned && strcmp(a->abandoned->name, CSP_FIRST_ABANDONED) == 0);
	return a->entered || a->returned || a->abandoned;
}

void activations_by_node(const struct model_metric *k, const struct model *m, const uint32_t *at,
			 const bool *outside, uint64_t *by_node)
{
	bool saturated = false;

	for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++)
		if (!outside || !outside[c])
			by_node[at[c]] = sum_add(by_node[at[c]], k->events[c], &saturated);
}

bool activations_are_missed(const struct model_metric *of, uint64_t time, uint64_t innermost,
			    uint64_t entered)
{
	const double missed = 0.2;
	double counted = (double)entered / (1 - missed), samples = 1;

	if (!time || !entered)
		return false;
	if (of->total.events)
		samples = (double)time * (double)of->total.samples / (double)of->total.events;
	return pow((double)innermost / (double)time, fmax(samples / counted, 1)) > missed;
}

char *activations_each(char out[ACTIVATIONS_EACH_BYTES], const struct model_metric *of,
		       uint64_t time, uint64_t innermost, uint64_t entered, const char *unit)
{
	char *number = out;

	if (activations_are_missed(of, time, innermost, entered))
		*number++ = '<';
	layout_real(number, (double)time / (double)entered, unit);
	return out;
}

void activations_deinit(struct activations *a)
{
	if (!a)
		return;
	vec_free(&a->functions);
	vec_free(&a->sites);
}

uint32_t activations_function(const struct symbolized *c, uint32_t frame)
{
	const struct code_frame *last;

	if (c->first[frame] == c->first[frame + 1])
		return ACTIVATIONS_NONE;
	last = &c->frames.at[c->first[frame + 1] - 1];
	return last->inlined ? ACTIVATIONS_NONE : last->function;
}

/* The code with the call by which a context was entered, or NULL. */
static const struct code_frame *call_of(const struct model *m, const struct symbolized *c,
					uint32_t context)
{
	uint32_t parent = model_parent(m, context), frame;

	if (parent < MODEL_ROOTS)
		return NULL;
	frame = model_frame_of(m, parent);
	return c->first[frame] < c->first[frame + 1] ? &c->frames.at[c->first[frame]] : NULL;
}

struct activations_adding {
	struct activations *a;
	const struct model *m;
	const struct symbolized *c;
	const uint64_t *innermost, *inclusive; /* [contexts] */
	const bool *outside;
	struct interner functions, sites;
	struct interner calls; /* of sites: function << 32 | line */
};

static uint64_t counted(const struct activations_adding *x, const struct model_metric *k,
			uint32_t context)
{
	return k && !(x->outside && x->outside[context]) ? k->events[context] : 0;
}

static void add(const struct activations_adding *x, uint32_t context, struct activations_row *to)
{
	const struct activations *a = x->a;
	bool passed = false;

	to->time = sum_add(to->time, x->inclusive[context], &passed);
	to->innermost = sum_add(to->innermost, x->innermost[context], &passed);
	to->entered = sum_add(to->entered, counted(x, a->entered, context), &passed);
	to->returned = sum_add(to->returned, counted(x, a->returned, context), &passed);
	to->abandoned = sum_add(to->abandoned, counted(x, a->abandoned, context), &passed);
}

static bool add_context(struct activations_adding *x, uint32_t context)
{
	struct activations *a = x->a;
	struct activations_row row = {.caller = ACTIVATIONS_NONE, .line = ACTIVATIONS_NONE};
	const struct code_frame *call = call_of(x->m, x->c, context);
	uint32_t function, site;
	uint64_t from;

	row.function = activations_function(x->c, model_frame_of(x->m, context));
	if (row.function == ACTIVATIONS_NONE)
		return true;
	function = interner_add(&x->functions, row.function);
	if (function == a->functions.len && !vec_push(&a->functions, row))
		return false;
	if (call) {
		row.caller = call->function;
		row.line = call->line;
	}
	from = interner_add(&x->calls, (uint64_t)row.caller << 32 | row.line);
	site = from == INTERNER_NONE ? INTERNER_NONE
				     : interner_add(&x->sites, from << 32 | row.function);
	if (site == a->sites.len && !vec_push(&a->sites, row))
		return false;
	if (function == INTERNER_NONE || site == INTERNER_NONE)
		return false;
	add(x, context, &a->functions.at[function]);
	add(x, context, &a->sites.at[site]);
	return true;
}

static int order(const void *pa, const void *pb, void *context)
{
	const struct activations_row *a = pa, *b = pb;
	const struct activations_adding *x = context;
	bool none = a->caller == ACTIVATIONS_NONE || b->caller == ACTIVATIONS_NONE;
	int c;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	c = label_compare_functions(x->m, x->c, a->function, b->function);
	if (c || none)
		return c ? c : (a->caller < b->caller) - (a->caller > b->caller);
	c = label_compare_functions(x->m, x->c, a->caller, b->caller);
	return c ? c : label_compare_lines(x->m, x->c, a->line, b->line);
}

/* Keep the rows that were entered, in order. */
static size_t finish(struct activations_adding *x, struct activations_row *rows, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].entered || rows[i].returned || rows[i].abandoned)
			rows[kept++] = rows[i];
	if (kept)
		qsort_r(rows, kept, sizeof *rows, order, x);
	return kept;
}

/* The values of contexts, with those of what the kernel did for them. NULL if memory ran out. */
static uint64_t *innermost_of(const struct model *m, const uint64_t *values)
{
	uint32_t n = model_num_contexts(m);
	uint64_t *sums = calloc(n + 1, sizeof *sums);
	bool saturated = false;

	for (uint32_t c = n; sums && c-- > MODEL_ROOTS;) {
		uint64_t *up = &sums[model_parent(m, c)];
		sums[c] = sum_add(sums[c], values[c], &saturated);
		if (kernel_part_module(m, m->frames.at[model_frame_of(m, c)].module))
			*up = sum_add(*up, sums[c], &saturated);
	}
	return sums;
}

int activations_add_up(struct activations *a, const struct model *m, const struct symbolized *c,
		       const uint64_t *time, const bool *outside, struct error *e)
{
	uint64_t *inclusive = attribute_contexts(m, &time, 1), *innermost = innermost_of(m, time);
	struct activations_adding x = {.a = a,
				       .m = m,
				       .c = c,
				       .innermost = innermost,
				       .inclusive = inclusive,
				       .outside = outside};
	bool ok = inclusive && innermost;

	for (uint32_t i = MODEL_ROOTS; ok && i < model_num_contexts(m); i++)
		ok = add_context(&x, i);
	a->functions.len = finish(&x, a->functions.at, a->functions.len);
	a->sites.len = finish(&x, a->sites.at, a->sites.len);
	interner_deinit(&x.functions);
	interner_deinit(&x.sites);
	interner_deinit(&x.calls);
	free(inclusive);
	free(innermost);
	return ok ? 0 : error_memory(e, model_num_contexts(m) * sizeof *inclusive);
}
