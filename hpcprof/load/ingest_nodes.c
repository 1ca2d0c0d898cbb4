/* Merges the nodes of a tree into the model.
 *
 * There are two passes over a tree. The first goes backwards, children before parents, to find
 * which nodes have a value or a descendant with one. Others get no context. The second goes
 * forwards in batches, each in three steps that wait for different memory. First, all ips of the
 * batch become steps and path hashes, which needs no context, and the slots are prefetched. Then
 * the contexts are found, and their columns prefetched. Then the values are added. */
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/model/sum.h"

#include <string.h>

/* Without branches, which would be unpredictable. */
static inline __attribute__((always_inline)) void mark_nodes(uint8_t *restrict marks,
							     const struct reader_rows *tree,
							     uint64_t *sums, uint32_t num_metrics)
{
	const struct reader_rows rows = *tree; /* a copy that marks cannot alias */
	unsigned mark = 0;

	memset(marks, 0, rows.n);
	for (uint64_t i = rows.n; i-- > 0;) {
		uint64_t parent = reader_row_word(&rows, i, ROW_PARENT), any = 0;
		unsigned live;
		mark = marks[i];
		for (uint32_t k = 0; k < num_metrics; k++) {
			uint64_t value = reader_row_word(&rows, i, ROW_METRICS + k);
			sums[k] += value;
			sums[k] |= -(uint64_t)(sums[k] < value); /* saturate on overflow */
			any |= value;
		}
		mark |= (unsigned)((any | -any) >> 63) * (MARK_VALUE | MARK_LIVE);
		marks[i] = (uint8_t)mark;
		live = mark / MARK_LIVE & 1;
		marks[parent] |= (uint8_t)(live * (MARK_LIVE | MARK_CALLED) | MARK_INNER);
	}
	marks[0] = (uint8_t)mark; /* the root is its own parent in the file */
}

bool ingest_mark(struct ingest *in, struct ingested_tree *t)
{
	/* a constant for the compiler: the usual number of metrics */
	if (in->num_metrics == 2) {
		uint64_t sums[2] = {t->sums[0], t->sums[1]};
		mark_nodes(in->marks, &t->rows, sums, 2);
		memcpy(t->sums, sums, sizeof sums);
	} else {
		mark_nodes(in->marks, &t->rows, t->sums, in->num_metrics);
	}
	return in->marks[0] & MARK_LIVE;
}

static inline void want(struct node_batch *b, uint64_t node, enum frame_role role, bool wanted)
{
	b->node[b->n] = node;
	b->role[b->n] = (uint8_t)role;
	b->by_call[b->n] = false;
	b->n += wanted;
}

static inline void take(struct node_batch *b, enum taking kind, unsigned want, bool taken)
{
	b->taking[kind][b->num_taking[kind]] = (uint16_t)want;
	b->num_taking[kind] += taken;
}

/* Add the contexts that a node with a value needs, if not all columns are sampled. */
static void want_roles(struct ingest *in, struct ingested_tree *t, uint64_t node)
{
	bool sampled = false, recorded = false, activations = false, call;
	struct node_batch *b = &t->batch;

	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct ingest_column *c = &in->columns[i];
		bool value = reader_row_word(&t->rows, node, ROW_METRICS + i) != 0;
		sampled |= value && c->at_point;
		activations |= value && !c->at_point && c->activation;
		recorded |= value && !c->at_point && !c->activation;
	}
	call = recorded || in->marks[node] & MARK_INNER;
	take(b, TAKE_POINT, b->n, sampled);
	want(b, node, FRAME_POINT, sampled);
	take(b, TAKE_ENTRY, b->n, activations);
	want(b, node, FRAME_ENTRY, activations);
	if (activations)
		b->by_call[b->n - 1] = call;
	take(b, TAKE_CALL, b->n, recorded);
	want(b, node, FRAME_CALL, in->marks[node] & MARK_CALLED || recorded);
}

/* The usual case that all columns are sampled: the counters stay in registers. */
static void collect_sampled(const uint8_t *marks, struct node_batch *b, uint64_t from, uint64_t end)
{
	unsigned n = 0, taking = 0;

	for (uint64_t i = from; i < end; i++) {
		unsigned value = marks[i] / MARK_VALUE & 1, called = marks[i] / MARK_CALLED & 1;
		b->taking[TAKE_POINT][taking] = (uint16_t)n;
		taking += value;
		b->node[n] = i;
		b->role[n] = FRAME_POINT;
		n += value;
		b->node[n] = i;
		b->role[n] = FRAME_CALL;
		n += called;
	}
	b->n = n;
	b->num_taking[TAKE_POINT] = taking;
}

static void collect_wants(struct ingest *in, struct ingested_tree *t, uint64_t from, uint64_t end)
{
	struct node_batch *b = &t->batch;

	b->n = 0;
	memset(b->num_taking, 0, sizeof b->num_taking);
	if (!in->calls) {
		collect_sampled(in->marks, b, from, end);
		return;
	}
	for (uint64_t i = from; i < end; i++) {
		if (in->marks[i] & MARK_VALUE)
			want_roles(in, t, i);
		else
			want(b, i, FRAME_CALL, in->marks[i] & MARK_CALLED);
	}
}

static inline uint64_t ip_of(const struct reader_rows *rows, const struct node_batch *b, unsigned k)
{
	uint64_t ip = reader_row_word(rows, b->node[k], ROW_IP);

	return b->role[k] == FRAME_ENTRY ? ip - (b->by_call[k] && ip) : ip;
}

