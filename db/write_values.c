/* Values by context, by code, and by call. */
#include "db/write.h"

#include "hpcprof/attribute.h"
#include "hpcprof/interner.h"
#include "hpcprof/sum.h"

#include <stdlib.h>
#include <string.h>

/* One metric, in all contexts: events and samples side by side. */
struct values {
	struct db_writing *w;
	size_t metric;
	uint64_t *exclusive, *inclusive; /* [2 * contexts of the tree] */
};

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

static int sum_contexts(struct values *v, struct error *e)
{
	const struct db_tree *t = &v->w->tree;
	const struct model_metric *k = &v->w->p->model->metrics.at[v->metric];
	uint32_t contexts = model_num_contexts(v->w->p->model);

	v->exclusive = calloc(2 * (size_t)t->len, sizeof *v->exclusive);
	v->inclusive = calloc(2 * (size_t)t->len, sizeof *v->inclusive);
	if (!v->exclusive || !v->inclusive)
		return error_memory(e, 2 * t->len * sizeof *v->inclusive);
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		add(&v->exclusive[2 * (size_t)t->numbers[i]], k->events[i]);
		add(&v->exclusive[2 * (size_t)t->numbers[i] + 1], k->samples[i]);
	}
	memcpy(v->inclusive, v->exclusive, 2 * (size_t)t->len * sizeof *v->inclusive);
	for (uint32_t i = t->len; i-- > 0;)
		for (int k2 = 0; k2 < 2 && t->piece[i] != DB_TREE_ROOT; k2++)
			add(&v->inclusive[2 * (size_t)t->parent[i] + k2],
			    v->inclusive[2 * (size_t)i + k2]);
	return 0;
}

static int write_contexts(const struct values *v, const char *table, const uint64_t *values,
			  struct error *e)
{
	int64_t metric = v->w->metric + (int64_t)v->metric;
	struct bulk b;

	bulk_begin(&b, v->w->db, table, 4, e);
	for (uint32_t i = 0; i < v->w->tree.len && !b.failed; i++) {
		const uint64_t *at = values + 2 * (size_t)i;
		if (!at[0] && !at[1])
			continue;
		bulk_int(&b, metric);
		bulk_int(&b, v->w->context + i);
		bulk_sum(&b, at[0]);
		bulk_sum(&b, at[1]);
		if (i % 262144 == 0)
			diag_progress(v->w->d, "writing: values of %u of %u contexts", i,
				      v->w->tree.len);
	}
	return bulk_end(&b, e);
}

/* ---- the hottest ----------------------------------------------------------------------- */

/* Sorts before: more events, then the smaller number. */
static bool hotter(const struct values *v, uint32_t a, uint32_t b)
{
	uint64_t x = v->exclusive[2 * (size_t)a], y = v->exclusive[2 * (size_t)b];
	return x != y ? x > y : a < b;
}

static int by_heat(const void *pa, const void *pb, void *context)
{
	return hotter(context, *(const uint32_t *)pa, *(const uint32_t *)pb) ? -1 : 1;
}

