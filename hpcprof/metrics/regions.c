#include "hpcprof/metrics/regions.h"

#include "formats/base/id_sets.h"
#include "formats/identity/notes.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX

/* Sums by two ids. */
struct pair_sums {
	struct interner pairs; /* first << 32 | second */
	VEC(uint64_t) sums;
};

/* What is in the same regions is added up first, by function, so that deep recursion through a
 * region takes no longer: see add_up. */
struct region_adding {
	const struct model *m;
	const struct symbolized *c;
	uint32_t *rows;           /* [functions]: number of the region's row; NO_ROW: it is none */
	struct id_sets sets;      /* of rows */
	uint32_t *in;             /* [contexts]: the regions that it is in, or is */
	struct pair_sums of_sets; /* by set and function + 1, which is 0 if it is not known */
	struct pair_sums own;     /* by row and function */
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
static uint32_t function_of(const struct region_adding *x, uint32_t context)
{
	uint32_t frame = model_frame_of(x->m, context);

	return x->c->first[frame] < x->c->first[frame + 1]
		   ? x->c->frames.at[x->c->first[frame]].function
		   : REGIONS_NONE;
}

/* The row of the region that a context is, or NO_ROW. */
static uint32_t row_of(const struct region_adding *x, uint32_t context)
{
	uint32_t f = function_of(x, context);

	return f == REGIONS_NONE ? NO_ROW : x->rows[f];
}

static bool make_rows(struct region_adding *x)
{
	size_t n = x->c->functions.len;

	x->rows = malloc((n + 1) * sizeof *x->rows);
	if (!x->rows)
		return false;
	for (uint32_t f = 0; f < n; f++) {
		struct regions_row row = {.function = f, .most_in = REGIONS_NONE};
		x->rows[f] = NO_ROW;
		if (!regions_name(x->m, x->c, f))
			continue;
		x->rows[f] = (uint32_t)x->out->len;
		if (!vec_push(x->out, row))
			return false;
	}
	return true;
}

/* Find in which regions each context is. Parents are before their children. */
static bool find_sets(struct region_adding *x)
{
	uint32_t n = model_num_contexts(x->m);

	x->in = calloc(n, sizeof *x->in);
	for (uint32_t c = MODEL_ROOTS; x->in && c < n; c++) {
		uint32_t row = row_of(x, c);
		x->in[c] = x->in[model_parent(x->m, c)];
		if (row != NO_ROW)
			x->in[c] = id_sets_with(&x->sets, x->in[c], row);
		if (x->in[c] == ID_SETS_NONE)
			return false;
	}
	return x->in != NULL;
}

static void add_to(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

static bool add_pair(struct pair_sums *x, uint32_t first, uint32_t second, uint64_t value)
{
	uint32_t id = interner_add(&x->pairs, (uint64_t)first << 32 | second);

	if (id == x->sums.len && !vec_push(&x->sums, 0))
		return false;
	if (id >= x->sums.len)
		return false;
	add_to(&x->sums.at[id], value);
	return true;
}

static void pair_sums_deinit(struct pair_sums *x)
{
	interner_deinit(&x->pairs);
	vec_free(&x->sums);
}

/* Add what each function has in each set of regions to all of these. */
static bool add_up(struct region_adding *x)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->of_sets.sums.len; i++) {
		uint32_t set = (uint32_t)(x->of_sets.pairs.keys[i] >> 32);
		uint32_t f = (uint32_t)x->of_sets.pairs.keys[i] - 1;
		uint64_t sum = x->of_sets.sums.at[i];
		bool owns = f != REGIONS_NONE && x->rows[f] == NO_ROW;
		for (; ok && set != ID_SETS_EMPTY; set = id_sets_without_last(&x->sets, set)) {
			uint32_t row = id_sets_last(&x->sets, set);
			add_to(&x->out->at[row].total, sum);
			ok = !owns || add_pair(&x->own, row, f, sum);
		}
	}
	return ok;
}

static void add_entries(struct region_adding *x, const bool *outside)
{
	const struct model *m = x->m;

	for (size_t i = 0; i < m->metrics.len; i++) {
		const struct model_metric *k = &m->metrics.at[i];
		if (strcmp(k->name, CSP_ENTRIES) != 0 || k->flags & CSP_METRIC_ASYNC)
			continue;
		for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++) {
			uint32_t row =
			    k->events[c] && !(outside && outside[c]) ? row_of(x, c) : NO_ROW;
			if (row != NO_ROW)
				add_to(&x->out->at[row].entered, k->events[c]);
		}
	}
}

static void find_most(struct region_adding *x)
{
	for (uint32_t i = 0; i < x->own.sums.len; i++) {
		struct regions_row *row = &x->out->at[x->own.pairs.keys[i] >> 32];
		uint32_t f = (uint32_t)x->own.pairs.keys[i];
		uint64_t sum = x->own.sums.at[i];
		if (sum > row->most || (sum == row->most && f < row->most_in)) {
			row->most = sum;
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

/* Leave out those with nothing, as of paths that are not shown. */
static void drop_empty(regions_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->len; i++)
		if (rows->at[i].total || rows->at[i].entered)
			rows->at[n++] = rows->at[i];
	rows->len = n;
}

static bool find_all(struct region_adding *x, const uint64_t *values, const bool *outside)
{
	if (!find_sets(x))
		return false;
	for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(x->m); c++)
		if (values[c] && x->in[c] != ID_SETS_EMPTY &&
		    !add_pair(&x->of_sets, x->in[c], function_of(x, c) + 1, values[c]))
			return false;
	if (!add_up(x))
		return false;
	add_entries(x, outside);
	find_most(x);
	drop_empty(x->out);
	if (x->out->len)
		qsort(x->out->at, x->out->len, sizeof *x->out->at, by_total);
	return true;
}

int regions_find(regions_rows *out, const struct model *m, const struct symbolized *c,
		 const uint64_t *values, const bool *outside, struct error *e)
{
	struct region_adding x = {.m = m, .c = c, .out = out};
	bool ok;

	*out = (regions_rows){0};
	ok = make_rows(&x) && (!out->len || find_all(&x, values, outside));
	free(x.rows);
	free(x.in);
	id_sets_deinit(&x.sets);
	pair_sums_deinit(&x.of_sets);
	pair_sums_deinit(&x.own);
	return ok ? 0 : error_memory(e, model_num_contexts(m) * sizeof(uint32_t));
}
