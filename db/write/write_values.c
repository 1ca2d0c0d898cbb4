/* Values by code and by call. */
#include "db/write/write.h"

#include "formats/base/interner.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>

/* Walking the contexts takes most of the time, so several metrics are attributed together: as many
 * as need little memory (64 bytes a context). */
enum { AT_ONCE = 4 };

struct value_batch {
	struct db_writing *w;
	size_t metrics[AT_ONCE], n;
	const uint64_t *columns[2 * AT_ONCE]; /* events and samples of each */
};

/* ---- by code --------------------------------------------------------------------------- */

static bool any(const uint64_t sums[2])
{
	return sums[0] || sums[1];
}

/* Write events and samples of a row. */
static void write_sums(struct bulk *b, const uint64_t own[2], const uint64_t below[2])
{
	bulk_sum(b, own[0]);
	bulk_sum(b, own[1]);
	bulk_sum(b, below[0]);
	bulk_sum(b, below[1]);
}

/* A table of a grouping. */
struct value_table {
	const char *name;
	enum grouping by;
	const uint32_t *at;      /* ids of its rows in order; NULL: 0, 1, ... */
	const uint32_t *numbers; /* ids in the table are first + numbers[row]; NULL: consecutive */
	int64_t first;
};

static int write_rows(const struct value_batch *v, const struct value_table *t,
		      const struct attribution *a, struct error *e)
{
	size_t columns = 2 * v->n;
	struct bulk b;

	bulk_begin(&b, v->w->db, t->name, 6, e);
	for (size_t k = 0; k < v->n; k++)
		for (size_t i = 0; i < a->by[t->by].num_rows; i++) {
			size_t row = t->at ? t->at[i] : i;
			const uint64_t *own = a->by[t->by].exclusive + columns * row + 2 * k;
			const uint64_t *below = a->by[t->by].inclusive + columns * row + 2 * k;
			if (!any(below))
				continue;
			bulk_int(&b, v->w->metric + (int64_t)v->metrics[k]);
			bulk_int(&b, t->first + (int64_t)(t->numbers ? t->numbers[row] : i));
			write_sums(&b, own, below);
		}
	return bulk_end(&b, e);
}

/* A function's values by its hash. */
struct comparable {
	int64_t hash;
	size_t rank;
	uint64_t own, below;
};

static int by_hash(const void *pa, const void *pb)
{
	const struct comparable *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Join rows with the same hash. rows are sorted. Returns their new number. */
static size_t join_hashes(struct comparable *rows, size_t n)
{
	bool saturated = false;
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		struct comparable *last = len ? &rows[len - 1] : NULL;
		if (last && last->hash == rows[i].hash) {
			last->own = sum_add(last->own, rows[i].own, &saturated);
			last->below = sum_add(last->below, rows[i].below, &saturated);
		} else {
			rows[len++] = rows[i];
		}
	}
	return len;
}

/* Write the values of metric k of the batch by hash. rows has room for all functions. */
static void write_hashes(const struct value_batch *v, size_t k, const struct attribution *a,
			 struct comparable *rows, struct bulk *b)
{
	const struct db_writing *w = v->w;
	size_t n = 0;

	for (size_t i = 0; i < w->p->code.functions.len; i++) {
		uint32_t id = w->ranks.function_at[i];
		const uint64_t *own = a->by[BY_FUNCTION].exclusive + 2 * v->n * id + 2 * k;
		const uint64_t *below = a->by[BY_FUNCTION].inclusive + 2 * v->n * id + 2 * k;
		if (any(below))
			rows[n++] = (struct comparable){(int64_t)db_hash_function(w->p, id), i,
							own[0], below[0]};
	}
	if (n)
		qsort(rows, n, sizeof *rows, by_hash);
	n = join_hashes(rows, n);
	for (size_t i = 0; i < n; i++) {
		bulk_int(b, w->metric + (int64_t)v->metrics[k]);
		bulk_int(b, rows[i].hash);
		bulk_int(b, w->function + (int64_t)rows[i].rank);
		bulk_sum(b, rows[i].own);
		bulk_sum(b, rows[i].below);
	}
}

