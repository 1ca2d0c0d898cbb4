#include "hpcprof/metrics/procedure_rows.h"

#include <stdlib.h>
#include <string.h>

/* All code of a procedure counts for it. */
static void assign_frames(struct procedure_rows *r,
			  bool (*wanted)(const void *context, uint32_t frame), const void *context)
{
	uint32_t none = (uint32_t)r->procedures.at.len;

	for (uint32_t f = 0; f < r->m->frames.len; f++) {
		r->procedure_of[f] = procedure_list_find(&r->procedures, &r->m->frames.at[f]);
		if (r->procedure_of[f] == none && !(wanted && wanted(context, f)))
			r->procedure_of[f] = ATTRIBUTE_NO_ROW;
	}
}

/* A machine instruction counts once, even if several functions were inlined there. */
static bool is_innermost(const struct procedure_rows *r, const struct occurrence *at)
{
	return at->code == &r->c->frames.at[r->c->first[at->frame]];
}

static uint32_t row_of_procedure(void *context, const struct occurrence *at)
{
	const struct procedure_rows *r = context;
	return is_innermost(r, at) ? r->procedure_of[at->frame] : ATTRIBUTE_NO_ROW;
}

static uint32_t row_of_step(void *context, const struct occurrence *at)
{
	const struct procedure_rows *r = context;
	return is_innermost(r, at) ? r->row_of[at->frame] : ATTRIBUTE_NO_ROW;
}

int procedure_rows_sum(struct procedure_rows *r,
		       bool (*wanted)(const void *context, uint32_t frame), const void *context,
		       struct error *e)
{
	size_t frames = r->m->frames.len + 1;

	r->procedure_of = calloc(frames, sizeof *r->procedure_of);
	r->row_of = calloc(frames, sizeof *r->row_of);
	r->first = calloc(r->procedures.at.len + 1, sizeof *r->first);
	if (!r->procedure_of || !r->row_of || !r->first)
		return error_memory(e, frames * sizeof *r->row_of);
	assign_frames(r, wanted, context);
	return attribute_rows(r->m, r->c, r->columns->values, r->columns->len,
			      r->procedures.at.len + 1, row_of_procedure, r, &r->sums, e);
}

static int by_sums(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct procedure_rows *r = context;
	const struct instructions *x = &r->procedures.at.at[a], *y = &r->procedures.at.at[b];
	size_t n = r->columns->len;
	int c;

	for (size_t i = 0; i < n; i++)
		if (r->sums.exclusive[a * n + i] != r->sums.exclusive[b * n + i])
			return r->sums.exclusive[a * n + i] > r->sums.exclusive[b * n + i] ? -1 : 1;
	c = strcmp(r->m->modules.at[x->module].name, r->m->modules.at[y->module].name);
	return c ? c : x->code.low < y->code.low ? -1 : x->code.low > y->code.low;
}

uint32_t *procedure_rows_order(const struct procedure_rows *r,
			       bool (*keep)(const struct procedure_rows *r, const void *context,
					    uint32_t procedure),
			       const void *context, size_t *n, struct error *e)
{
	uint32_t *order = calloc(r->procedures.at.len + 1, sizeof *order);

	*n = 0;
	if (!order) {
		error_memory(e, r->procedures.at.len * sizeof *order);
		return NULL;
	}
	for (uint32_t i = 0; i < r->procedures.at.len; i++)
		if (keep(r, context, i))
			order[(*n)++] = i;
	qsort_r(order, *n, sizeof *order, by_sums, (void *)r);
	return order;
}

int procedure_rows_read(struct procedure_rows *r, const uint32_t *chosen, size_t n,
			struct arena *arena, struct error *e)
{
	r->num_rows = 0;
	for (size_t i = 0; i < n; i++) {
		struct instructions *p = &r->procedures.at.at[chosen[i]];
		if (instructions_read(&r->procedures, r->m, p, arena, e) != 0)
			return -1;
		r->first[chosen[i]] = r->num_rows;
		r->num_rows += (uint32_t)p->list.len;
	}
	for (uint32_t f = 0; f < r->m->frames.len; f++) {
		uint32_t at = r->procedure_of[f];
		r->row_of[f] = ATTRIBUTE_NO_ROW;
		if (at < r->procedures.at.len && r->procedures.at.at[at].list.len)
			r->row_of[f] = r->first[at] + instructions_at(&r->procedures.at.at[at],
								      r->m->frames.at[f].address);
	}
	return attribute_rows(r->m, r->c, r->columns->values, r->columns->len, r->num_rows,
			      row_of_step, r, &r->rows, e);
}

void procedure_rows_deinit(struct procedure_rows *r)
{
	procedure_list_deinit(&r->procedures);
	free(r->procedure_of);
	free(r->row_of);
	free(r->first);
	free(r->sums.exclusive);
	free(r->sums.inclusive);
	free(r->rows.exclusive);
	free(r->rows.inclusive);
}