/* heap[0] is the coolest of n; put another in its place. */
static void replace_coolest(const struct values *v, uint32_t *heap, uint32_t n, uint32_t with)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && hotter(v, heap[child], heap[child + 1]))
			child++;
		if (!hotter(v, with, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = with;
}

static int write_hottest(const struct values *v, struct error *e)
{
	uint32_t heap[DB_HOTTEST], n = 0, i;
	struct bulk b;

	for (i = 0; i < v->w->tree.len && n < DB_HOTTEST; i++)
		if (v->exclusive[2 * (size_t)i])
			heap[n++] = i;
	/* the coolest first is a heap */
	qsort_r(heap, n, sizeof *heap, by_heat, (void *)v);
	for (uint32_t k = 0; k < n / 2; k++) {
		uint32_t swap = heap[k];
		heap[k] = heap[n - 1 - k];
		heap[n - 1 - k] = swap;
	}
	for (; i < v->w->tree.len; i++)
		if (v->exclusive[2 * (size_t)i] && hotter(v, i, heap[0]))
			replace_coolest(v, heap, n, i);
	qsort_r(heap, n, sizeof *heap, by_heat, (void *)v);
	bulk_begin(&b, v->w->db, "hottest", 3, e);
	for (i = 0; i < n; i++) {
		bulk_int(&b, v->w->metric + (int64_t)v->metric);
		bulk_int(&b, i + 1);
		bulk_int(&b, v->w->context + heap[i]);
	}
	return bulk_end(&b, e);
}

/* ---- by code --------------------------------------------------------------------------- */

static bool any(const uint64_t sums[2])
{
	return sums[0] || sums[1];
}

/* Events and samples of a row. */
static void write_sums(struct bulk *b, const uint64_t own[2], const uint64_t below[2])
{
	bulk_sum(b, own[0]);
	bulk_sum(b, own[1]);
	bulk_sum(b, below[0]);
	bulk_sum(b, below[1]);
}

/* The rows at[0], at[1] ... of a grouping (or just 0, 1 ...); their ids are first + numbers[row],
 * or where there are no numbers they count up. */
static int write_rows(const struct values *v, const char *table, const struct attribution *a,
		      enum grouping g, const uint32_t *at, const uint32_t *numbers, int64_t first,
		      struct error *e)
{
	struct bulk b;

	bulk_begin(&b, v->w->db, table, 6, e);
	for (size_t i = 0; i < a->by[g].num_rows; i++) {
		size_t row = at ? at[i] : i;
		const uint64_t *own = a->by[g].exclusive + 2 * row;
		const uint64_t *below = a->by[g].inclusive + 2 * row;
		if (!any(below))
			continue;
		bulk_int(&b, v->w->metric + (int64_t)v->metric);
		bulk_int(&b, first + (int64_t)(numbers ? numbers[row] : i));
		write_sums(&b, own, below);
	}
	return bulk_end(&b, e);
}

/* Ids of the code's files in the order of the table. */
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

static int write_code(const struct values *v, const uint64_t *const *columns, struct error *e)
{
	const struct db_writing *w = v->w;
	uint32_t *files = files_in_order(w);
	struct attribution a = {0};
	int rc =
	    files ? attribute(w->p->model, &w->p->code, columns, 2, &a, e) : error_memory(e, 0);

	if (rc == 0)
		rc = write_rows(v, "module_value", &a, BY_MODULE, NULL, NULL, w->module, e);
	if (rc == 0)
		rc = write_rows(v, "file_value", &a, BY_FILE, files, w->files, w->file, e);
	if (rc == 0)
		rc = write_rows(v, "function_value", &a, BY_FUNCTION, w->ranks.function_at, NULL,
				w->function, e);
	if (rc == 0)
		rc = write_rows(v, "line_value", &a, BY_LINE, w->ranks.line_at, NULL, w->line, e);
	attribution_deinit(&a);
	free(files);
	return rc;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* Pairs of callee and caller, by rank, so that keys sort as the table does. */
struct calls {
	const struct db_writing *w;
	struct interner pairs; /* key: callee << 32 | caller + 1, or 0 */
	bool full;
};

static uint32_t row_of_call(void *context, const struct occurrence *o)
{
	struct calls *c = context;
	const uint32_t *ranks = c->w->ranks.functions;
	uint64_t key = (uint64_t)ranks[o->code->function] << 32 |
		       (o->caller ? ranks[o->caller->function] + UINT64_C(1) : 0);
	uint32_t row = interner_add(&c->pairs, key);

	c->full |= row == INTERNER_NONE;
	return row;
}

/* Know all pairs beforehand: attribute_rows wants to know how many there are. */
static bool find_calls(struct calls *c)
{
	const struct code *code = &c->w->p->code;
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
	const struct calls *c = context;
	uint64_t a = c->pairs.keys[*(const uint32_t *)pa], b = c->pairs.keys[*(const uint32_t *)pb];
	return (a > b) - (a < b);
}

static int write_call_rows(const struct values *v, const struct calls *c,
			   const struct attributed_rows *r, const uint32_t *order, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, v->w->db, "call", 7, e);
	for (uint32_t i = 0; i < c->pairs.len; i++) {
		uint64_t key = c->pairs.keys[order[i]];
		const uint64_t *own = r->exclusive + 2 * (size_t)order[i];
		const uint64_t *below = r->inclusive + 2 * (size_t)order[i];
		if (!any(below))
			continue;
		bulk_int(&b, v->w->metric + (int64_t)v->metric);
		bulk_int(&b, v->w->function + (int64_t)(key >> 32));
		if ((uint32_t)key)
			bulk_int(&b, v->w->function + (int64_t)(uint32_t)key - 1);
		else
			bulk_null(&b);
		write_sums(&b, own, below);
	}
	return bulk_end(&b, e);
}

static int write_calls(const struct values *v, struct calls *c, const uint32_t *order,
		       const uint64_t *const *columns, struct error *e)
{
	struct attributed_rows r = {0};
	const struct profile *p = v->w->p;
	int rc =
	    attribute_rows(p->model, &p->code, columns, 2, c->pairs.len, row_of_call, c, &r, e);

	if (rc == 0)
		rc = write_call_rows(v, c, &r, order, e);
	free(r.exclusive);
	free(r.inclusive);
	return rc;
}

/* ---- all metrics ------------------------------------------------------------------------ */

static int write_metric(struct db_writing *w, size_t metric, struct calls *c, const uint32_t *order,
			struct error *e)
{
	const struct model_metric *k = &w->p->model->metrics.at[metric];
	const uint64_t *const columns[2] = {k->events, k->samples};
	struct values v = {.w = w, .metric = metric};
	int rc = 0;

	if (!k->total.events && !k->total.samples)
		return 0;
	rc = sum_contexts(&v, e);
	if (rc == 0)
		rc = write_contexts(&v, "exclusive", v.exclusive, e);
	if (rc == 0)
		rc = write_contexts(&v, "inclusive", v.inclusive, e);
	if (rc == 0)
		rc = write_hottest(&v, e);
	if (rc == 0)
		rc = db_write_inlined(w, metric, v.exclusive, e);
	free(v.exclusive);
	free(v.inclusive);
	if (rc == 0)
		rc = write_code(&v, columns, e);
	return rc == 0 ? write_calls(&v, c, order, columns, e) : rc;
}

int db_write_values(struct db_writing *w, struct error *e)
{
	struct calls c = {.w = w};
	uint32_t *order = NULL;
	int rc = 0;

	if (find_calls(&c))
		order = malloc((c.pairs.len + (size_t)1) * sizeof *order);
	if (!order) {
		interner_deinit(&c.pairs);
		return error_memory(e, c.pairs.len * sizeof *order);
	}
	for (uint32_t i = 0; i < c.pairs.len; i++)
		order[i] = i;
	qsort_r(order, c.pairs.len, sizeof *order, by_key, &c);
	for (size_t i = 0; rc == 0 && i < w->p->model->metrics.len; i++)
		rc = write_metric(w, i, &c, order, e);
	free(order);
	interner_deinit(&c.pairs);
	return rc;
}
