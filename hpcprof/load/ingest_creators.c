/* Where threads were created: the trees and nodes of the calls that did it, each of which is read
 * once. */
#include "hpcprof/load/ingest_internal.h"

#include <stdlib.h>
#include <string.h>

void ingest_creators_close(struct ingest *in)
{
	for (size_t i = 0; i < in->creators.len; i++) {
		struct ingest_creator *c = in->creators.at[i];
		reader_rows_end(&c->rows);
		interner_deinit(&c->ids);
		free(c->images);
		free(c->contexts);
		free(c);
	}
	vec_free(&in->creators);
	interner_deinit(&in->creator_trees);
}

/* Number the ids of the tree, so that that of a row is the row. */
static bool number_rows(struct ingest_creator *c)
{
	for (uint64_t k = 0; c->rows.ids && k < c->rows.n; k++)
		if (interner_insert(&c->ids, c->rows.ids[k]) == INTERNER_NONE)
			return false;
	return true;
}

static int open_creator(struct ingest *in, uint32_t tree, bool folded, struct ingest_creator *c)
{
	if (!vec_push(&in->creators, c)) {
		free(c);
		ingest_out_of_memory(in, sizeof *c);
		return -1;
	}
	if (interner_insert(&in->creator_trees, 2 * (uint64_t)tree + folded) == INTERNER_NONE)
		return ingest_out_of_memory(in, sizeof *c);
	if (ingest_open_place(in, reader_tree(in->r, tree)->epoch, &c->place) != 0 ||
	    reader_rows_begin(&c->rows, in->r, tree, in->e) != 0)
		return -1;
	c->num_nodes = c->rows.n;
	c->numbered = c->rows.ids;
	if (!number_rows(c))
		return ingest_out_of_memory(in, c->rows.n * sizeof(uint64_t));
	return folded ? ingest_interpreter(in, c->place, &c->rows, &c->images) : 0;
}

int ingest_creator(struct ingest *in, uint32_t tree, bool folded, struct ingest_creator **out)
{
	uint32_t id = interner_find(&in->creator_trees, 2 * (uint64_t)tree + folded);

	if (id != INTERNER_NONE) {
		*out = in->creators.at[id];
		return 0;
	}
	*out = calloc(1, sizeof **out);
	return *out ? open_creator(in, tree, folded, *out) : ingest_out_of_memory(in, sizeof **out);
}

uint64_t ingest_creator_row(const struct ingest_creator *c, uint64_t node)
{
	uint64_t row = node < c->num_nodes ? node : 0;

	if (c->numbered) {
		uint32_t id = interner_find(&c->ids, node);
		row = id == INTERNER_NONE ? 0 : id;
	}
	return c->images ? c->images[row] : row;
}

/* ---- the root of a tree -------------------------------------------------------------- */

#define ROOT_NOT_YET UINT32_MAX
#define ROOT_SOUGHT (UINT32_MAX - 1)

static uint32_t own_root(const struct reader_tree *tree)
{
	return tree->kind == CSP_TREE_PARTIAL ? MODEL_PARTIAL_ROOT : MODEL_ROOT;
}

/* Find or insert the context of a call at ip below parent. CONTEXT_NONE if memory ran out. */
static uint32_t call_below(struct ingest *in, struct epoch_index *place, uint32_t parent,
			   uint64_t ip)
{
	uint64_t step = epoch_index_step(place, in->m, in->path, ip, FRAME_CALL), path;
	uint32_t id;

	if (step == UINT64_MAX)
		return CONTEXT_NONE;
	path = contexts_path(in->m->contexts.paths[parent], step);
	id = contexts_find(&in->m->contexts, parent, path);
	return id != CONTEXT_NONE ? id
				  : contexts_insert(&in->m->contexts, parent, path, MODEL_NO_FRAME);
}

/* The contexts of the nodes as call sites, at first CONTEXT_NONE. NULL if memory ran out. */
static uint32_t *contexts_of(struct ingest_creator *c)
{
	if (c->contexts)
		return c->contexts;
	c->contexts = malloc((c->rows.n + 1) * sizeof *c->contexts);
	for (uint64_t k = 0; c->contexts && k < c->rows.n; k++)
		c->contexts[k] = CONTEXT_NONE;
	return c->contexts;
}

/* Find or insert the context of a node of tree as a call site; the tree is below the context
 * root. */
static int call_site(struct ingest *in, uint32_t tree, uint64_t node, uint32_t root, uint32_t *out)
{
	struct ingest_creator *c;
	VEC(uint64_t) rows = {0};
	uint32_t *contexts;
	int rc = 0;

	if (ingest_creator(in, tree, !in->options.keep_interpreter, &c) != 0)
		return -1;
	contexts = contexts_of(c);
	if (!contexts)
		return ingest_out_of_memory(in, c->rows.n * sizeof *contexts);
	*out = root;
	for (uint64_t row = ingest_creator_row(c, node); row && rc == 0;
	     row = reader_row_word(&c->rows, row, ROW_PARENT)) {
		if (contexts[row] != CONTEXT_NONE) {
			*out = contexts[row];
			break;
		}
		if (!vec_push(&rows, row))
			rc = ingest_out_of_memory(in, sizeof(uint64_t));
	}
	for (; rc == 0 && rows.len; rows.len--) {
		uint64_t row = rows.at[rows.len - 1];
		*out = call_below(in, c->place, *out, reader_row_word(&c->rows, row, ROW_IP));
		contexts[row] = *out;
		if (*out == CONTEXT_NONE)
			rc = ingest_out_of_memory(in, sizeof(uint64_t));
	}
	vec_free(&rows);
	return rc;
}

/* Threads that created threads make a chain of trees, which is followed without recursion. In a
 * cycle, the first tree that is reached again has its own root. */
int ingest_root(struct ingest *in, uint32_t tree, uint32_t *out)
{
	VEC(uint32_t) chain = {0};
	uint32_t trees = reader_num_trees(in->r), at = tree, root;
	int rc = 0;

	if (!in->roots) {
		in->roots = malloc((trees + (size_t)1) * sizeof *in->roots);
		if (!in->roots)
			return ingest_out_of_memory(in, trees * sizeof *in->roots);
		memset(in->roots, 0xff, trees * sizeof *in->roots);
	}
	while (in->roots[at] == ROOT_NOT_YET && rc == 0) {
		const struct reader_tree *t = reader_tree(in->r, at);
		in->roots[at] = ROOT_SOUGHT;
		if (!vec_push(&chain, at))
			rc = ingest_out_of_memory(in, sizeof at);
		if (t->kind == CSP_TREE_PARTIAL || t->creator_tree == CSP_NONE)
			in->roots[at] = own_root(t);
		else
			at = t->creator_tree;
	}
	if (rc == 0 && in->roots[at] == ROOT_SOUGHT)
		in->roots[at] = own_root(reader_tree(in->r, at));
	for (root = in->roots[at]; rc == 0 && chain.len; chain.len--) {
		uint32_t child = chain.at[chain.len - 1];
		const struct reader_tree *t = reader_tree(in->r, child);
		if (in->roots[child] == ROOT_SOUGHT) {
			rc = call_site(in, t->creator_tree, t->creator_node, root, &root);
			in->roots[child] = root;
		}
		root = in->roots[child];
	}
	vec_free(&chain);
	*out = in->roots[tree];
	return rc;
}
