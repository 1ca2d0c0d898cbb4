/* The calling context tree, and values by context. */
#include "db/write/write.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree ---------------------------------------------------------------------------- */

/* Begin one of the large tables; by_rowid as in pages_begin. */
static void begin(struct db_writing *w, struct bulk *b, const char *table, unsigned columns,
		  bool by_rowid, struct error *e)
{
	if (w->pages)
		bulk_begin_pages(b, w->pages, w->db, table, columns, by_rowid, e);
	else
		bulk_begin(b, w->db, table, columns, e);
}

/* The piece that a context adds to its parent; NULL: a root. */
static const struct db_piece *piece_of(const struct db_tree *t, uint32_t i)
{
	return t->piece[i] == DB_TREE_ROOT ? NULL : &t->pieces.at[t->piece[i]];
}

static int write_tree(struct db_writing *w, struct error *e)
{
	static const char columns[] =
	    "context (id, depth, function, line, hash, beneath, up, inlined)";
	const struct db_tree *t = &w->tree;
	struct bulk b;

	begin(w, &b, columns, 8, true, e);
	for (uint32_t i = 0; i < t->len && !b.failed; i++) {
		const struct db_piece *piece = piece_of(t, i);
		bulk_int(&b, w->context + i);
		bulk_int(&b, t->depth[i]);
		bulk_int_or_null(&b, piece,
				 piece ? w->function + (int64_t)w->ranks.functions[piece->function]
				       : 0);
		bulk_int_or_null(&b, piece,
				 piece ? w->line + (int64_t)w->ranks.lines[piece->line] : 0);
		bulk_int(&b, (int64_t)t->hash[i]);
		bulk_int(&b, t->last[i] - i);
		bulk_int_or_null(&b, piece, i - t->parent[i]);
		bulk_int(&b, piece && piece->inlined);
		if (i % 65536 == 0)
			diag_progress(w->d, "writing: %u of %u contexts", i, t->len);
	}
	return bulk_end(&b, e);
}

/* Contexts sorted by function: those of the function of rank f are at[first[f]] .. at[first[f + 1]
 * - 1]. */
struct by_function {
	uint32_t *first, *at;
};

static int sort_contexts(struct by_function *s, const struct db_writing *w, struct error *e)
{
	const struct db_tree *t = &w->tree;
	size_t functions = w->p->code.functions.len;

	/* one more element: during sorting first[f + 1] is where the next context of f goes */
	s->first = calloc(functions + 2, sizeof *s->first);
	s->at = malloc(t->len * sizeof *s->at);
	if (!s->first || !s->at)
		return error_memory(e, t->len * sizeof *s->at);
	for (uint32_t i = 0; i < t->len; i++)
		if (piece_of(t, i))
			s->first[w->ranks.functions[piece_of(t, i)->function] + 2]++;
	for (size_t f = 2; f < functions + 2; f++)
		s->first[f] += s->first[f - 1];
	for (uint32_t i = 0; i < t->len; i++)
		if (piece_of(t, i))
			s->at[s->first[w->ranks.functions[piece_of(t, i)->function] + 1]++] = i;
	return 0;
}

static int write_outermost(struct db_writing *w, struct error *e)
{
	const struct db_tree *t = &w->tree;
	struct by_function s;
	struct bulk b;
	int rc = sort_contexts(&s, w, e);

	if (rc == 0) {
		begin(w, &b, "outermost", 2, false, e);
		for (size_t f = 0; f < w->p->code.functions.len; f++)
			for (uint32_t i = s.first[f], beyond = 0; i < s.first[f + 1]; i++) {
				if (s.at[i] < beyond)
					continue;
				beyond = t->last[s.at[i]] + 1;
				bulk_int(&b, w->function + (int64_t)f);
				bulk_int(&b, w->context + s.at[i]);
			}
		rc = bulk_end(&b, e);
	}
	free(s.first);
	free(s.at);
	return rc;
}

/* ---- values ------------------------------------------------------------------------------ */

/* The values of one metric in all contexts: events and samples alternate. */
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

/* Write the contexts with values to table exclusive or inclusive. */
static void write_values(const struct values *v, struct bulk *b, const uint64_t *values)
{
	int64_t metric = v->w->metric + (int64_t)v->metric;

	for (uint32_t i = 0; i < v->w->tree.len && !b->failed; i++) {
		const uint64_t *at = values + 2 * (size_t)i;
		if (!at[0] && !at[1])
			continue;
		bulk_int(b, metric);
		bulk_int(b, v->w->context + i);
		bulk_sum(b, at[0]);
		bulk_sum(b, at[1]);
		if (i % 262144 == 0)
			diag_progress(v->w->d, "writing: values of %u of %u contexts", i,
				      v->w->tree.len);
	}
}

/* ---- the hottest and the deepest -------------------------------------------------------- */

