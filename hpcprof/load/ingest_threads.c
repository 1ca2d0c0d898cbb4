/* Adds the threads of a datafile to the groups of the model. */
#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"

#include <stdlib.h>
#include <string.h>

/* A thread, and the node at which it was created. */
struct created {
	uint32_t thread, tree;
	uint64_t node;
};

/* The calls at the last node that was asked for, innermost first. */
struct creator {
	uint32_t tree;
	uint64_t node;
	struct epoch_index *place;
	struct model_call call[MODEL_CREATOR_CALLS];
	uint32_t num_calls;
};

static int by_node(const void *pa, const void *pb)
{
	const struct created *a = pa, *b = pb;

	if (a->tree != b->tree)
		return a->tree < b->tree ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The threads of the file. Those of a merged file are in its groups. */
static uint32_t num_threads(const struct ingest *in)
{
	return reader_is_merged(in->r) ? 0 : reader_num_threads(in->r);
}

/* The threads with trees that know where they were created, each once. NULL if memory ran out. */
static struct created *list_created(const struct ingest *in, size_t *n)
{
	uint32_t trees = reader_num_trees(in->r), threads = num_threads(in);
	struct created *all = malloc((threads + (size_t)1) * sizeof *all);
	bool *seen = calloc(threads + (size_t)1, sizeof *seen);

	*n = 0;
	for (uint32_t i = 0; all && seen && i < trees; i++) {
		const struct reader_tree *t = reader_tree(in->r, i);
		if (t->creator_tree == CSP_NONE || t->thread >= threads || seen[t->thread])
			continue;
		seen[t->thread] = true;
		all[(*n)++] = (struct created){t->thread, t->creator_tree, t->creator_node};
	}
	if (!seen) {
		free(all);
		all = NULL;
	}
	free(seen);
	if (all)
		qsort(all, *n, sizeof *all, by_node);
	return all;
}

static int add_call(struct ingest *in, struct creator *c, uint64_t ip)
{
	struct model *m = in->m;
	uint64_t step = epoch_index_step(c->place, m, in->path, ip, FRAME_CALL);
	struct model_frame f;

	if (step == UINT64_MAX)
		return ingest_out_of_memory(in, sizeof f);
	f = step & MODEL_STEP_FRAME ? m->frames.at[(uint32_t)step] : model_plain_frame(step);
	bool named = f.role >= FRAME_ADDRESSED;
	if (!named && model_frame(m, f.module, f.address, FRAME_CALL) == UINT32_MAX)
		return ingest_out_of_memory(in, sizeof f);
	c->call[c->num_calls++] = (struct model_call){f.address, f.module, named};
	return 0;
}

/* Find the calls at the node where a thread was created. */
static int find_calls(struct ingest *in, struct creator *c, const struct created *at)
{
	struct ingest_creator *tree;
	int rc;

	if (c->tree == at->tree && c->node == at->node)
		return 0;
	rc = ingest_creator(in, at->tree, true, &tree);
	if (rc != 0)
		return rc;
	c->tree = at->tree;
	c->node = at->node;
	c->place = tree->place;
	c->num_calls = 0;
	for (uint64_t row = ingest_creator_row(tree, at->node);
	     rc == 0 && row && c->num_calls < MODEL_CREATOR_CALLS;
	     row = reader_row_word(&tree->rows, row, ROW_PARENT))
		rc = add_call(in, c, reader_row_word(&tree->rows, row, ROW_IP));
	return rc;
}

/* The sums of a row of in->sums, by the model's metrics. */
static bool set_sums(const struct ingest *in, const uint64_t *row, struct metric_sums *sums)
{
	bool ok = true;

	sums->len = 0;
	for (uint32_t i = 0; ok && i < in->num_metrics; i++)
		if (in->columns[i].events)
			ok = ingest_add_sum(in, i, ingest_row_sum(in, row, i), sums);
	return ok;
}

/* Add a thread, or what no thread has. */
static int add_thread(struct ingest *in, uint32_t thread, struct creator *c,
		      struct metric_sums *sums)
{
	const uint64_t *row = row_sums_row(&in->sums, thread);
	struct model *m = in->m;
	struct model_threads group = {.kind = THREAD_NOT_SAID};
	struct reader_text name = {"", 0};
	uint64_t pid = 0;

	if (thread < num_threads(in)) {
		const struct reader_thread *t = reader_thread(in->r, thread);
		reader_pairs_u64(reader_process(in->r), "pid", &pid);
		name = t->name;
		group.threads = 1;
		group.kind = !t->tid ? THREAD_ENDED : t->tid == pid ? THREAD_MAIN : THREAD_CREATED;
	}
	if (group.kind == THREAD_CREATED && c) {
		group.call = c->call;
		group.num_calls = c->num_calls;
	}
	if (row) {
		if (!set_sums(in, row, sums))
			return ingest_out_of_memory(in, sizeof *sums->at);
		group.sums = *sums;
	}
	group.first = group.last = model_text(m, name.at, name.n);
	group.pattern = group.first ? model_thread_pattern(m, group.first) : NULL;
	return group.pattern && model_add_threads(m, &group)
		   ? 0
		   : ingest_out_of_memory(in, sizeof group);
}

/* Whether trees without a thread have values. */
static bool any_without_thread(const struct ingest *in)
{
	const uint64_t *row = row_sums_row(&in->sums, reader_num_threads(in->r));
	uint64_t any = 0;

	for (uint32_t i = 0; row && i < in->num_metrics; i++)
		any |= row[i];
	return any != 0;
}

/* Add the threads whose creator is known, and then the others. */
static int add_rows(struct ingest *in, const struct created *all, size_t n, bool *added,
		    struct metric_sums *sums)
{
	struct creator c = {.tree = CSP_NONE};
	uint32_t threads = num_threads(in);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (in->left_out && in->left_out[all[i].thread])
			continue;
		rc = find_calls(in, &c, &all[i]);
		if (rc == 0)
			rc = add_thread(in, all[i].thread, &c, sums);
		added[all[i].thread] = true;
	}
	for (uint32_t t = 0; t < threads && rc == 0; t++)
		if (!added[t] && !(in->left_out && in->left_out[t]))
			rc = add_thread(in, t, NULL, sums);
	if (rc == 0 && any_without_thread(in))
		rc = add_thread(in, reader_num_threads(in->r), NULL, sums);
	return rc;
}