static int write_comparable(const struct value_batch *v, const struct attribution *a,
			    struct error *e)
{
	size_t functions = v->w->p->code.functions.len;
	struct comparable *rows = malloc((functions + 1) * sizeof *rows);
	struct bulk b;

	if (!rows)
		return error_memory(e, functions * sizeof *rows);
	bulk_begin(&b, v->w->db, "comparable", 5, e);
	for (size_t k = 0; k < v->n; k++)
		write_hashes(v, k, a, rows, &b);
	free(rows);
	return bulk_end(&b, e);
}

/* The ids of the code's files in the order of the table. */
static uint32_t *files_in_order(const struct db_writing *w)
{
	size_t n = w->p->code.files.len, rows = 0, k = 0;
	uint32_t *places, *out = calloc(n + 1, sizeof *out);

	for (size_t i = 0; i < n; i++)
		rows = w->files[i] >= rows ? w->files[i] + (size_t)1 : rows;
	places = calloc(rows + 1, sizeof *places);
	for (size_t i = 0; out && places && i < n; i++)
		places[w->files[i]] = (uint32_t)i + 1;
	for (size_t i = 0; out && places && i < rows; i++)
		if (places[i])
			out[k++] = places[i] - 1;
	if (!places) {
		free(out);
		out = NULL;
	}
	free(places);
	return out;
}

static int write_code(const struct value_batch *v, struct error *e)
{
	const struct db_writing *w = v->w;
	uint32_t *files = files_in_order(w);
	const struct value_table tables[] = {
	    {"module_value", BY_MODULE, NULL, NULL, w->module},
	    {"file_value", BY_FILE, files, w->files, w->file},
	    {"function_value", BY_FUNCTION, w->ranks.function_at, NULL, w->function},
	    {"line_value", BY_LINE, w->ranks.line_at, NULL, w->line}};
	struct attribution a = {0};
	unsigned wanted = 0;
	int rc;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		wanted |= ATTRIBUTE(tables[i].by);
	rc = files ? attribute(w->p->model, &w->p->code, wanted, v->columns, 2 * v->n, &a, e)
		   : error_memory(e, 0);

	for (size_t i = 0; rc == 0 && i < sizeof tables / sizeof *tables; i++)
		rc = write_rows(v, &tables[i], &a, e);
	if (rc == 0)
		rc = write_comparable(v, &a, e);
	attribute_deinit(&a);
	free(files);
	return rc;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* Pairs of callee and caller. Keys are made of ranks, so that they sort like the table. */
struct call_counts {
	const struct db_writing *w;
	struct interner pairs; /* key: callee << 32 | caller + 1, or 0 */
	bool full;
};

static uint32_t row_of_call(void *context, const struct occurrence *o)
{
	struct call_counts *c = context;
	const uint32_t *ranks = c->w->ranks.functions;
	uint64_t key = (uint64_t)ranks[o->code->function] << 32 |
		       (o->caller ? ranks[o->caller->function] + UINT64_C(1) : 0);
	uint32_t row = interner_add(&c->pairs, key);

	c->full |= row == INTERNER_NONE;
	return row;
}

/* Find all pairs first: attribute_rows needs their number. */
static bool find_calls(struct call_counts *c)
{
	const struct symbolized *code = &c->w->p->code;
	const struct model *m = c->w->p->model;

	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(m) && !c->full; i++) {
		uint32_t frame = model_frame_of(m, i), up = model_parent(m, i);
		for (uint32_t k = code->first[frame]; k < code->first[frame + 1]; k++) {
			struct occurrence o = {.frame = frame, .code = &code->frames.at[k]};
			if (k + 1 < code->first[frame + 1])
				o.caller = o.code + 1;
			else if (up >= MODEL_ROOTS)
				o.caller = &code->frames.at[code->first[model_frame_of(m, up)]];
			row_of_call(c, &o);
		}
	}
	return !c->full;
}

