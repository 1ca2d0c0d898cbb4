#include "tests/lib/unit/walk_datafile.h"

#include <stdlib.h>
#include <string.h>

/* Touched bytes are added here, so that the compiler does not remove the reads. */
static volatile unsigned touched;

static void touch(struct reader_text t)
{
	for (uint32_t i = 0; i < t.n; i++)
		touched += (unsigned char)t.at[i];
}

static void touch_pairs(struct reader_pairs pairs)
{
	uint64_t v;
	for (uint32_t i = 0; i < pairs.n; i++) {
		touch(pairs.at[i].key);
		touch(pairs.at[i].value);
	}
	touch(reader_pairs_get(pairs, "command"));
	touched += reader_pairs_u64(pairs, "pid", &v);
}

static const char *walk_head(const struct reader *r)
{
	const struct reader_header *h = reader_header(r);
	touch(h->version);
	touch(h->target);
	for (uint32_t i = 0; i < reader_num_metrics(r); i++) {
		const struct reader_metric *m = reader_metric(r, i);
		touch(m->name);
		touch_pairs(m->about);
		if (!m->has_flags && m->flags)
			return "flags from nowhere";
	}
	for (uint32_t i = 0; i < reader_num_epochs(r); i++) {
		const struct reader_epoch *e = reader_epoch(r, i);
		for (uint32_t k = 0; k < e->num_modules; k++) {
			touch(e->modules[k].name);
			touch(e->modules[k].build_id);
		}
	}
	return NULL;
}

/* Check that each id occurs once and, with top_down, that parents are before children. */
static const char *walk_nodes(const struct reader *r, uint32_t tree, bool top_down)
{
	const struct reader_tree *t = reader_tree(r, tree);
	const struct reader_node *node;
	const char *problem = NULL;
	struct reader_nodes it;
	struct error e;
	uint64_t n = 0;
	uint8_t *seen = calloc(t->num_nodes, 1);
	if (!seen)
		return "out of memory";
	if (reader_nodes_begin(&it, r, tree, top_down, &e))
		problem = "a walk that does not begin";
	while (!problem && (node = reader_nodes_next(&it))) {
		n++;
		for (uint32_t i = 0; i < reader_num_metrics(r); i++)
			touched += (unsigned)node->metrics[i];
		if (node->id >= t->num_nodes || node->parent >= t->num_nodes)
			problem = "an id or parent out of range";
		else if (seen[node->id]++)
			problem = "an id twice";
		else if (top_down && !seen[node->parent])
			problem = "a child before its parent";
		else if ((node->id == 0) != (node->id == node->parent))
			problem = "a root that is none, or two";
	}
	if (!problem && n != t->num_nodes)
		problem = "another number of nodes than num_nodes";
	reader_nodes_end(&it);
	free(seen);
	return problem;
}

static const char *walk_trees(const struct reader *r)
{
	for (uint32_t i = 0; i < reader_num_trees(r); i++) {
		const struct reader_tree *t = reader_tree(r, i);
		touch(t->version);
		if (t->epoch >= reader_num_epochs(r) || t->num_nodes == 0)
			return "a tree without epoch or nodes";
		if (t->kind > CSP_TREE_PARTIAL)
			return "a tree of no kind";
		if (reader_num_threads(r) && t->thread != CSP_NONE &&
		    t->thread >= reader_num_threads(r))
			return "a tree's thread out of range";
		if (t->creator_tree != CSP_NONE &&
		    (t->creator_tree >= reader_num_trees(r) ||
		     t->creator_node >= reader_tree(r, t->creator_tree)->num_nodes))
			return "a creator out of range";
		const char *problem = walk_nodes(r, i, false);
		if (!problem)
			problem = walk_nodes(r, i, true);
		if (problem)
			return problem;
	}
	return NULL;
}

