/* One datafile into the model.
 *
 * A tree is gone over twice. Backwards, children before their parents, to learn which nodes
 * have a value or one below them: others get no context. Then forwards in batches, each in
 * three steps that wait for memory at different places: first all ips of the batch become
 * steps and hashes of paths, which needs no context, and the slots are prefetched; then
 * contexts are found, and their columns prefetched; then values are added. */
#include "hpcprof/ingest.h"

#include "hpcprof/places.h"
#include "hpcprof/process.h"
#include "hpcprof/sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where the values of one metric of the file go. */
struct column {
	uint32_t metric;      /* of the model */
	bool events, samples; /* which of its columns */
	uint64_t scale;       /* events = value x scale */
	bool at_point;        /* asynchronous: belongs to the instruction at ip */
	bool activation;      /* return or activation count */
};

/* What is known about a node. */
enum {
	MARK_VALUE = 1,  /* it has a value */
	MARK_LIVE = 2,   /* or a node below it has */
	MARK_CALLED = 4, /* a child is live */
	MARK_INNER = 8,  /* it has children */
};

/* Which columns of a node belong to one of its contexts. */
enum taking {
	TAKE_POINT,      /* of a call, its instruction: sampled values */
	TAKE_LEAF_POINT, /* of any other node: these, returns and activations */
	TAKE_CALL,       /* of a call: recorded values, returns and activations */
	TAKINGS
};

/* A column of the model that takes a column of the file. */
struct target {
	uint32_t metric; /* of the model */
	bool samples;    /* else events */
	unsigned column; /* of the file */
	uint64_t scale;
};

/* Contexts that nodes want in one of their roles. Of a node that wants several the one for its
 * call site comes last, so that it is what the node's children find. */
enum { BATCH_NODES = 128, BATCH = 2 * BATCH_NODES };
struct batch {
	unsigned n;
	uint64_t node[BATCH], parent[BATCH];
	uint8_t role[BATCH];
	uint64_t step[BATCH], path[BATCH];
	uint32_t context[BATCH];
	/* by kind: which of these take values */
	unsigned num_taking[TAKINGS];
	uint8_t taking[TAKINGS][BATCH];
};

struct ingest {
	struct model *m;
	struct ingest_options options;
	struct extents extents;
	/* of the tree at hand; room is for so many nodes */
	uint64_t *paths;    /* hash of the path that the node's children go on from */
	uint32_t *contexts; /* that its children hang under */
	uint8_t *marks;
	uint64_t room;

	/* of the file at hand */
	const struct reader *r;
	const char *path;
	struct error *e;
	uint32_t num_metrics;
	struct column *columns;          /* [num_metrics] */
	struct target *targets[TAKINGS]; /* [num_targets] each */
	unsigned num_targets[TAKINGS];
	struct place **places; /* [epochs], NULL where no tree asked for it */
	uint32_t *roots;       /* [trees], what each hangs under; see root_of */
	uint64_t *sums;        /* [threads + 1][num_metrics], raw values; the last row is of
				  trees without a thread */
	bool calls;            /* some column is not asynchronous */
	uint32_t reached;      /* contexts that the file's columns of the model have */
};

