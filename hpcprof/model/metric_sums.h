/* The sums of a process or of threads, by the model's metrics. Most have values of few metrics, so
 * the others take no memory. Used by one thread. */
#ifndef HPCPROF_MODEL_METRIC_SUMS_H
#define HPCPROF_MODEL_METRIC_SUMS_H

#include "formats/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Sums of one metric, which saturate at 2^64 - 1. */
struct model_sum {
	uint64_t events, samples;
};

struct metric_sum {
	uint32_t metric;
	struct model_sum sum;
};

/* In the order of metrics, each at most once. All zeros is empty. The memory is of an arena. */
struct metric_sums {
	struct metric_sum *at;
	uint32_t len, cap;
};

/* Those of a metric; zeros if it has none. */
struct model_sum metric_sums_get(const struct metric_sums *s, uint32_t metric);

/* Add to those of a metric, or replace them. False if memory ran out. */
bool metric_sums_add(struct metric_sums *s, struct arena *a, uint32_t metric,
		     struct model_sum value);
bool metric_sums_set(struct metric_sums *s, struct arena *a, uint32_t metric,
		     struct model_sum value);

/* Add all of from. metrics: what each of its metrics is called in to; NULL: the same. False if
 * memory ran out. */
bool metric_sums_join(struct metric_sums *to, struct arena *a, const struct metric_sums *from,
		      const uint32_t *metrics);

/* The metrics were renumbered: each has the number that places has for it. */
void metric_sums_move(struct metric_sums *s, const uint32_t *places);

/* By the first metric whose sums differ, as strcmp. */
int metric_sums_compare(const struct metric_sums *a, const struct metric_sums *b);

#endif
