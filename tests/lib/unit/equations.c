#include "tests/lib/unit/equations.h"

#include <stdlib.h>
#include <string.h>

static bool is(struct reader_text t, const char *s)
{
	return t.n == strlen(s) && memcmp(t.at, s, t.n) == 0;
}

/* Sum up the rows of a metric and thread (CSP_NONE: all). Returns whether there are any. */
static bool sum_rows(const struct reader *r, uint32_t v, uint32_t thread, bool in_trees,
		     uint64_t *weight, uint64_t *samples)
{
	bool any = false;
	*weight = *samples = 0;
	for (uint32_t i = 0; i < reader_num_account(r); i++) {
		const struct reader_account *a = reader_account(r, i);
		if (a->metric != v || (thread != CSP_NONE && a->thread != thread))
			continue;
		any = true;
		if (in_trees && !is(a->disposition, "recorded") && !is(a->disposition, "partial"))
			continue;
		*weight += a->weight;
		*samples += a->samples;
	}
	return any;
}

/* Sum up all nodes of the trees of a thread (CSP_NONE: of all). */
static void sum_nodes(const struct reader *r, uint32_t v, uint32_t thread, uint64_t *weight,
		      uint64_t *samples)
{
	*weight = *samples = 0;
	for (uint32_t t = 0; t < reader_num_trees(r); t++) {
		struct reader_nodes it;
		const struct reader_node *n;
		if (thread != CSP_NONE && reader_tree(r, t)->thread != thread)
			continue;
		if (reader_nodes_begin(&it, r, t, false, NULL) != 0)
			abort();
		while ((n = reader_nodes_next(&it))) {
			*weight += n->metrics[v];
			*samples += v + 1 < reader_num_metrics(r) ? n->metrics[v + 1] : 0;
		}
		reader_nodes_end(&it);
	}
}

static const char *compare(const struct reader *r, uint32_t v, uint32_t thread)
{
	uint64_t weight, samples, sum, count;
	bool has_n =
	    v + 1 < reader_num_metrics(r) && reader_metric(r, v + 1)->flags & CSP_METRIC_SAMPLES;
	if (!sum_rows(r, v, thread, true, &weight, &samples))
		return NULL;
	sum_nodes(r, v, thread, &sum, &count);
	if (sum != weight)
		return "the sum of V over the nodes is not what the account says";
	return has_n && count != samples
		   ? "the sum of N over the nodes is not what the account says"
		   : NULL;
}

const char *equations_of_trees(const struct reader *r)
{
	const char *problem = NULL;
	bool shared = false;
	for (uint32_t t = 0; t < reader_num_trees(r); t++)
		shared |= reader_tree(r, t)->thread == CSP_NONE;
	for (uint32_t v = 0; v < reader_num_metrics(r) && !problem; v++) {
		if (shared)
			problem = compare(r, v, CSP_NONE);
		for (uint32_t i = 0; i < reader_num_threads(r) && !shared && !problem; i++)
			problem = compare(r, v, i);
	}
	return problem;
}

const char *equation_of_clocks(const struct reader *r, uint32_t v)
{
	for (uint32_t i = 0; i < reader_num_threads(r); i++) {
		uint64_t weight, samples;
		if (sum_rows(r, v, i, false, &weight, &samples) &&
		    weight != reader_thread(r, i)->cpu_ns)
			return "the weights of a thread are not its CPU time";
	}
	return NULL;
}
