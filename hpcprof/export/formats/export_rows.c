#include "hpcprof/export/formats/export_rows.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

/* A node and its place in the order of the tree. */
struct weighed {
	uint64_t value;
	uint32_t place;
};

/* The heaviest first. A parent is before its children, which are not heavier. */
static int by_value(const void *pa, const void *pb)
{
	const struct weighed *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Mark what is chosen: a bool for each place in the order. NULL if memory ran out. */
static bool *choose(const struct export_data *x)
{
	const struct path_tree *t = &x->tree;
	uint64_t most = x->o->common.rows ? x->o->common.rows : UINT64_MAX;
	double least = x->num_metrics ? x->o->min / 100 * (double)x->columns.at[0].total : 0;
	struct weighed *sorted = malloc((t->num_order + (size_t)1) * sizeof *sorted);
	bool *kept = calloc(t->num_order + (size_t)1, sizeof *kept);

	if (!sorted || !kept) {
		free(sorted);
		free(kept);
		return NULL;
	}
	for (uint32_t i = 0; i < t->num_order; i++)
		sorted[i] = (struct weighed){t->inclusive[t->order[i] * t->num_columns], i};
	qsort(sorted, t->num_order, sizeof *sorted, by_value);
	for (uint32_t i = 0; i < t->num_order && i < most; i++)
		kept[sorted[i].place] = (double)sorted[i].value >= least;
	free(sorted);
	return kept;
}

int export_rows_init(struct export_rows *r, const struct export_data *x, struct error *e)
{
	const struct path_tree *t = &x->tree;
	bool *kept = choose(x), saturated = false;

	*r = (struct export_rows){0};
	r->nodes = malloc((t->num_order + (size_t)1) * sizeof *r->nodes);
	r->ids = calloc(t->num_nodes + (size_t)1, sizeof *r->ids);
	r->left_columns = calloc(t->num_columns + 1, sizeof *r->left_columns);
	if (!kept || !r->nodes || !r->ids || !r->left_columns) {
		free(kept);
		return error_memory(e, t->num_nodes * sizeof *r->ids);
	}
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i];
		if (kept[i]) {
			r->nodes[r->len++] = node;
			r->ids[node] = r->len;
			continue;
		}
		r->left_out++;
		for (size_t k = 0; k < t->num_columns; k++)
			r->left_columns[k] =
			    sum_add(r->left_columns[k], t->exclusive[node * t->num_columns + k],
				    &saturated);
	}
	free(kept);
	return 0;
}

void export_rows_deinit(struct export_rows *r)
{
	if (!r)
		return;
	free(r->nodes);
	free(r->ids);
	free(r->left_columns);
	*r = (struct export_rows){0};
}
