/* The columns of the tree and of its functions. */
#include "hpcprof/metrics/activations.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/html/html.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- functions ------------------------------------------------------------------------- */

/* The function of a node; that above partial paths comes after all others. */
static uint32_t function_of(const struct html *h, uint32_t node)
{
	if (node == PATH_TREE_PARTIAL_ROOT)
		return (uint32_t)h->c->functions.len;
	return path_tree_function(&h->tree, node);
}

struct function_use {
	uint32_t function, nodes;
};

static int by_use(const void *pa, const void *pb)
{
	const struct function_use *a = pa, *b = pb;

	if (a->nodes != b->nodes)
		return a->nodes > b->nodes ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

int html_number_functions(struct html *h, struct error *e)
{
	size_t n = h->c->functions.len + 1;
	struct function_use *uses = calloc(n, sizeof *uses);

	h->number = calloc(n, sizeof *h->number);
	if (!uses || !h->number) {
		free(uses);
		return error_memory(e, n * sizeof *uses);
	}
	for (size_t i = 0; i < n; i++)
		uses[i].function = (uint32_t)i;
	for (uint32_t i = 0; i < h->tree.num_order; i++)
		uses[function_of(h, h->tree.order[i])].nodes++;
	qsort(uses, n, sizeof *uses, by_use);
	h->num_functions = 0;
	for (size_t i = 0; i < n; i++) {
		h->number[uses[i].function] = uses[i].nodes ? h->num_functions++ : HTML_NO_NUMBER;
		uses[i].nodes = 0;
	}
	free(uses);
	return 0;
}

/* ---- columns --------------------------------------------------------------------------- */

/* What a compressed column of events may take before its values are rounded: with 3 MB for the
 * others, a page of a million contexts stays below 6 MB. */
enum {
	EVENTS_MOST = 1 << 20,
	QUANTUM_STEP = 4,
	ROUGHEST_MEAN = 16 /* quanta of a mean sample at which rounding stops */
};

static int put_pops(struct html *h, struct error *e)
{
	html_bytes b = {0};
	uint32_t before = UINT32_MAX; /* -1 */
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < h->tree.num_order; i++) {
		uint32_t depth = h->tree.depth[h->tree.order[i]];
		if (!html_varint(&b, before + 1 - depth))
			rc = error_memory(e, b.len);
		before = depth;
	}
	if (rc == 0)
		rc = html_put_column(h->out, "pops", &b, e);
	vec_free(&b);
	return rc;
}

static int put_functions(struct html *h, struct error *e)
{
	html_bytes b = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < h->tree.num_order; i++) {
		uint32_t node = h->tree.order[i];
		bool inlined = node != PATH_TREE_PARTIAL_ROOT && path_tree_inlined(&h->tree, node);
		if (!html_varint(&b, (uint64_t)h->number[function_of(h, node)] << 1 | inlined))
			rc = error_memory(e, b.len);
	}
	if (rc == 0)
		rc = html_put_column(h->out, "functions", &b, e);
	vec_free(&b);
	return rc;
}

static uint64_t exclusive(const struct html *h, uint32_t i, size_t column)
{
	return h->tree.exclusive[h->tree.order[i] * h->tree.num_columns + column];
}

static int put_samples(struct html *h, size_t metric, struct error *e)
{
	html_bytes b = {0};
	char id[40];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < h->tree.num_order; i++)
		if (!html_varint(&b, exclusive(h, i, h->num_metrics + metric)))
			rc = error_memory(e, b.len);
	snprintf(id, sizeof id, "samples-%zu", metric);
	if (rc == 0)
		rc = html_put_column(h->out, id, &b, e);
	vec_free(&b);
	return rc;
}

uint64_t html_mean(const struct html *h, size_t metric)
{
	const struct model_sum *s = &h->columns.at[metric].metric->total;
	uint64_t each = s->samples ? s->events / s->samples : 0;

	return (each + h->quantum[metric] / 2) / h->quantum[metric];
}

/* The events of the nodes in quanta, less those that their samples have on average. False if memory
 * ran out. */
static bool round_events(const struct html *h, size_t metric, html_bytes *b)
{
	uint64_t q = h->quantum[metric], mean = html_mean(h, metric), sum = 0;
	bool saturated = false;

	b->len = 0;
	for (uint32_t i = 0; i < h->tree.num_order; i++) {
		uint64_t before = sum / q;
		uint64_t usual = exclusive(h, i, h->num_metrics + metric) * mean;
		sum = sum_add(sum, exclusive(h, i, metric), &saturated);
		if (!html_zigzag(b, (int64_t)(sum / q - before - usual)))
			return false;
	}
	return true;
}

/* Round them until the column is small enough. */
static int put_events(struct html *h, size_t metric, struct error *e)
{
	html_bytes b = {0};
	uint8_t *packed = NULL;
	size_t len = 0;
	char id[40];
	int rc;

	for (;;) {
		rc = round_events(h, metric, &b) ? 0 : error_memory(e, b.len);
		if (rc == 0)
			rc = html_compress(&b, &packed, &len, e);
		if (rc != 0 || len <= EVENTS_MOST || html_mean(h, metric) < ROUGHEST_MEAN)
			break;
		free(packed);
		packed = NULL;
		h->quantum[metric] *= QUANTUM_STEP;
	}
	snprintf(id, sizeof id, "events-%zu", metric);
	if (rc == 0)
		html_put_packed(h->out, id, packed, len);
	free(packed);
	vec_free(&b);
	return rc;
}

static bool same(const struct html *h, size_t metric)
{
	for (uint32_t i = 0; i < h->tree.num_order; i++)
		if (exclusive(h, i, metric) != exclusive(h, i, h->num_metrics + metric))
			return false;
	return true;
}

int html_put_activations(struct html *h, struct error *e)
{
	enum { KINDS = 3 };
	struct activations a;
	uint64_t *counts[KINDS] = {0};
	html_bytes b = {0};
	bool ok = true;
	int rc;

	if (h->compare || !activations_find(h->m, &a) || !a.entered)
		return 0;
	const struct model_metric *kinds[KINDS] = {a.entered, a.returned, a.abandoned};
	for (size_t k = 0; ok && k < KINDS; k++) {
		ok = (counts[k] = calloc(h->tree.num_nodes, sizeof **counts)) != NULL;
		if (ok && kinds[k])
			activations_by_node(kinds[k], h->m, h->tree.at, NULL, counts[k]);
	}
	for (uint32_t i = 0; ok && i < h->tree.num_order; i++)
		for (size_t k = 0; ok && k < KINDS; k++)
			ok = html_varint(&b, counts[k][h->tree.order[i]]);
	rc = ok ? html_put_column(h->out, "activations", &b, e) : error_memory(e, b.len);
	for (size_t k = 0; k < KINDS; k++)
		free(counts[k]);
	vec_free(&b);
	h->has_activations = true;
	h->has_all_ends = a.all;
	return rc;
}

int html_put_tree(struct html *h, struct error *e)
{
	if (put_pops(h, e) != 0 || put_functions(h, e) != 0)
		return -1;
	for (size_t i = 0; i < h->num_metrics; i++) {
		h->quantum[i] = 1;
		h->has_events[i] = !same(h, i);
		if (put_samples(h, i, e) != 0 || (h->has_events[i] && put_events(h, i, e) != 0))
			return -1;
	}
	return 0;
}