/* First step: compute the path hashes, and so the slots of the contexts in the table. */
static int compute_paths(struct ingest *in, struct ingested_tree *t)
{
	const struct reader_rows rows = t->rows;
	struct node_batch *b = &t->batch;
	uint64_t *restrict paths = in->paths;

	for (unsigned k = 0; k < b->n; k++) {
		uint64_t node = b->node[k];
		uint64_t parent = reader_row_word(&rows, node, ROW_PARENT);
		uint64_t step = epoch_index_step(t->place, in->m, in->path, ip_of(&rows, b, k),
						 (enum frame_role)b->role[k]);
		uint64_t path = contexts_path(paths[parent], step);
		if (step == UINT64_MAX)
			return ingest_out_of_memory(in, sizeof(struct model_frame));
		contexts_prefetch(&in->m->contexts, path);
		b->parent[k] = parent;
		b->path[k] = path;
		paths[node] = path;
	}
	return 0;
}

/* Second step: find or insert the contexts, and extend the columns to them. */
static int find_contexts(struct ingest *in, struct ingested_tree *t)
{
	struct node_batch *b = &t->batch;
	struct model *m = in->m;
	uint32_t *restrict contexts = in->contexts;

	for (unsigned k = 0; k < b->n; k++) {
		uint32_t parent = contexts[b->parent[k]];
		uint32_t id = contexts_find(&m->contexts, parent, b->path[k]);
		if (id == CONTEXT_NONE)
			id = contexts_insert(&m->contexts, parent, b->path[k], MODEL_NO_FRAME);
		if (id == CONTEXT_NONE)
			return ingest_out_of_memory(in, sizeof(uint64_t));
		b->context[k] = id;
		contexts[b->node[k]] = id;
	}
	if (m->contexts.len <= in->reached)
		return 0;
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct ingest_column *c = &in->columns[i];
		uint32_t last = m->contexts.len - 1;
		if (!model_reach(m, &m->metrics.at[c->metric], last) ||
		    (c->sum != INGEST_NO_SUM && !model_reach(m, &m->metrics.at[c->sum], last)))
			return ingest_out_of_memory(in, m->contexts.len * sizeof(uint64_t));
	}
	in->reached = m->contexts.cap;
	return 0;
}

/* Third step: add the values of one column. Sums saturate, without a branch. */
static void add_column(struct ingest *in, struct ingested_tree *t, enum taking kind,
		       const struct target *target)
{
	struct model_metric *metric = &in->m->metrics.at[target->metric];
	uint64_t *restrict to = target->samples ? metric->samples : metric->events;
	const struct node_batch *b = &t->batch;
	uint64_t scale = target->scale;

	for (unsigned k = 0; k < b->num_taking[kind]; k++) {
		unsigned w = b->taking[kind][k];
		uint32_t context = b->context[w];
		bool passed = false;
		uint64_t value =
		    reader_row_word(&t->rows, b->node[w], ROW_METRICS + target->column);
		if (scale != 1)
			value = sum_mul(value, scale, &passed);
		to[context] = sum_add(to[context], value, &passed);
	}
}

static void prefetch_columns(const struct ingest *in, const struct ingested_tree *t,
			     enum taking kind)
{
	const struct node_batch *b = &t->batch;

	for (unsigned i = 0; i < in->num_targets[kind]; i++) {
		const struct target *target = &in->targets[kind][i];
		const struct model_metric *metric = &in->m->metrics.at[target->metric];
		const uint64_t *to = target->samples ? metric->samples : metric->events;
		for (unsigned k = 0; k < b->num_taking[kind]; k++)
			__builtin_prefetch(&to[b->context[b->taking[kind][k]]], 1);
	}
}

static int add_nodes(struct ingest *in, struct ingested_tree *t, uint64_t from, uint64_t end)
{
	collect_wants(in, t, from, end);
	if (compute_paths(in, t) != 0 || find_contexts(in, t) != 0)
		return -1;
	for (int kind = 0; kind < TAKINGS; kind++)
		prefetch_columns(in, t, (enum taking)kind);
	for (int kind = 0; kind < TAKINGS; kind++)
		for (unsigned i = 0; i < in->num_targets[kind]; i++)
			add_column(in, t, (enum taking)kind, &in->targets[kind][i]);
	return in->watch ? in->watch(in->watcher, t->batch.context, t->batch.n, in->e) : 0;
}

/* Values of the root, which has no frame, become a child of it, as those of a leaf. */
static int add_root(struct ingest *in, struct ingested_tree *t, uint32_t root)
{
	int rc = 0;

	in->contexts[0] = root;
	in->paths[0] = in->m->contexts.paths[root];
	if (!(in->marks[0] & MARK_VALUE))
		return 0;
	in->marks[0] &= (uint8_t)~MARK_CALLED;
	rc = add_nodes(in, t, 0, 1);
	in->contexts[0] = root;
	in->paths[0] = in->m->contexts.paths[root];
	return rc;
}

int ingest_nodes(struct ingest *in, struct ingested_tree *t, uint32_t root)
{
	int rc = add_root(in, t, root);

	for (uint64_t i = 1; rc == 0 && i < t->rows.n; i += BATCH_NODES)
		rc = add_nodes(in, t, i, t->rows.n - i < BATCH_NODES ? t->rows.n : i + BATCH_NODES);
	return rc;
}