static int out_of_memory(struct ingest *in, uint64_t bytes)
{
	if (in->m->contexts.len >= CONTEXT_NONE - 1)
		return error_set(in->e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	return error_memory(in->e, bytes);
}

static struct reader_text unit_of(const struct reader_metric *metric)
{
	return reader_pairs_get(metric->about, "unit");
}

/* Whatever the order of the files, the largest stays. */
static void note_interval(struct model_metric *metric, uint64_t interval)
{
	if (interval > metric->interval)
		metric->interval = interval;
}

/* An N column without a V before it counts as a metric of its own. */
static int plan_column(struct ingest *in, uint32_t i, uint32_t position)
{
	const struct reader_metric *v = reader_metric(in->r, i);
	uint64_t flags = v->flags & ~(uint64_t)CSP_METRIC_SAMPLES, said;
	struct column *c = &in->columns[i];
	struct model_metric *metric;

	*c =
	    (struct column){.events = true,
			    .samples = true,
			    .scale = v->period,
			    .at_point = v->flags & CSP_METRIC_ASYNC,
			    .activation = v->flags & (CSP_METRIC_RETURNS | CSP_METRIC_ACTIVATIONS)};
	c->metric = model_metric(in->m, v->name, unit_of(v), flags);
	if (c->metric == UINT32_MAX)
		return out_of_memory(in, sizeof(struct model_metric));
	in->calls |= !c->at_point;
	metric = &in->m->metrics.at[c->metric];
	if (reader_pairs_u64(v->about, "position", &said) && said < UINT32_MAX)
		position = (uint32_t)said;
	if (position < metric->position)
		metric->position = position;
	return 0;
}

/* Pair V columns with the N columns that follow them. */
static int plan_columns(struct ingest *in)
{
	in->calls = false;
	for (uint32_t i = 0, position = 0; i < in->num_metrics; i++, position++) {
		const struct reader_metric *v = reader_metric(in->r, i);
		const struct reader_metric *n =
		    i + 1 < in->num_metrics ? reader_metric(in->r, i + 1) : NULL;
		struct column *c = &in->columns[i];

		if (plan_column(in, i, position) != 0)
			return -1;
		if (!n || !(n->flags & CSP_METRIC_SAMPLES) || (v->flags & CSP_METRIC_SAMPLES)) {
			if (v->flags & CSP_METRIC_ASYNC)
				note_interval(&in->m->metrics.at[c->metric], v->period);
			continue;
		}
		c->samples = false;
		in->columns[++i] = *c;
		in->columns[i].events = false;
		in->columns[i].samples = true;
		in->columns[i].scale = 0;
		note_interval(&in->m->metrics.at[c->metric], n->period);
	}
	return 0;
}

static void plan_target(struct ingest *in, enum taking kind, unsigned i)
{
	const struct column *c = &in->columns[i];
	struct target *to = in->targets[kind];

	if (c->events)
		to[in->num_targets[kind]++] = (struct target){c->metric, false, i, c->scale};
	if (c->samples)
		to[in->num_targets[kind]++] = (struct target){c->metric, true, i, 1};
}

/* Who takes which column. */
static void plan_targets(struct ingest *in)
{
	memset(in->num_targets, 0, sizeof in->num_targets);
	for (unsigned i = 0; i < in->num_metrics; i++) {
		const struct column *c = &in->columns[i];
		if (c->at_point)
			plan_target(in, TAKE_POINT, i);
		else
			plan_target(in, TAKE_CALL, i);
		if (c->at_point || c->activation)
			plan_target(in, TAKE_LEAF_POINT, i);
	}
}

static int open_place(struct ingest *in, uint32_t epoch, struct place **out)
{
	struct place *p = in->places[epoch];

	if (!p) {
		p = malloc(sizeof *p);
		if (!p)
			return out_of_memory(in, sizeof *p);
		if (place_open(p, reader_epoch(in->r, epoch), &in->extents, in->e) != 0) {
			free(p);
			return -1;
		}
		in->places[epoch] = p;
	}
	*out = p;
	return 0;
}

/* ---- a tree ------------------------------------------------------------------------ */

struct tree {
	struct reader_rows rows;
	struct place *place;
	uint64_t *sums; /* [num_metrics], of its thread */
	struct batch batch;
};

static inline bool has_value(const struct reader_rows *rows, uint64_t node, uint32_t num_metrics)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < num_metrics; i++)
		any |= reader_row_word(rows, node, ROW_METRICS + i);
	return any;
}

/* Without branches: what a node is is as good as random. */
static inline __attribute__((always_inline)) void
mark_nodes(uint8_t *restrict marks, const struct reader_rows *rows, uint32_t num_metrics)
{
	memset(marks, 0, rows->n);
	for (uint64_t i = rows->n; i-- > 0;) {
		unsigned mark =
		    marks[i] | has_value(rows, i, num_metrics) * (MARK_VALUE | MARK_LIVE);
		uint64_t parent = reader_row_word(rows, i, ROW_PARENT);
		marks[i] = (uint8_t)mark;
		marks[parent] |= (uint8_t)((i > 0) * (MARK_INNER | (mark & MARK_LIVE) / MARK_LIVE *
								       (MARK_LIVE | MARK_CALLED)));
	}
}

/* The same with the usual numbers of metrics known to the compiler. */
static void mark(struct ingest *in, const struct reader_rows *rows)
{
	if (in->num_metrics == 2)
		mark_nodes(in->marks, rows, 2);
	else
		mark_nodes(in->marks, rows, in->num_metrics);
}

static inline void want(struct batch *b, uint64_t node, enum frame_role role, bool wanted)
{
	b->node[b->n] = node;
	b->role[b->n] = (uint8_t)role;
	b->n += wanted;
}

