#include "hpcprof/export/feedback/sorted_locations.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct locations *l, uint32_t name)
{
	return strings_get(l->strings, name);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_name(const void *pa, const void *pb, void *of)
{
	const struct locations *l = of;
	const struct location_function *a = &l->functions.at[*(const uint32_t *)pa];
	const struct location_function *b = &l->functions.at[*(const uint32_t *)pb];
	int order = by_number(a->parent, b->parent);

	return order ? order : strcmp(name_of(l, a->name), name_of(l, b->name));
}

static int by_samples(const void *pa, const void *pb, void *of)
{
	const struct locations *l = of;
	const struct location_function *a = &l->functions.at[*(const uint32_t *)pa];
	const struct location_function *b = &l->functions.at[*(const uint32_t *)pb];
	int order = by_number(b->samples, a->samples);

	return order ? order : strcmp(name_of(l, a->name), name_of(l, b->name));
}

static int by_place(const void *pa, const void *pb, void *of)
{
	const struct locations *l = of;
	const struct location *a = &l->at.at[*(const uint32_t *)pa];
	const struct location *b = &l->at.at[*(const uint32_t *)pb];
	int order = by_number(a->function, b->function);

	return order ? order : by_number(l->places.keys[a->place], l->places.keys[b->place]);
}

static int by_target(const void *pa, const void *pb, void *of)
{
	const struct locations *l = of;
	const struct location_target *a = &l->targets.at[*(const uint32_t *)pa];
	const struct location_target *b = &l->targets.at[*(const uint32_t *)pb];
	int order = by_number(a->location, b->location);

	if (!order && a->count != b->count)
		order = a->count > b->count ? -1 : 1;
	return order ? order : strcmp(name_of(l, a->name), name_of(l, b->name));
}

typedef int compare_ids(const void *a, const void *b, void *l);

static uint32_t *sorted_ids(size_t n, compare_ids *compare, const struct locations *l)
{
	uint32_t *ids = malloc((n + 1) * sizeof *ids);

	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = i;
	if (ids && n)
		qsort_r(ids, n, sizeof *ids, compare, (void *)l);
	return ids;
}

static void extend(struct sorted_range *r, uint32_t at)
{
	if (r->end == 0)
		r->first = at;
	r->end = at + 1;
}

int sorted_locations_init(struct sorted_locations *s, const struct locations *l, struct error *e)
{
	size_t nf = l->functions.len, n = l->at.len;

	s->functions = sorted_ids(nf, by_name, l);
	s->locations = sorted_ids(n, by_place, l);
	s->targets = sorted_ids(l->targets.len, by_target, l);
	s->top = malloc((nf + 1) * sizeof *s->top);
	s->locations_of = calloc(nf + 1, sizeof *s->locations_of);
	s->inlined_at = calloc(n + 1, sizeof *s->inlined_at);
	s->targets_of = calloc(n + 1, sizeof *s->targets_of);
	if (!s->functions || !s->locations || !s->targets || !s->top || !s->locations_of ||
	    !s->inlined_at || !s->targets_of)
		return error_memory(e, n * sizeof *s->locations);
	for (uint32_t i = 0; i < nf; i++) {
		uint32_t parent = l->functions.at[s->functions[i]].parent;
		if (parent == LOCATION_NONE)
			s->top[s->num_top++] = s->functions[i];
		else
			extend(&s->inlined_at[parent], i);
	}
	for (uint32_t i = 0; i < n; i++)
		extend(&s->locations_of[l->at.at[s->locations[i]].function], i);
	for (uint32_t i = 0; i < l->targets.len; i++)
		extend(&s->targets_of[l->targets.at[s->targets[i]].location], i);
	if (s->num_top)
		qsort_r(s->top, s->num_top, sizeof *s->top, by_samples, (void *)l);
	return 0;
}

void sorted_locations_deinit(struct sorted_locations *s)
{
	if (!s)
		return;
	free(s->top);
	free(s->functions);
	free(s->locations);
	free(s->targets);
	free(s->locations_of);
	free(s->inlined_at);
	free(s->targets_of);
	*s = (struct sorted_locations){0};
}
