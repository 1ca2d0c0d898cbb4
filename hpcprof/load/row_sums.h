/* The sums of a datafile's metrics, for each of its threads, and for trees without a thread. Only
 * rows that something was added to take memory: a row is as long as a node is in the file. */
#ifndef HPCPROF_LOAD_ROW_SUMS_H
#define HPCPROF_LOAD_ROW_SUMS_H

#include "formats/base/interner.h"

#include <stddef.h>
#include <stdint.h>

/* All zeros is closed. */
struct row_sums {
	uint32_t threads, metrics;
	struct interner row_of; /* the row of a thread; of trees without one: of threads */
	uint64_t *at;           /* [rows][metrics] */
	size_t room;
};

void row_sums_open(struct row_sums *s, uint32_t threads, uint32_t metrics);
void row_sums_close(struct row_sums *s);

/* The row of a thread, which is added if it is new; from threads on: of trees without a thread.
 * [metrics]; until the next call. NULL if memory ran out. */
uint64_t *row_sums_add(struct row_sums *s, uint32_t thread);

/* The row of a thread; NULL if it has none: then all its sums are 0. */
const uint64_t *row_sums_row(const struct row_sums *s, uint32_t thread);

/* The sum of a metric over all rows. */
uint64_t row_sums_total(const struct row_sums *s, uint32_t metric);

#endif
