/* Walks the nodes of a tree that was checked when the file was opened. */
#include "reader/internal.h"

#include <stdlib.h>
#include <string.h>

int reader_nodes_begin(struct reader_nodes *it, const struct reader *r, uint32_t tree,
		       bool top_down, struct error *e)
{
	const struct tree_index *t = &r->trees[tree];
	size_t bytes = sizeof *it->node + r->num_metrics * sizeof it->node->metrics[0];
	*it = (struct reader_nodes){.r = r, .tree = tree, .node = malloc(bytes)};
	if (!it->node)
		return error_memory(e, bytes);
	if (top_down && !t->top_down) {
		it->order = tree_top_down(r, t, e);
		if (!it->order) {
			reader_nodes_end(it);
			return -1;
		}
	}
	return 0;
}

const struct reader_node *reader_nodes_next(struct reader_nodes *it)
{
	const struct reader *r = it->r;
	const struct reader_tree *t = &r->trees[it->tree].said;
	if (!it->node || it->next >= t->num_nodes)
		return NULL;
	uint64_t position = it->order ? it->order[it->next] : it->next;
	struct cursor c = cursor_of(r->bytes, r->size, r->header.big);
	struct csp_node n;
	c.pos = t->nodes_offset + position * csp_node_bytes(t->width, r->num_metrics);
	if (csp_get_node(&c, t->width, r->num_metrics, &n, it->node->metrics, NULL))
		return NULL;
	it->node->id = n.id;
	it->node->parent = n.parent;
	it->node->ip = n.ip;
	it->node->sp = n.sp;
	it->next++;
	return it->node;
}

void reader_nodes_end(struct reader_nodes *it)
{
	free(it->order);
	free(it->node);
	it->order = NULL;
	it->node = NULL;
}

/* Fill the table with the nodes in the order of `it`. Parents are row numbers. */
static void fill_rows(struct reader_rows *rows, struct reader_nodes *it, uint64_t *row_of)
{
	uint64_t *to = rows->copy, *ids = rows->ids_own;
	uint32_t num_metrics = it->r->num_metrics;
	const struct reader_node *node;

	for (uint64_t k = 0; (node = reader_nodes_next(it)); k++) {
		ids[k] = node->id;
		row_of[node->id] = k;
		*to++ = k;
		*to++ = row_of[node->parent];
		*to++ = node->ip;
		*to++ = node->sp;
		memcpy(to, node->metrics, num_metrics * sizeof *to);
		to += num_metrics;
	}
}

static int rewrite(struct reader_rows *rows, const struct reader *r, uint32_t tree, struct error *e)
{
	struct reader_nodes it;
	uint64_t *row_of;

	if (reader_nodes_begin(&it, r, tree, true, e) != 0)
		return -1;
	rows->copy = malloc(rows->n * rows->bytes);
	rows->ids_own = malloc(rows->n * sizeof *rows->ids);
	row_of = malloc(rows->n * sizeof *row_of);
	if (rows->copy && rows->ids_own && row_of) {
		fill_rows(rows, &it, row_of);
		rows->at = rows->copy;
		rows->ids = rows->ids_own;
	} else {
		error_memory(e, rows->n * rows->bytes);
	}
	free(row_of);
	reader_nodes_end(&it);
	if (rows->at)
		return 0;
	reader_rows_end(rows);
	return -1;
}

int reader_rows_begin(struct reader_rows *rows, const struct reader *r, uint32_t tree,
		      struct error *e)
{
	const struct tree_index *t = &r->trees[tree];
	bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	*rows = (struct reader_rows){.n = t->said.num_nodes,
				     .bytes = csp_node_bytes(sizeof(uint64_t), r->num_metrics)};
	if (!t->plain || t->said.width != sizeof(uint64_t) || r->header.big != host_is_big)
		return rewrite(rows, r, tree, e);
	rows->at = r->bytes + t->said.nodes_offset;
	return 0;
}

void reader_rows_end(struct reader_rows *rows)
{
	free(rows->copy);
	free(rows->ids_own);
	*rows = (struct reader_rows){0};
}