static inline void take(struct batch *b, enum taking kind, unsigned want, bool taken)
{
	b->taking[kind][b->num_taking[kind]] = (uint8_t)want;
	b->num_taking[kind] += taken;
}

/* The wants of a node with a value, where not all columns are sampled. */
static void want_roles(struct ingest *in, struct tree *t, uint64_t node)
{
	bool sampled = false, recorded = false, activations = false, call;
	struct batch *b = &t->batch;

	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct column *c = &in->columns[i];
		bool value = reader_row_word(&t->rows, node, ROW_METRICS + i) != 0;
		sampled |= value && c->at_point;
		activations |= value && !c->at_point && c->activation;
		recorded |= value && !c->at_point && !c->activation;
	}
	call = recorded || in->marks[node] & MARK_INNER;
	take(b, call ? TAKE_POINT : TAKE_LEAF_POINT, b->n, sampled || (!call && activations));
	want(b, node, FRAME_POINT, sampled || (!call && activations));
	take(b, TAKE_CALL, b->n, recorded || (call && activations));
	want(b, node, FRAME_CALL,
	     in->marks[node] & MARK_CALLED || recorded || (call && activations));
}

static void collect_wants(struct ingest *in, struct tree *t, uint64_t from, uint64_t end)
{
	struct batch *b = &t->batch;
	const uint8_t *marks = in->marks;

	b->n = 0;
	memset(b->num_taking, 0, sizeof b->num_taking);
	for (uint64_t i = from; i < end; i++) {
		unsigned mark = marks[i];
		if (in->calls && (mark & MARK_VALUE)) {
			want_roles(in, t, i);
			continue;
		}
		take(b, TAKE_LEAF_POINT, b->n, mark & MARK_VALUE);
		want(b, i, FRAME_POINT, mark & MARK_VALUE);
		want(b, i, FRAME_CALL, mark & MARK_CALLED);
	}
}

/* First step: where in the table the contexts are if they are there. */
static int compute_paths(struct ingest *in, struct tree *t)
{
	struct batch *b = &t->batch;
	uint64_t *restrict paths = in->paths;

	for (unsigned k = 0; k < b->n; k++) {
		uint64_t node = b->node[k];
		uint64_t parent = reader_row_word(&t->rows, node, ROW_PARENT);
		uint64_t step =
		    place_step(t->place, in->m, in->path, reader_row_word(&t->rows, node, ROW_IP),
			       (enum frame_role)b->role[k]);
		uint64_t path = contexts_path(paths[parent], step);
		if (step == UINT64_MAX)
			return out_of_memory(in, sizeof(struct model_frame));
		contexts_prefetch(&in->m->contexts, path);
		b->parent[k] = parent;
		b->step[k] = step;
		b->path[k] = path;
		paths[node] = path;
	}
	return 0;
}

/* Second step: find them, or make them, and let the columns reach them. */
static int find_contexts(struct ingest *in, struct tree *t)
{
	struct batch *b = &t->batch;
	struct model *m = in->m;
	uint32_t *restrict contexts = in->contexts;

	for (unsigned k = 0; k < b->n; k++) {
		uint32_t parent = contexts[b->parent[k]];
		uint32_t id = contexts_find(&m->contexts, parent, b->step[k], b->path[k]);
		if (id == CONTEXT_NONE)
			id = model_new_context(m, parent, b->step[k], b->path[k]);
		if (id == CONTEXT_NONE)
			return out_of_memory(in, sizeof(uint64_t));
		b->context[k] = id;
		contexts[b->node[k]] = id;
	}
	if (m->contexts.len <= in->reached)
		return 0;
	for (uint32_t i = 0; i < in->num_metrics; i++)
		if (!model_reach(m, &m->metrics.at[in->columns[i].metric], m->contexts.len - 1))
			return out_of_memory(in, m->contexts.len * sizeof(uint64_t));
	in->reached = m->contexts.cap;
	return 0;
}

