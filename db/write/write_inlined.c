/* The values in inlined code, by line and function. */
#include "db/write/write.h"

#include "formats/base/interner.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>

/* Values by line and function. Keys are made of ranks, so that they sort like the table. */
struct inlined {
	struct interner keys; /* line << 32 | function */
	VEC(uint64_t) sums;   /* two per key: events, samples */
};

static bool add(struct inlined *in, uint64_t key, const uint64_t *values)
{
	uint32_t id = interner_add(&in->keys, key);
	bool saturated = false;

	if (id == INTERNER_NONE)
		return false;
	while (in->sums.len < 2 * (size_t)in->keys.len)
		if (!vec_push(&in->sums, 0))
			return false;
	for (size_t k = 0; k < 2; k++)
		in->sums.at[2 * (size_t)id + k] =
		    sum_add(in->sums.at[2 * (size_t)id + k], values[k], &saturated);
	return true;
}

static bool add_all(struct inlined *in, const struct db_writing *w, const uint64_t *exclusive)
{
	const struct db_tree *t = &w->tree;
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->len; i++) {
		const uint64_t *values = exclusive + 2 * (size_t)i;
		const struct db_piece *piece;
		if (t->piece[i] == DB_TREE_ROOT || (!values[0] && !values[1]))
			continue;
		piece = &t->pieces.at[t->piece[i]];
		if (piece->inlined)
			ok = add(in,
				 (uint64_t)w->ranks.lines[piece->line] << 32 |
				     w->ranks.functions[piece->function],
				 values);
	}
	return ok;
}

static int by_key(const void *pa, const void *pb, void *context)
{
	const struct inlined *in = context;
	uint64_t a = in->keys.keys[*(const uint32_t *)pa], b = in->keys.keys[*(const uint32_t *)pb];
	return (a > b) - (a < b);
}

static int write_rows(struct db_writing *w, size_t metric, const struct inlined *in,
		      const uint32_t *order, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, w->db, "inlined_line", 5, e);
	for (uint32_t i = 0; i < in->keys.len; i++) {
		uint64_t key = in->keys.keys[order[i]];
		bulk_int(&b, w->metric + (int64_t)metric);
		bulk_int(&b, w->line + (int64_t)(key >> 32));
		bulk_int(&b, w->function + (int64_t)(uint32_t)key);
		bulk_sum(&b, in->sums.at[2 * (size_t)order[i]]);
		bulk_sum(&b, in->sums.at[2 * (size_t)order[i] + 1]);
	}
	return bulk_end(&b, e);
}

int db_write_inlined(struct db_writing *w, size_t metric, const uint64_t *exclusive,
		     struct error *e)
{
	struct inlined in = {0};
	uint32_t *order = NULL;
	int rc = -1;

	if (add_all(&in, w, exclusive))
		order = malloc((in.keys.len + (size_t)1) * sizeof *order);
	if (order) {
		for (uint32_t i = 0; i < in.keys.len; i++)
			order[i] = i;
		qsort_r(order, in.keys.len, sizeof *order, by_key, &in);
		rc = write_rows(w, metric, &in, order, e);
	} else {
		error_memory(e, in.keys.len * sizeof *order);
	}
	free(order);
	interner_deinit(&in.keys);
	vec_free(&in.sums);
	return rc;
}