static const char *walk_trailer(const struct reader *r)
{
	if (!reader_has_trailer(r) && reader_num_chunks(r))
		return "chunks without a trailer";
	touch_pairs(reader_process(r));
	for (uint32_t i = 0; i < reader_num_threads(r); i++)
		touch(reader_thread(r, i)->name);
	for (uint32_t i = 0; i < reader_num_account(r); i++) {
		const struct reader_account *a = reader_account(r, i);
		touch(a->disposition);
		if (a->metric >= reader_num_metrics(r) ||
		    (reader_num_threads(r) && a->thread >= reader_num_threads(r)))
			return "an ACCOUNT row out of range";
	}
	for (uint32_t i = 0; i < reader_num_values(r); i++) {
		const struct reader_value *v = reader_value(r, i);
		if (v->epoch >= reader_num_epochs(r) || v->num_top > CSP_VALUE_TOP)
			return "a row of VALUES has an index out of range";
	}
	for (uint32_t i = 0; i < reader_num_code(r); i++) {
		const struct reader_code *code = reader_code(r, i);
		touch(code->name);
		touch(code->lines);
		if (!code->extent || reader_code_of(r, code->ip) != code ||
		    reader_code_of(r, code->ip + code->extent - 1) != code)
			return "a function of CODE is not found";
		touched += reader_code_line(code, code->ip + code->extent - 1);
	}
	for (uint64_t i = 0; i < reader_num_trace(r); i++) {
		struct reader_trace row;
		reader_trace(r, i, &row);
		if (row.tree >= reader_num_trees(r) || row.metric >= reader_num_metrics(r) ||
		    row.node >= reader_tree(r, row.tree)->num_nodes)
			return "a TRACE row out of range";
	}
	return NULL;
}

/* Whether all sums are of metrics with values. */
static bool walk_sums(const struct reader *r, const struct reader_merged_sum *sums, uint32_t n)
{
	bool ok = true;
	for (uint32_t i = 0; i < n; i++)
		ok &= sums[i].metric < reader_num_metrics(r);
	return ok;
}

static const char *walk_merged(const struct reader *r)
{
	bool ok = true;
	for (uint32_t i = 0; i < reader_num_merged(r); i++) {
		const struct reader_merged *m = reader_merged(r, i);
		touch_pairs(m->about);
		ok &= walk_sums(r, m->sums, m->num_sums);
	}
	for (uint32_t i = 0; i < reader_num_groups(r); i++) {
		const struct reader_group *g = reader_group(r, i);
		touch(g->first);
		touch(g->last);
		for (uint32_t k = 0; k < g->num_calls; k++)
			touched += (unsigned)g->calls[k];
		ok &= g->kind <= CSP_GROUP_NOT_SAID && walk_sums(r, g->sums, g->num_sums);
	}
	return ok ? NULL : "a sum or kind out of range";
}

const char *walk_reader(const struct reader *r)
{
	const char *problem = walk_head(r);
	if (!problem)
		problem = walk_trees(r);
	if (!problem)
		problem = walk_trailer(r);
	return problem ? problem : walk_merged(r);
}

static const char *check_refusal(const struct error *e, size_t n)
{
	if (e->kind == ERROR_MEMORY)
		return "out of memory";
	if (e->kind != ERROR_FORMAT)
		return "a refusal of the wrong kind";
	if (e->offset > n)
		return "an offset behind the end of the file";
	if (strncmp(e->text, "offset ", 7) != 0 || !strstr(e->text, ": expected ") ||
	    !strstr(e->text, ", found ") || strchr(e->text, '\n'))
		return "a refusal without offset, expected and found in one line";
	return NULL;
}

const char *walk_bytes(const void *bytes, size_t n, bool *opened, bool *warned)
{
	struct error e = {0};
	struct reader *r = NULL;
	bool ok = reader_open_memory(bytes, n, &r, &e) == 0;
	if (opened)
		*opened = ok;
	if (warned)
		*warned = ok && reader_warning(r);
	if (!ok)
		return check_refusal(&e, n);
	const char *problem = walk_reader(r);
	if (!problem && reader_warning(r))
		problem = check_refusal(reader_warning(r), n);
	reader_close(r);
	return problem;
}
