/* Walking the nodes of a tree that was checked when the file was opened. */
#include "reader/internal.h"

#include <stdlib.h>

int reader_nodes_begin(struct reader_nodes *it, const struct reader *r, uint32_t tree,
		       bool top_down, struct error *e)
{
	const struct tree *t = &r->trees[tree];
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
