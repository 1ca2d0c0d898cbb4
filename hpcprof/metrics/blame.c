#include "hpcprof/metrics/blame.h"

#include "hpcprof/correlate/label.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

const struct model_metric *blame_metric(const struct model *m)
{
	for (size_t i = 0; i < m->metrics.len; i++)
		if (strcmp(m->metrics.at[i].name, CSP_BLAME) == 0 && m->metrics.at[i].total.events)
			return &m->metrics.at[i];
	return NULL;
}

/* The names that rows are ordered by. */
struct blame_names {
	const struct model *m;
	const struct symbolized *c;
};

/* By function, then line. */
static int by_place(const void *pa, const void *pb, void *context)
{
	const struct blame_names *n = context;
	const struct wait_place *a = pa, *b = pb;

	if (a->function != b->function) {
		if (a->function == WAITS_NO_FUNCTION || b->function == WAITS_NO_FUNCTION)
			return a->function == WAITS_NO_FUNCTION ? 1 : -1;
		return label_compare_functions(n->m, n->c, a->function, b->function);
	}
	if (a->line == b->line)
		return 0;
	if (a->line == WAITS_NO_LINE || b->line == WAITS_NO_LINE)
		return a->line == WAITS_NO_LINE ? 1 : -1;
	return label_compare_lines(n->m, n->c, a->line, b->line);
}

static int by_value(const void *pa, const void *pb)
{
	const struct blame_row *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static int add_up(blame_rows *out, const wait_list *places, struct error *e)
{
	uint64_t in_line = 0;
	bool saturated = false;

	for (size_t i = 0; i < places->len; i++) {
		const struct wait_place *p = &places->at[i];
		bool new_function = !i || p->function != p[-1].function;
		const struct blame_row empty = {.function = p->function, .line = p->line};
		if (new_function && !vec_push(out, empty))
			return error_memory(e, out->len * sizeof empty);
		struct blame_row *row = &out->at[out->len - 1];
		if (new_function || p->line != p[-1].line)
			in_line = 0;
		in_line = sum_add(in_line, p->value, &saturated);
		row->value = sum_add(row->value, p->value, &saturated);
		if (in_line > row->most) {
			row->most = in_line;
			row->line = p->line;
		}
	}
	if (out->len)
		qsort(out->at, out->len, sizeof *out->at, by_value);
	return 0;
}

int blame_find(blame_rows *out, const struct model *m, const struct symbolized *c,
	       const struct model_metric *blame, const bool *outside, struct error *e)
{
	struct blame_names names = {m, c};
	wait_list places;
	int rc = waits_find(&places, m, c, blame, outside, e);

	*out = (blame_rows){0};
	if (rc == 0 && places.len) {
		qsort_r(places.at, places.len, sizeof *places.at, by_place, &names);
		rc = add_up(out, &places, e);
	}
	vec_free(&places);
	return rc;
}

uint64_t blame_unknown(const waits_rows *waits, const struct model_metric *blame)
{
	uint64_t others = 0, known = blame ? blame->total.events : 0;
	bool saturated = false;

	for (size_t i = 0; i < waits->len; i++)
		if (waits_for_thread(waits->at[i].kind))
			others = sum_add(others, waits->at[i].value, &saturated);
	return others > known ? others - known : 0;
}