/* The numbers that contexts are sorted by. Contexts with 0 are omitted. */
struct order {
	uint32_t len; /* contexts */
	uint64_t (*of)(const void *from, uint32_t context);
	const void *from;
};

/* Whether a precedes b: the larger number first, then the smaller context. */
static bool precedes(const struct order *o, uint32_t a, uint32_t b)
{
	uint64_t x = o->of(o->from, a), y = o->of(o->from, b);
	return x != y ? x > y : a < b;
}

static int by_order(const void *pa, const void *pb, void *context)
{
	return precedes(context, *(const uint32_t *)pa, *(const uint32_t *)pb) ? -1 : 1;
}

/* Replace heap[0], the last of n in the order, by another. */
static void replace_last(const struct order *o, uint32_t *heap, uint32_t n, uint32_t with)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && precedes(o, heap[child], heap[child + 1]))
			child++;
		if (!precedes(o, with, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = with;
}

/* Find the first DB_MOST contexts in the order. Returns their number. */
static uint32_t find_first(struct order *o, uint32_t *heap)
{
	uint32_t n = 0, i;

	for (i = 0; i < o->len && n < DB_MOST; i++)
		if (o->of(o->from, i))
			heap[n++] = i;
	/* the reverse order is a heap */
	qsort_r(heap, n, sizeof *heap, by_order, o);
	for (uint32_t k = 0; k < n / 2; k++) {
		uint32_t swap = heap[k];
		heap[k] = heap[n - 1 - k];
		heap[n - 1 - k] = swap;
	}
	for (; i < o->len; i++)
		if (o->of(o->from, i) && precedes(o, i, heap[0]))
			replace_last(o, heap, n, i);
	qsort_r(heap, n, sizeof *heap, by_order, o);
	return n;
}

/* Write the first contexts to a table whose columns are of, place and context. */
static int write_first(struct db_writing *w, const char *table, int64_t of, struct order *o,
		       struct error *e)
{
	uint32_t heap[DB_MOST], n = find_first(o, heap);
	struct bulk b;

	bulk_begin(&b, w->db, table, 3, e);
	for (uint32_t i = 0; i < n; i++) {
		bulk_int(&b, of);
		bulk_int(&b, i + 1);
		bulk_int(&b, w->context + heap[i]);
	}
	return bulk_end(&b, e);
}

static uint64_t heat_of(const void *exclusive, uint32_t context)
{
	return ((const uint64_t *)exclusive)[2 * (size_t)context];
}

static uint64_t depth_of(const void *depth, uint32_t context)
{
	return ((const uint32_t *)depth)[context];
}

/* ---- all metrics ------------------------------------------------------------------------- */

/* Go to the next metric that has values, from v->metric on. 1; 0: there is none; -1 and *e. */
static int next_values(struct values *v, struct error *e)
{
	const struct model *m = v->w->p->model;

	for (; v->metric < m->metrics.len; v->metric++)
		if (m->metrics.at[v->metric].total.events || m->metrics.at[v->metric].total.samples)
			return sum_contexts(v, e) == 0 ? 1 : -1;
	return 0;
}

static void forget_values(struct values *v)
{
	free(v->exclusive);
	free(v->inclusive);
	*v = (struct values){.w = v->w, .metric = v->metric + 1};
}

int db_write_contexts(struct db_writing *w, struct error *e)
{
	struct values v = {.w = w};
	struct bulk exclusive, inclusive;
	int rc = write_tree(w, e), ended;

	if (rc == 0)
		rc = write_outermost(w, e);
	if (rc != 0)
		return rc;
	begin(w, &exclusive, "exclusive", 4, false, e);
	begin(w, &inclusive, "inclusive", 4, false, e);
	for (; (rc = next_values(&v, e)) > 0; forget_values(&v)) {
		write_values(&v, &exclusive, v.exclusive);
		write_values(&v, &inclusive, v.inclusive);
	}
	forget_values(&v);
	ended = bulk_end(&exclusive, rc == 0 ? e : NULL);
	rc = rc == 0 ? ended : rc;
	ended = bulk_end(&inclusive, rc == 0 ? e : NULL);
	return rc == 0 ? ended : rc;
}

int db_write_hottest(struct db_writing *w, struct error *e)
{
	struct values v = {.w = w};
	struct order deep = {w->tree.len, depth_of, w->tree.depth};
	int rc = write_first(w, "deepest", w->measurement, &deep, e);

	if (rc != 0)
		return rc;
	for (; (rc = next_values(&v, e)) > 0; forget_values(&v)) {
		struct order hot = {w->tree.len, heat_of, v.exclusive};
		if (write_first(w, "hottest", w->metric + (int64_t)v.metric, &hot, e) != 0 ||
		    db_write_inlined(w, v.metric, v.exclusive, e) != 0) {
			rc = -1;
			break;
		}
	}
	forget_values(&v);
	return rc;
}