/* Third step: the values of one column. Sums stop at the end, without a branch. */
static void add_column(struct ingest *in, struct tree *t, enum taking kind,
		       const struct target *target)
{
	struct model_metric *metric = &in->m->metrics.at[target->metric];
	uint64_t *restrict to = target->samples ? metric->samples : metric->events;
	const struct batch *b = &t->batch;
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

static void prefetch_columns(const struct ingest *in, const struct tree *t, enum taking kind)
{
	const struct batch *b = &t->batch;

	for (unsigned i = 0; i < in->num_targets[kind]; i++) {
		const struct target *target = &in->targets[kind][i];
		const struct model_metric *metric = &in->m->metrics.at[target->metric];
		const uint64_t *to = target->samples ? metric->samples : metric->events;
		for (unsigned k = 0; k < b->num_taking[kind]; k++)
			__builtin_prefetch(&to[b->context[b->taking[kind][k]]], 1);
	}
}

static int add_nodes(struct ingest *in, struct tree *t, uint64_t from, uint64_t end)
{
	collect_wants(in, t, from, end);
	if (compute_paths(in, t) != 0 || find_contexts(in, t) != 0)
		return -1;
	for (int kind = 0; kind < TAKINGS; kind++)
		prefetch_columns(in, t, (enum taking)kind);
	for (int kind = 0; kind < TAKINGS; kind++)
		for (unsigned i = 0; i < in->num_targets[kind]; i++)
			add_column(in, t, (enum taking)kind, &in->targets[kind][i]);
	return 0;
}

/* What all nodes have of each metric, for the totals. */
static void sum_up(struct ingest *in, struct tree *t)
{
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		uint64_t sum = t->sums[i];
		bool passed = false;
		for (uint64_t k = 0; k < t->rows.n; k++)
			sum = sum_add(sum, reader_row_word(&t->rows, k, ROW_METRICS + i), &passed);
		t->sums[i] = sum;
	}
}

/* Values at the root itself, which has no frame, become a child of it: as those of a leaf. */
static int add_root(struct ingest *in, struct tree *t, uint32_t root)
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

/* ---- what a tree hangs under --------------------------------------------------------- */

#define ROOT_NOT_YET UINT32_MAX
#define ROOT_SOUGHT (UINT32_MAX - 1)

static uint32_t own_root(const struct reader_tree *tree)
{
	return tree->kind == CSP_TREE_PARTIAL ? MODEL_PARTIAL_ROOT : MODEL_ROOT;
}

/* The context of a node of tree as a call site, below the context root. */
static int call_site(struct ingest *in, uint32_t tree, uint64_t node, uint32_t root, uint32_t *out)
{
	struct reader_rows rows;
	VEC(uint64_t) ips = {0};
	struct place *p;
	int rc = open_place(in, reader_tree(in->r, tree)->epoch, &p);
	uint64_t row = node;

	if (rc == 0)
		rc = reader_rows_begin(&rows, in->r, tree, in->e);
	if (rc != 0)
		return rc;
	for (uint64_t k = 0; rows.ids && k < rows.n; k++)
		if (rows.ids[k] == node)
			row = k;
	for (; row && rc == 0; row = reader_row_word(&rows, row, ROW_PARENT))
		if (!vec_push(&ips, reader_row_word(&rows, row, ROW_IP)))
			rc = out_of_memory(in, sizeof(uint64_t));
	for (*out = root; rc == 0 && ips.len; ips.len--) {
		uint64_t step = place_step(p, in->m, in->path, ips.at[ips.len - 1], FRAME_CALL);
		uint64_t path = contexts_path(in->m->contexts.paths[*out], step);
		uint32_t parent = *out;
		if (step != UINT64_MAX)
			*out = contexts_find(&in->m->contexts, parent, step, path);
		if (step != UINT64_MAX && *out == CONTEXT_NONE)
			*out = model_new_context(in->m, parent, step, path);
		if (step == UINT64_MAX || *out == CONTEXT_NONE)
			rc = out_of_memory(in, sizeof(uint64_t));
	}
	vec_free(&ips);
	reader_rows_end(&rows);
	return rc;
}

/* What a tree hangs under. Threads that created threads make a chain of trees, which is
 * followed without recursion; where it is a circle, the first one found again has none. */
