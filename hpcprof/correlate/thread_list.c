#include "hpcprof/correlate/thread_list.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

/* Rows that are the same but for their values, numbers of threads and names are equal. */
static int by_label(const void *pa, const void *pb)
{
	const struct thread_list_row *a = pa, *b = pb;
	int c = (a->kind > b->kind) - (a->kind < b->kind);

	if (!c)
		c = strcmp(a->name, b->name);
	return c ? c : strcmp(a->creator, b->creator);
}

static bool add_row(struct thread_list_row *to, const struct thread_list_row *from, struct arena *a)
{
	bool saturated = false;

	if (strcmp(from->first, to->first) < 0)
		to->first = from->first;
	if (strcmp(from->last, to->last) > 0)
		to->last = from->last;
	to->threads = sum_add(to->threads, from->threads, &saturated);
	return metric_sums_join(&to->sums, a, &from->sums, NULL);
}

static bool push(thread_list *out, const struct model *m, const struct symbolized *c, size_t i,
		 struct arena *a)
{
	const struct model_threads *g = &m->threads.at[i];
	struct thread_list_row row = {.name = g->pattern,
				      .first = g->first,
				      .last = g->last,
				      .creator = c->creators[i],
				      .kind = g->kind,
				      .threads = g->threads};

	return metric_sums_join(&row.sums, a, &g->sums, NULL) && vec_push(out, row);
}

int thread_list_make(thread_list *out, const struct model *m, const struct symbolized *c,
		     struct arena *a, struct error *e)
{
	size_t left = 0;
	bool ok = true;

	*out = (thread_list){0};
	for (size_t i = 0; i < m->threads.len; i++)
		if (!push(out, m, c, i, a))
			return error_memory(e, m->threads.len * sizeof *out->at);
	if (out->len)
		qsort(out->at, out->len, sizeof *out->at, by_label);
	for (size_t i = 0; ok && i < out->len; i++) {
		if (left && by_label(&out->at[left - 1], &out->at[i]) == 0)
			ok = add_row(&out->at[left - 1], &out->at[i], a);
		else
			out->at[left++] = out->at[i];
	}
	out->len = left;
	return ok ? 0 : error_memory(e, left * sizeof *out->at);
}
