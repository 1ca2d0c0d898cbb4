#include "hpcprof/correlate/name_ranks.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *pa, const void *pb, void *context)
{
	const struct symbolized *c = context;
	const uint32_t *a = pa, *b = pb;

	return strcmp(c->functions.at[*a].name, c->functions.at[*b].name);
}

uint32_t *name_ranks(struct symbolized *c)
{
	size_t n = c->functions.len;
	uint32_t *order = malloc((n + 1) * sizeof *order), rank = 0;
	uint32_t *ranks = malloc((n + 1) * sizeof *ranks);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && ranks)
		qsort_r(order, n, sizeof *order, by_name, c);
	for (size_t i = 0; order && ranks && i < n; i++) {
		rank += i && by_name(&order[i - 1], &order[i], c) != 0;
		ranks[order[i]] = rank;
	}
	if (!order) {
		free(ranks);
		ranks = NULL;
	}
	free(order);
	return ranks;
}
