/* What a page of two sides has besides: the columns `compare-functions` and `compare-nodes`. */
#include "hpcprof/views/html/html.h"

#include <stdlib.h>

uint32_t html_function(const struct html *h, uint32_t function)
{
	return h->compare ? h->compare->same[function] : function;
}

/* The page's number of a function plus 1, or 0. */
static uint32_t number_of(const struct html *h, uint32_t function)
{
	return function == UINT32_MAX ? 0 : h->number[html_function(h, function)] + 1;
}

static bool put_function(const struct html *h, html_bytes *b, uint32_t function)
{
	const struct html_compare *c = h->compare;
	uint64_t marks = 0, moved = 0;

	if (function < h->c->functions.len) {
		uint32_t other = number_of(h, c->moved[function]);
		marks = c->marks[function];
		moved = other ? (uint64_t)other << 1 | c->callees[function] : 0;
	}
	return html_varint(b, marks) && html_varint(b, moved);
}

/* The functions by their numbers. */
static int put_functions(const struct html *h, struct error *e)
{
	uint32_t *by_number = calloc(h->num_functions + (size_t)1, sizeof *by_number);
	html_bytes b = {0};
	bool ok = by_number != NULL;
	int rc;

	for (uint32_t i = 0; ok && i <= h->c->functions.len; i++)
		if (h->number[i] != HTML_NO_NUMBER)
			by_number[h->number[i]] = i;
	for (uint32_t i = 0; ok && i < h->num_functions; i++)
		ok = put_function(h, &b, by_number[i]);
	rc = ok ? html_put_column(h->out, "compare-functions", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	free(by_number);
	return rc;
}

/* Nodes are in preorder, so a node's caller has its path already. */
static int put_nodes(const struct html *h, struct error *e)
{
	const struct html_compare *c = h->compare;
	uint32_t *path = calloc(h->tree.num_nodes + (size_t)1, sizeof *path);
	html_bytes b = {0};
	bool ok = path != NULL;
	int rc;

	if (ok)
		path[PATH_TREE_PARTIAL_ROOT] = MODEL_PARTIAL_ROOT;
	for (uint32_t i = 0; ok && i < h->tree.num_order; i++) {
		uint32_t node = h->tree.order[i];
		bool beyond = false;
		if (node != PATH_TREE_PARTIAL_ROOT) {
			path[node] = c->path(c->context, path[path_tree_parent(&h->tree, node)],
					     path_tree_function(&h->tree, node));
			beyond = c->path_beyond(c->context, path[node]);
		}
		ok = html_varint(&b, beyond);
	}
	rc = ok ? html_put_column(h->out, "compare-nodes", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	free(path);
	return rc;
}

int html_put_compare(struct html *h, struct error *e)
{
	return put_functions(h, e) != 0 || put_nodes(h, e) != 0 ? -1 : 0;
}
