/* The tree view as one JSON object; hpcprof.1 has its members. Nodes are in the order of the
 * drawing, each after its parent, which it refers to by id: readers limit how deep objects may be
 * in others. */
#include "hpcprof/metrics/activations.h"
#include "hpcprof/metrics/view_json.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/tree/tree.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const kinds[] = {[TREE_FUNCTION] = "function",
				    [TREE_CUT] = "below_minimum",
				    [TREE_DEEPER] = "deeper",
				    [TREE_OUTERMOST] = "no_caller",
				    [TREE_MISSING] = "callers_not_known"};

static void put_node(struct tree *t, struct view_json *j, uint32_t node, uint32_t id,
		     uint32_t parent, bool partial)
{
	const struct tree_node *n = &t->nodes.at[node];

	view_json_row(j);
	fprintf(j->out, "\"id\":%" PRIu32 ",\"parent\":", id);
	fprintf(j->out, parent ? "%" PRIu32 "," : "null,", parent);
	json_member(j->out, "kind", kinds[n->kind]);
	if (n->kind == TREE_FUNCTION) {
		fputc(',', j->out);
		view_json_function(j, n->function);
		view_json_bool(j, "inlined", n->inlined);
		view_json_bool(j, "hot", n->hot);
		if (t->entered) {
			view_json_number(j, "activations", n->activations);
			view_json_bool(j, "each_at_most",
				       activations_are_missed(t->columns.at[0].metric,
							      tree_inclusive(t, node)[0],
							      n->in_frame, n->activations));
		}
	} else if (n->kind == TREE_CUT || n->kind == TREE_DEEPER) {
		view_json_number(j, "count", n->count);
	}
	if (!t->own->bottom_up)
		view_json_bool(j, "partial", partial);
	view_json_values(j, "self", tree_exclusive(t, node), t->columns.len);
	view_json_values(j, "total", tree_inclusive(t, node), t->columns.len);
	fputc('}', j->out);
}

/* Print what is below a root; up and ids ([nodes]) are for the parents and ids of nodes. */
static void put_nodes(struct tree *t, struct view_json *j, uint32_t root, uint32_t *up,
		      uint32_t *ids, uint32_t *id)
{
	uint32_t node = t->child.at[root];

	up[node] = root;
	while (node && node != root) {
		ids[node] = ++*id;
		put_node(t, j, node, ids[node], ids[up[node]], root == CALLTREE_PARTIAL_ROOT);
		if (t->child.at[node]) {
			up[t->child.at[node]] = node;
			node = t->child.at[node];
			continue;
		}
		while (node != root && !t->sibling.at[node])
			node = up[node];
		if (node != root) {
			up[t->sibling.at[node]] = up[node];
			node = t->sibling.at[node];
		}
	}
}

int tree_print_json(struct tree *t, const struct profile *p, struct error *e)
{
	struct view_json j = {.out = t->out, .p = p, .o = t->o, .columns = &t->columns};
	size_t n = t->nodes.len;
	uint32_t *up = calloc(n + 1, sizeof *up), *ids = calloc(n + 1, sizeof *ids), id = 0;
	uint64_t *nothing = calloc(t->columns.len + 1, sizeof *nothing);
	bool ok = up && ids && nothing && view_json_begin(&j, "tree", &t->arena);

	if (ok) {
		view_json_bool(&j, "bottom_up", t->own->bottom_up);
		view_json_rows(&j, "tree", "nodes");
		if (n)
			put_nodes(t, &j, CALLTREE_ROOT, up, ids, &id);
		if (n > CALLTREE_PARTIAL_ROOT)
			put_nodes(t, &j, CALLTREE_PARTIAL_ROOT, up, ids, &id);
		view_json_left_out(&j, "nodes", t->num_cut, n ? t->cut : nothing, t->columns.len);
	}
	free(up);
	free(ids);
	free(nothing);
	return ok ? view_json_end(&j, e) : error_memory(e, n * sizeof *ids);
}