/* ---- merged files ------------------------------------------------------------------ */

static int add_group(struct ingest *in, const struct reader_group *g, struct creator *c,
		     struct metric_sums *sums)
{
	struct model *m = in->m;
	struct model_threads group = {
	    .kind = (enum thread_kind)g->kind, .threads = g->threads, .call = c->call};

	c->num_calls = 0;
	for (uint32_t i = 0; i < g->num_calls && i < MODEL_CREATOR_CALLS; i++)
		if (add_call(in, c, g->calls[i]) != 0)
			return -1;
	group.num_calls = c->num_calls;
	sums->len = 0;
	if (!ingest_merged_sums(in, g->sums, g->num_sums, sums))
		return ingest_out_of_memory(in, sizeof *sums->at);
	group.sums = *sums;
	group.first = model_text(m, g->first.at, g->first.n);
	group.last = model_text(m, g->last.at, g->last.n);
	group.pattern = group.first ? model_thread_pattern(m, group.first) : NULL;
	return group.pattern && group.last && model_add_threads(m, &group)
		   ? 0
		   : ingest_out_of_memory(in, sizeof group);
}

static int add_groups(struct ingest *in, struct metric_sums *sums)
{
	struct creator c = {.tree = CSP_NONE};
	int rc = reader_num_epochs(in->r) ? ingest_open_place(in, 0, &c.place) : 0;

	for (uint32_t i = 0; rc == 0 && c.place && i < reader_num_groups(in->r); i++)
		rc = add_group(in, reader_group(in->r, i), &c, sums);
	return rc;
}

int ingest_threads(struct ingest *in)
{
	size_t n = 0;
	struct metric_sums sums = {0}; /* of the thread that is added */
	struct created *all;
	bool *added;
	int rc;

	/* its sums are of all labels */
	if (reader_is_merged(in->r) && choice_has_labels(in->options.choice))
		return 0;
	all = list_created(in, &n);
	added = calloc(num_threads(in) + (size_t)1, sizeof *added);
	if (!all || !added)
		rc = ingest_out_of_memory(in, num_threads(in) * sizeof *all);
	else if (reader_is_merged(in->r) && reader_num_groups(in->r))
		rc = add_groups(in, &sums);
	else
		rc = add_rows(in, all, n, added, &sums);

	free(all);
	free(added);
	return rc;
}
