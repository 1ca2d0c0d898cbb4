/* Rows (metric, row, events, samples) of what processes or threads have of metrics, in this order.
 * Used by one thread. */
#ifndef DB_WRITE_SUMS_TABLE_H
#define DB_WRITE_SUMS_TABLE_H

#include "db/write/bulk.h"
#include "formats/base/vec.h"
#include "hpcprof/model/metric_sums.h"

struct sums_table_row {
	uint32_t metric, row;
	struct model_sum sum;
};

/* All zeros is empty. */
struct sums_table {
	VEC(struct sums_table_row) rows;
};

/* Add the sums of a row. False if memory ran out. */
bool sums_table_add(struct sums_table *t, uint32_t row, const struct metric_sums *sums);

/* Write them to a table, and free them; metric and row are the ids of the first ones. all: whether
 * all were added; if not, that is the error. 0, or -1 and *e. */
int sums_table_write(struct sums_table *t, bool all, sqlite3 *db, const char *name, int64_t metric,
		     int64_t row, struct error *e);

#endif