static int root_of(struct ingest *in, uint32_t tree, uint32_t *out)
{
	VEC(uint32_t) chain = {0};
	uint32_t at = tree, root;
	int rc = 0;

	while (in->roots[at] == ROOT_NOT_YET && rc == 0) {
		const struct reader_tree *t = reader_tree(in->r, at);
		in->roots[at] = ROOT_SOUGHT;
		if (!vec_push(&chain, at))
			rc = out_of_memory(in, sizeof at);
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

static int add_tree(struct ingest *in, uint32_t index)
{
	const struct reader_tree *tree = reader_tree(in->r, index);
	uint32_t threads = reader_num_threads(in->r), root = own_root(tree);
	uint32_t row = tree->thread < threads ? tree->thread : threads;
	struct tree t;
	int rc = open_place(in, tree->epoch, &t.place);

	if (rc == 0)
		rc = reader_rows_begin(&t.rows, in->r, index, in->e);
	if (rc != 0)
		return rc;
	t.sums = in->sums + (size_t)row * in->num_metrics;
	mark(in, &t.rows);
	if (in->marks[0] & MARK_LIVE) {
		if (in->options.join_threads)
			rc = root_of(in, index, &root);
		if (rc == 0)
			rc = add_root(in, &t, root);
		sum_up(in, &t);
		for (uint64_t i = 1; rc == 0 && i < t.rows.n; i += BATCH_NODES)
			rc = add_nodes(in, &t, i,
				       t.rows.n - i < BATCH_NODES ? t.rows.n : i + BATCH_NODES);
	}
	reader_rows_end(&t.rows);
	return rc;
}

/* ---- a file -------------------------------------------------------------------------- */

static int make_room(struct ingest *in)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < reader_num_trees(in->r); i++)
		if (reader_tree(in->r, i)->num_nodes > largest)
			largest = reader_tree(in->r, i)->num_nodes;
	if (largest <= in->room)
		return 0;
	free(in->paths);
	free(in->contexts);
	free(in->marks);
	in->room = 0;
	in->paths = malloc(largest * sizeof *in->paths);
	in->contexts = malloc(largest * sizeof *in->contexts);
	in->marks = malloc(largest);
	if (!in->paths || !in->contexts || !in->marks)
		return out_of_memory(in, largest * sizeof *in->paths);
	in->room = largest;
	return 0;
}

static int prepare(struct ingest *in)
{
	size_t rows = (size_t)reader_num_threads(in->r) + 1;
	size_t trees = reader_num_trees(in->r);

	in->columns = calloc((size_t)in->num_metrics + 1, sizeof *in->columns);
	for (int kind = 0; kind < TAKINGS; kind++)
		in->targets[kind] = calloc(2 * (size_t)in->num_metrics + 1, sizeof(struct target));
	in->reached = 0;
	in->places = calloc((size_t)reader_num_epochs(in->r) + 1, sizeof(struct place *));
	in->roots = malloc((trees + 1) * sizeof *in->roots);
	in->sums = calloc(rows * in->num_metrics + 1, sizeof *in->sums);
	if (!in->columns || !in->targets[TAKE_POINT] || !in->targets[TAKE_LEAF_POINT] ||
	    !in->targets[TAKE_CALL] || !in->places || !in->roots || !in->sums)
		return out_of_memory(in, rows * in->num_metrics * sizeof *in->sums);
	memset(in->roots, 0xff, trees * sizeof *in->roots);
	if (make_room(in) != 0 || plan_columns(in) != 0)
		return -1;
	plan_targets(in);
	return 0;
}

static void add_to(uint64_t *to, uint64_t value)
{
	bool passed = false;
	*to = sum_add(*to, value, &passed);
}

/* Of all trees together. */
static uint64_t column_sum(const struct ingest *in, uint32_t i)
{
	uint64_t sum = 0;

	for (size_t t = 0; t <= reader_num_threads(in->r); t++)
		add_to(&sum, in->sums[t * in->num_metrics + i]);
	return sum;
}

/* Events and samples of the metric whose V is column i. */
static struct model_sum metric_sum(const struct ingest *in, uint32_t i)
{
	bool saturated = false;

	return (struct model_sum){sum_mul(column_sum(in, i), in->columns[i].scale, &saturated),
				  column_sum(in, in->columns[i].samples ? i : i + 1)};
}

/* What the file adds to the totals of its metrics: sums of products are products of sums, also
 * where they stop at 2^64 - 1. */
static int add_totals(struct ingest *in, struct model_sum **out, uint32_t *num_sums)
{
	struct model *m = in->m;
	struct model_sum *sums;
	bool saturated = false;

	*num_sums = 0;
	for (uint32_t i = 0; i < in->num_metrics; i++)
		if (in->columns[i].metric >= *num_sums)
			*num_sums = in->columns[i].metric + 1;
	*out = sums = arena_alloc(&m->arena, (*num_sums + (size_t)1) * sizeof *sums);
	if (!sums)
		return out_of_memory(in, *num_sums * sizeof *sums);
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct column *c = &in->columns[i];
		struct model_sum *total = &m->metrics.at[c->metric].total;
		uint64_t value = column_sum(in, i);
		if (c->events) {
			uint64_t events = sum_mul(value, c->scale, &saturated);
			add_to(&sums[c->metric].events, events);
			add_to(&total->events, events);
		}
		if (c->samples) {
			add_to(&sums[c->metric].samples, value);
			add_to(&total->samples, value);
		}
	}
	return 0;
}

