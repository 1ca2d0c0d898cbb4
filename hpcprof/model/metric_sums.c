#include "hpcprof/model/metric_sums.h"

#include "formats/base/search.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 4 };

/* The place of a metric, or where it belongs. Metrics mostly come in their order. */
static uint32_t place_of(const struct metric_sums *s, uint32_t metric)
{
	if (!s->len || s->at[s->len - 1].metric < metric)
		return s->len;
	return (uint32_t)SEARCH_FIRST(i, 0, s->len, s->at[i].metric >= metric);
}

static bool has(const struct metric_sums *s, uint32_t place, uint32_t metric)
{
	return place < s->len && s->at[place].metric == metric;
}

struct model_sum metric_sums_get(const struct metric_sums *s, uint32_t metric)
{
	uint32_t i = place_of(s, metric);

	return has(s, i, metric) ? s->at[i].sum : (struct model_sum){0};
}

static bool grow(struct metric_sums *s, struct arena *a)
{
	uint32_t cap = s->cap ? 2 * s->cap : FIRST_CAP;
	struct metric_sum *at;

	if (s->len < s->cap)
		return true;
	at = arena_alloc(a, cap * sizeof *at);
	if (!at)
		return false;
	if (s->len)
		memcpy(at, s->at, s->len * sizeof *at);
	s->at = at;
	s->cap = cap;
	return true;
}

/* The entry of a metric, which is added if it is new. NULL if memory ran out. */
static struct model_sum *entry(struct metric_sums *s, struct arena *a, uint32_t metric)
{
	uint32_t i = place_of(s, metric);

	if (has(s, i, metric))
		return &s->at[i].sum;
	if (!grow(s, a))
		return NULL;
	memmove(s->at + i + 1, s->at + i, (s->len - i) * sizeof *s->at);
	s->at[i] = (struct metric_sum){.metric = metric};
	s->len++;
	return &s->at[i].sum;
}

bool metric_sums_add(struct metric_sums *s, struct arena *a, uint32_t metric,
		     struct model_sum value)
{
	bool saturated = false;
	struct model_sum *to;

	if (!value.events && !value.samples)
		return true;
	to = entry(s, a, metric);
	if (!to)
		return false;
	to->events = sum_add(to->events, value.events, &saturated);
	to->samples = sum_add(to->samples, value.samples, &saturated);
	return true;
}

bool metric_sums_set(struct metric_sums *s, struct arena *a, uint32_t metric,
		     struct model_sum value)
{
	struct model_sum *to = entry(s, a, metric);

	if (to)
		*to = value;
	return to != NULL;
}

bool metric_sums_join(struct metric_sums *to, struct arena *a, const struct metric_sums *from,
		      const uint32_t *metrics)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < from->len; i++) {
		const struct metric_sum *s = &from->at[i];
		ok = metric_sums_add(to, a, metrics ? metrics[s->metric] : s->metric, s->sum);
	}
	return ok;
}

static int by_metric(const void *pa, const void *pb)
{
	const struct metric_sum *a = pa, *b = pb;

	return a->metric < b->metric ? -1 : a->metric > b->metric;
}

void metric_sums_move(struct metric_sums *s, const uint32_t *places)
{
	for (uint32_t i = 0; i < s->len; i++)
		s->at[i].metric = places[s->at[i].metric];
	if (s->len)
		qsort(s->at, s->len, sizeof *s->at, by_metric);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int metric_sums_compare(const struct metric_sums *a, const struct metric_sums *b)
{
	static const struct model_sum zeros;
	uint32_t i = 0, k = 0;
	int c = 0;

	while (!c && (i < a->len || k < b->len)) {
		uint32_t of_a = i < a->len ? a->at[i].metric : UINT32_MAX;
		uint32_t of_b = k < b->len ? b->at[k].metric : UINT32_MAX;
		const struct model_sum *x = of_a <= of_b ? &a->at[i++].sum : &zeros;
		const struct model_sum *y = of_b <= of_a ? &b->at[k++].sum : &zeros;
		c = compare(x->events, y->events);
		if (!c)
			c = compare(x->samples, y->samples);
	}
	return c;
}