static int by_key(const void *pa, const void *pb, void *context)
{
	const struct call_counts *c = context;
	uint64_t a = c->pairs.keys[*(const uint32_t *)pa], b = c->pairs.keys[*(const uint32_t *)pb];
	return (a > b) - (a < b);
}

static int write_call_rows(const struct value_batch *v, const struct call_counts *c,
			   const struct attributed_rows *r, const uint32_t *order, struct error *e)
{
	size_t columns = 2 * v->n;
	struct bulk b;

	bulk_begin(&b, v->w->db, "call_value", 6, e);
	for (size_t k = 0; k < v->n; k++)
		for (uint32_t i = 0; i < c->pairs.len; i++) {
			const uint64_t *own = r->exclusive + columns * order[i] + 2 * k;
			const uint64_t *below = r->inclusive + columns * order[i] + 2 * k;
			if (!any(below))
				continue;
			bulk_int(&b, v->w->metric + (int64_t)v->metrics[k]);
			bulk_int(&b, v->w->call + i);
			write_sums(&b, own, below);
		}
	return bulk_end(&b, e);
}

static int write_calls(const struct value_batch *v, struct call_counts *c, const uint32_t *order,
		       struct error *e)
{
	struct attributed_rows r = {0};
	const struct profile *p = v->w->p;
	int rc = attribute_rows(p->model, &p->code, v->columns, 2 * v->n, c->pairs.len, row_of_call,
				c, &r, e);

	if (rc == 0)
		rc = write_call_rows(v, c, &r, order, e);
	free(r.exclusive);
	free(r.inclusive);
	return rc;
}

static int write_pairs(const struct call_counts *c, const uint32_t *order, struct error *e)
{
	int64_t function = c->w->function;
	struct bulk b;

	bulk_begin(&b, c->w->db, "call", 3, e);
	for (uint32_t i = 0; i < c->pairs.len; i++) {
		uint64_t key = c->pairs.keys[order[i]];
		bulk_int(&b, c->w->call + i);
		bulk_int(&b, function + (int64_t)(key >> 32));
		bulk_int_or_null(&b, (uint32_t)key, function + (int64_t)(uint32_t)key - 1);
	}
	return bulk_end(&b, e);
}

/* ---- all metrics ------------------------------------------------------------------------ */

static int write_batches(struct db_writing *w, struct call_counts *c, const uint32_t *order,
			 struct error *e)
{
	size_t metrics = w->p->model->metrics.len;
	struct value_batch v = {.w = w};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < metrics; i++) {
		const struct model_metric *k = &w->p->model->metrics.at[i];
		if (k->total.events || k->total.samples) {
			v.columns[2 * v.n] = k->events;
			v.columns[2 * v.n + 1] = k->samples;
			v.metrics[v.n++] = i;
		}
		if (v.n != AT_ONCE && (i + 1 < metrics || !v.n))
			continue;
		rc = write_code(&v, e);
		if (rc == 0)
			rc = write_calls(&v, c, order, e);
		v.n = 0;
	}
	return rc;
}

int db_write_values(struct db_writing *w, struct error *e)
{
	struct call_counts c = {.w = w};
	uint32_t *order = NULL;
	int rc;

	if (find_calls(&c))
		order = malloc((c.pairs.len + (size_t)1) * sizeof *order);
	if (!order) {
		interner_deinit(&c.pairs);
		return error_memory(e, c.pairs.len * sizeof *order);
	}
	for (uint32_t i = 0; i < c.pairs.len; i++)
		order[i] = i;
	qsort_r(order, c.pairs.len, sizeof *order, by_key, &c);
	rc = write_pairs(&c, order, e);
	if (rc == 0)
		rc = write_batches(w, &c, order, e);
	free(order);
	interner_deinit(&c.pairs);
	return rc;
}
