#include "db/write/sums_table.h"

#include <stdlib.h>

bool sums_table_add(struct sums_table *t, uint32_t row, const struct metric_sums *sums)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < sums->len; i++) {
		const struct metric_sum *s = &sums->at[i];
		if (s->sum.events || s->sum.samples)
			ok = vec_push(&t->rows, (struct sums_table_row){s->metric, row, s->sum});
	}
	return ok;
}

static int by_metric(const void *pa, const void *pb)
{
	const struct sums_table_row *a = pa, *b = pb;

	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

int sums_table_write(struct sums_table *t, bool all, sqlite3 *db, const char *name, int64_t metric,
		     int64_t row, struct error *e)
{
	struct bulk b;
	int rc = -1;

	bulk_begin(&b, db, name, 4, e);
	if (all && t->rows.len)
		qsort(t->rows.at, t->rows.len, sizeof *t->rows.at, by_metric);
	for (size_t i = 0; all && i < t->rows.len; i++) {
		const struct sums_table_row *r = &t->rows.at[i];
		bulk_int(&b, metric + (int64_t)r->metric);
		bulk_int(&b, row + (int64_t)r->row);
		bulk_sum(&b, r->sum.events);
		bulk_sum(&b, r->sum.samples);
	}
	rc = bulk_end(&b, e);
	if (!all)
		rc = error_memory(e, t->rows.cap * sizeof *t->rows.at);
	vec_free(&t->rows);
	return rc;
}
