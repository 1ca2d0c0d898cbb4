#include "hpcprof/metrics/regions.h"

#include "formats/base/interner.h"
#include "formats/identity/notes.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

struct adding {
	const struct model *m;
	const struct symbolized *c;
	bool *is_region;  /* [functions] */
	uint32_t *region; /* [contexts]: the innermost region that it is in, or is; 0: none */
	uint32_t *rows;   /* [functions]: the number of its row, plus 1 */
	/* what a function has in itself within a region, by row << 32 | function */
	struct interner pairs;
	VEC(uint64_t) own;
	regions_rows *out;
};

const char *regions_name(const struct model *m, const struct symbolized *c, uint32_t function)
{
	const struct code_function *f = &c->functions.at[function];

	if (strcmp(m->modules.at[f->module].name, CSP_MODULE_REGION) != 0 || !f->name ||
	    strncmp(f->name, CSP_MODULE_REGION " ", sizeof CSP_MODULE_REGION) != 0)
		return NULL;
	return f->name + sizeof CSP_MODULE_REGION;
}

/* The function of the innermost code of a context. */
static uint32_t function_of(const struct adding *x, uint32_t context)
{
	uint32_t frame = model_frame_of(x->m, context);

	return x->c->first[frame] < x->c->first[frame + 1]
		   ? x->c->frames.at[x->c->first[frame]].function
		   : REGIONS_NONE;
}

static bool prepare(struct adding *x)
{
	size_t functions = x->c->functions.len, contexts = model_num_contexts(x->m);

	x->is_region = calloc(functions + 1, sizeof *x->is_region);
	x->rows = calloc(functions + 1, sizeof *x->rows);
	x->region = calloc(contexts + 1, sizeof *x->region);
	if (!x->is_region || !x->rows || !x->region)
		return false;
	for (uint32_t f = 0; f < functions; f++)
		x->is_region[f] = regions_name(x->m, x->c, f) != NULL;
	for (uint32_t c = MODEL_ROOTS; c < contexts; c++) {
		uint32_t f = function_of(x, c);
		x->region[c] =
		    f != REGIONS_NONE && x->is_region[f] ? c : x->region[model_parent(x->m, c)];
	}
	return true;
}

static void add_to(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

/* The row of the region that a context is; NULL if memory ran out. */
static struct regions_row *row_of(struct adding *x, uint32_t region)
{
	uint32_t f = function_of(x, region);
	struct regions_row row = {.function = f, .most_in = REGIONS_NONE};

	if (!x->rows[f]) {
		if (!vec_push(x->out, row))
			return NULL;
		x->rows[f] = (uint32_t)x->out->len;
	}
	return &x->out->at[x->rows[f] - 1];
}

static bool add_own(struct adding *x, uint32_t row, uint32_t function, uint64_t value)
{
	uint32_t id = interner_add(&x->pairs, (uint64_t)row << 32 | function);

	if (id == x->own.len && !vec_push(&x->own, 0))
		return false;
	if (id >= x->own.len)
		return false;
	add_to(&x->own.at[id], value);
	return true;
}

/* Whether the region is below itself. */
static bool is_nested(const struct adding *x, uint32_t region)
{
	uint32_t f = function_of(x, region), up = region;

	while ((up = x->region[model_parent(x->m, up)]) != 0)
		if (function_of(x, up) == f)
			return true;
	return false;
}

static bool add_value(struct adding *x, uint32_t context, uint64_t value)
{
	uint32_t f = function_of(x, context);

	for (uint32_t r = x->region[context]; r; r = x->region[model_parent(x->m, r)]) {
		struct regions_row *row;
		if (is_nested(x, r))
			continue;
		row = row_of(x, r);
		if (!row)
			return false;
		add_to(&row->total, value);
		if (f != REGIONS_NONE && !x->is_region[f] &&
		    !add_own(x, (uint32_t)(row - x->out->at), f, value))
			return false;
	}
	return true;
}

static bool add_entries(struct adding *x, const bool *outside)
{
	const struct model *m = x->m;

	for (size_t i = 0; i < m->metrics.len; i++) {
		const struct model_metric *k = &m->metrics.at[i];
		if (strcmp(k->name, CSP_ENTRIES) != 0 || k->flags & CSP_METRIC_ASYNC)
			continue;
		for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++) {
			struct regions_row *row;
			if (!k->events[c] || x->region[c] != c || (outside && outside[c]))
				continue;
			row = row_of(x, c);
			if (!row)
				return false;
			add_to(&row->entered, k->events[c]);
		}
	}
	return true;
}

static void find_most(struct adding *x)
{
	for (uint32_t i = 0; i < x->own.len; i++) {
		struct regions_row *row = &x->out->at[x->pairs.keys[i] >> 32];
		uint32_t f = (uint32_t)x->pairs.keys[i];
		if (x->own.at[i] > row->most || (x->own.at[i] == row->most && f < row->most_in)) {
			row->most = x->own.at[i];
			row->most_in = f;
		}
	}
}

static int by_total(const void *pa, const void *pb)
{
	const struct regions_row *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->entered != b->entered)
		return a->entered > b->entered ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

int regions_find(regions_rows *out, const struct model *m, const struct symbolized *c,
		 const uint64_t *values, const bool *outside, struct error *e)
{
	struct adding x = {.m = m, .c = c, .out = out};
	bool ok;

	*out = (regions_rows){0};
	ok = prepare(&x);
	for (uint32_t i = MODEL_ROOTS; ok && i < model_num_contexts(m); i++)
		ok = !values[i] || !x.region[i] || add_value(&x, i, values[i]);
	ok = ok && add_entries(&x, outside);
	if (ok)
		find_most(&x);
	if (ok && out->len)
		qsort(out->at, out->len, sizeof *out->at, by_total);
	free(x.is_region);
	free(x.region);
	free(x.rows);
	interner_deinit(&x.pairs);
	vec_free(&x.own);
	return ok ? 0 : error_memory(e, model_num_contexts(m) * sizeof(uint32_t));
}
