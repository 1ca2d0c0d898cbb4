#include "hpcprof/model/wall_time.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>

struct ran_span {
	uint64_t start, end;
};

static int by_start(const void *pa, const void *pb)
{
	const struct ran_span *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

bool wall_time_measure(const struct model *m, wall_time_of_fn *of, void *context,
		       struct wall_time *out)
{
	struct ran_span *spans = malloc((m->processes.len + 1) * sizeof *spans);
	size_t n = 0;
	bool saturated = false;

	*out = (struct wall_time){0};
	if (!spans)
		return false;
	for (size_t i = 0; i < m->processes.len; i++) {
		const struct model_process *p = &m->processes.at[i];
		if (p->has_start && p->has_wall && (!of || of(context, p)))
			spans[n++] = (struct ran_span){
			    p->start_ns, sum_add(p->start_ns, p->wall_ns, &saturated)};
	}
	qsort(spans, n, sizeof *spans, by_start);
	for (size_t i = 0; i < n; i++) {
		uint64_t from = spans[i].start > out->end_ns ? spans[i].start : out->end_ns;
		if (!i)
			out->start_ns = spans[i].start;
		out->runs += !i || from - out->end_ns > WALL_TIME_APART_NS;
		if (spans[i].end > from)
			out->ran_ns += spans[i].end - from;
		if (spans[i].end > out->end_ns)
			out->end_ns = spans[i].end;
	}
	free(spans);
	return true;
}