static int push_process(struct ingest *in, const struct model_process *process)
{
	return vec_push(&in->m->processes, *process) ? 0 : out_of_memory(in, sizeof *process);
}

/* The program images of a merged file, each with its sums. */
static int add_merged(struct ingest *in)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < reader_num_merged(in->r); i++) {
		const struct reader_merged *row = reader_merged(in->r, i);
		struct model_process p = {0};
		rc = process_describe_merged(in->m, in->r, i, &p, in->e);
		for (uint32_t k = 0; k < row->num_sums; k++)
			if (in->columns[row->sums[k].metric].metric >= p.num_sums)
				p.num_sums = in->columns[row->sums[k].metric].metric + 1;
		p.sums = arena_alloc(&in->m->arena, (p.num_sums + (size_t)1) * sizeof *p.sums);
		if (!p.sums)
			return out_of_memory(in, p.num_sums * sizeof *p.sums);
		for (uint32_t k = 0; k < row->num_sums; k++) {
			struct model_sum *sum = &p.sums[in->columns[row->sums[k].metric].metric];
			add_to(&sum->events, row->sums[k].events);
			add_to(&sum->samples, row->sums[k].samples);
		}
		if (rc == 0)
			rc = push_process(in, &p);
	}
	return rc;
}

/* All that is not in the trees. */
static int add_facts(struct ingest *in)
{
	struct model *m = in->m;
	struct model_process p = {0};

	if (add_totals(in, &p.sums, &p.num_sums) != 0)
		return -1;
	for (uint32_t i = 0; i < in->num_metrics; i++) {
		struct model_sum sum;
		if (!in->columns[i].events)
			continue;
		sum = metric_sum(in, i);
		if (process_describe_metric(m, in->r, i, &sum,
					    &m->metrics.at[in->columns[i].metric], in->e) != 0)
			return -1;
	}
	if (reader_is_merged(in->r))
		return add_merged(in);
	return process_describe(m, in->r, in->path, &p, in->e) == 0 ? push_process(in, &p) : -1;
}

static void finish_file(struct ingest *in)
{
	for (uint32_t i = 0; in->places && i < reader_num_epochs(in->r); i++)
		if (in->places[i]) {
			place_close(in->places[i]);
			free(in->places[i]);
		}
	free(in->places);
	free(in->columns);
	for (int kind = 0; kind < TAKINGS; kind++) {
		free(in->targets[kind]);
		in->targets[kind] = NULL;
	}
	free(in->roots);
	free(in->sums);
	in->places = NULL;
	in->columns = NULL;
	in->roots = NULL;
	in->sums = NULL;
}

int ingest_file(struct ingest *in, const struct reader *r, const char *path,
		model_complaint_fn *complain, void *context, struct error *e)
{
	int rc;

	in->r = r;
	in->path = path;
	in->e = e;
	in->num_metrics = reader_num_metrics(r);
	rc = prepare(in);
	for (uint32_t i = 0; rc == 0 && i < reader_num_trees(r); i++)
		rc = add_tree(in, i);
	if (rc == 0)
		rc = add_facts(in);
	if (rc == 0)
		rc = process_check_account(r, in->sums, complain, context, e);
	finish_file(in);
	return rc;
}

struct ingest *ingest_create(struct model *m, const struct ingest_options *o)
{
	struct ingest *in = calloc(1, sizeof *in);

	if (!in)
		return NULL;
	in->m = m;
	in->options = *o;
	in->extents.sysroot = o->sysroot;
	return in;
}

void ingest_destroy(struct ingest *in)
{
	if (!in)
		return;
	extents_deinit(&in->extents);
	free(in->paths);
	free(in->contexts);
	free(in->marks);
	free(in);
}

int model_add(struct model *m, const struct reader *r, const char *path, const char *sysroot,
	      model_complaint_fn *complain, void *context, struct error *e)
{
	struct ingest *in = ingest_create(m, &(struct ingest_options){.sysroot = sysroot});
	int rc = in ? ingest_file(in, r, path, complain, context, e) : error_memory(e, sizeof *in);

	ingest_destroy(in);
	return rc;
}
