/* Merges one datafile into the model: the roles of its metrics, the roots of its trees, and
 * everything outside the trees. */
#include "hpcprof/load/choice.h"
#include "hpcprof/load/ingest_internal.h"
#include "hpcprof/load/process.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int ingest_out_of_memory(struct ingest *in, uint64_t bytes)
{
	if (in->m->contexts.len >= CONTEXT_NONE - 1)
		return error_set(in->e, ERROR_LIMIT, "more than 2^32 distinct contexts");
	return error_memory(in->e, bytes);
}

static struct reader_text unit_of(const struct reader_metric *metric)
{
	return reader_pairs_get(metric->about, "unit");
}

/* The largest interval is kept, so that the order of the files does not matter. */
static void note_interval(struct model_metric *metric, uint64_t interval)
{
	if (interval > metric->interval)
		metric->interval = interval;
}

/* An N column without a V before it counts as a metric of its own. */
static int plan_column(struct ingest *in, uint32_t i, uint32_t position)
{
	const struct reader_metric *v = reader_metric(in->r, i);
	uint64_t flags = v->flags & ~(CSP_METRIC_SAMPLES | MODEL_SUM), said;
	struct ingest_column *c = &in->columns[i];
	struct model_metric *metric;

	*c = (struct ingest_column){.sum = INGEST_NO_SUM,
				    .events = true,
				    .samples = true,
				    .scale = v->period,
				    .at_point = v->flags & CSP_METRIC_ASYNC,
				    .activation = v->flags & MODEL_ACTIVATION_FLAGS};
	c->metric = model_metric(in->m, v->name, unit_of(v), flags);
	if (c->metric == UINT32_MAX)
		return ingest_out_of_memory(in, sizeof(struct model_metric));
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
		struct ingest_column *c = &in->columns[i];

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

/* If the model is to have the sum of times, add to it what the file has of its parts. */
static int plan_sum(struct ingest *in)
{
	const struct reader_text name = {MODEL_REALTIME, sizeof MODEL_REALTIME - 1},
				 unit = {"ns", 2};

	for (uint32_t i = 0; in->options.sums && i < in->num_metrics; i++) {
		struct ingest_column *c = &in->columns[i];
		const struct model_metric *part = &in->m->metrics.at[c->metric];
		uint64_t interval = part->interval;
		if (model_realtime_part(part) < 0)
			continue;
		c->sum = model_metric(in->m, name, unit, CSP_METRIC_ASYNC | MODEL_SUM);
		if (c->sum == INGEST_NO_SUM)
			return ingest_out_of_memory(in, sizeof(struct model_metric));
		note_interval(&in->m->metrics.at[c->sum], interval);
	}
	return 0;
}

static void plan_target(struct ingest *in, enum taking kind, unsigned i)
{
	const struct ingest_column *c = &in->columns[i];
	const uint32_t metrics[] = {c->metric, c->sum};
	struct target *to = in->targets[kind];

	for (int k = 0; k < 2 && metrics[k] != INGEST_NO_SUM; k++) {
		if (c->events)
			to[in->num_targets[kind]++] =
			    (struct target){metrics[k], false, i, c->scale};
		if (c->samples)
			to[in->num_targets[kind]++] = (struct target){metrics[k], true, i, 1};
	}
}

/* Plan which contexts of a node take which column. */
static void plan_targets(struct ingest *in)
{
	memset(in->num_targets, 0, sizeof in->num_targets);
	for (unsigned i = 0; i < in->num_metrics; i++) {
		const struct ingest_column *c = &in->columns[i];
		plan_target(in,
			    c->at_point     ? TAKE_POINT
			    : c->activation ? TAKE_ENTRY
					    : TAKE_CALL,
			    i);
	}
}

int ingest_open_place(struct ingest *in, uint32_t epoch, struct epoch_index **out)
{
	uint32_t id = interner_find(&in->place_ids, epoch);
	struct epoch_index *p;

	if (id != INTERNER_NONE) {
		*out = in->places.at[id];
		return 0;
	}
	p = malloc(sizeof *p);
	if (!p)
		return ingest_out_of_memory(in, sizeof *p);
	if (epoch_index_open(p, in->r, epoch, &in->extents, in->e) != 0) {
		free(p);
		return -1;
	}
	p->keep_notes = in->options.keep_notes;
	p->every_label = in->options.every_label;
	if (!vec_push(&in->places, p)) {
		epoch_index_close(p);
		free(p);
		return ingest_out_of_memory(in, sizeof *p);
	}
	*out = p;
	return interner_insert(&in->place_ids, epoch) == INTERNER_NONE
		   ? ingest_out_of_memory(in, sizeof(uint64_t))
		   : 0;
}

/* For a tree with that many nodes. */
static int make_room(struct ingest *in, uint64_t nodes)
{
	if (nodes <= in->room)
		return 0;
	free(in->paths);
	free(in->contexts);
	free(in->marks);
	in->room = 0;
	in->paths = malloc(nodes * sizeof *in->paths);
	in->contexts = malloc(nodes * sizeof *in->contexts);
	in->marks = malloc(nodes);
	if (!in->paths || !in->contexts || !in->marks)
		return ingest_out_of_memory(in, nodes * sizeof *in->paths);
	in->room = nodes;
	return 0;
}

static bool is_left_out(const struct ingest *in, uint32_t thread)
{
	const struct choice *c = in->options.choice;

	if (!choice_has_threads(c))
		return false;
	if (thread >= reader_num_threads(in->r))
		return true;
	return in->left_out ? in->left_out[thread]
			    : !choice_thread(c, reader_thread(in->r, thread));
}

int ingest_tree(struct ingest *in, uint32_t index)
{
	const struct reader_tree *tree = reader_tree(in->r, index);
	uint32_t threads = reader_num_threads(in->r),
		 root = tree->kind == CSP_TREE_PARTIAL ? MODEL_PARTIAL_ROOT : MODEL_ROOT;
	uint32_t row = tree->thread < threads ? tree->thread : threads;
	struct ingested_tree t;
	int rc;

	if (is_left_out(in, row))
		return 0;
	t.rows = (struct reader_rows){0};
	rc = ingest_open_place(in, tree->epoch, &t.place);
	if (rc == 0)
		rc = reader_rows_begin(&t.rows, in->r, index, in->e);
	if (rc == 0 && !in->options.keep_notes)
		rc = ingest_notes(in, &t.rows);
	if (rc == 0 && !in->options.keep_interpreter)
		rc = ingest_interpreter(in, t.place, &t.rows, NULL);
	if (rc == 0)
		rc = make_room(in, t.rows.n);
	if (rc != 0) {
		reader_rows_end(&t.rows);
		return rc;
	}
	t.sums = row_sums_add(&in->sums, row);
	if (!t.sums) {
		rc = ingest_out_of_memory(in, in->num_metrics * sizeof *t.sums);
	} else if (ingest_mark(in, &t)) {
		if (in->options.join_threads)
			rc = ingest_root(in, index, &root);
		if (rc == 0)
			rc = ingest_nodes(in, &t, root);
	}
	reader_rows_end(&t.rows);
	return rc;
}

/* ---- a file -------------------------------------------------------------------------- */

static uint64_t largest_tree(const struct ingest *in)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < reader_num_trees(in->r); i++)
		if (reader_tree(in->r, i)->num_nodes > largest)
			largest = reader_tree(in->r, i)->num_nodes;
	return largest;
}

static int choose_threads(struct ingest *in)
{
	const struct choice *c = in->options.choice;
	uint32_t n = reader_num_threads(in->r);

	if (!choice_has_threads(c))
		return 0;
	in->left_out = calloc((size_t)n + 1, sizeof *in->left_out);
	if (!in->left_out)
		return ingest_out_of_memory(in, n);
	for (uint32_t i = 0; i < n; i++)
		in->left_out[i] = !choice_thread(c, reader_thread(in->r, i));
	return 0;
}

static int prepare(struct ingest *in)
{
	in->columns = calloc((size_t)in->num_metrics + 1, sizeof *in->columns);
	for (int kind = 0; kind < TAKINGS; kind++)
		in->targets[kind] = calloc(4 * (size_t)in->num_metrics + 1, sizeof(struct target));
	in->reached = 0;
	row_sums_open(&in->sums, reader_num_threads(in->r), in->num_metrics);
	if (!in->columns || !in->targets[TAKE_POINT] || !in->targets[TAKE_ENTRY] ||
	    !in->targets[TAKE_CALL])
		return ingest_out_of_memory(in, in->num_metrics * sizeof(struct target));
	if (plan_columns(in) != 0 || plan_sum(in) != 0)
		return -1;
	plan_targets(in);
	return 0;
}

static void add_to(uint64_t *to, uint64_t value)
{
	bool passed = false;
	*to = sum_add(*to, value, &passed);
}

/* Events and samples of the metric whose V is column i, by its values and those of its N. */
static struct model_sum scaled(const struct ingest *in, uint32_t i, uint64_t values,
			       uint64_t samples)
{
	bool saturated = false;

	return (struct model_sum){sum_mul(values, in->columns[i].scale, &saturated), samples};
}

bool ingest_add_sum(const struct ingest *in, uint32_t i, struct model_sum value,
		    struct metric_sums *sums)
{
	const struct ingest_column *c = &in->columns[i];
	struct arena *a = &in->m->arena;

	return metric_sums_add(sums, a, c->metric, value) &&
	       (c->sum == INGEST_NO_SUM || metric_sums_add(sums, a, c->sum, value));
}

static uint32_t samples_column(const struct ingest *in, uint32_t i)
{
	return in->columns[i].samples ? i : i + 1;
}

static struct model_sum metric_sum(const struct ingest *in, uint32_t i)
{
	return scaled(in, i, row_sums_total(&in->sums, i),
		      row_sums_total(&in->sums, samples_column(in, i)));
}

struct model_sum ingest_row_sum(const struct ingest *in, const uint64_t *row, uint32_t i)
{
	return scaled(in, i, row[i], row[samples_column(in, i)]);
}

/* Add the file's values to the totals of its metrics. Scaling after the sum gives the same as
 * before it, also for sums that saturate at 2^64 - 1. */
static int add_totals(struct ingest *in, struct metric_sums *sums)
{
	struct model *m = in->m;
	bool saturated = false;

	for (uint32_t i = 0; i < in->num_metrics; i++) {
		const struct ingest_column *c = &in->columns[i];
		uint64_t value = row_sums_total(&in->sums, i);
		struct model_sum sum = {0, c->samples ? value : 0};
		if (c->events)
			sum.events = sum_mul(value, c->scale, &saturated);
		if (!ingest_add_sum(in, i, sum, sums))
			return ingest_out_of_memory(in, sizeof *sums->at);
	}
	for (uint32_t i = 0; i < sums->len; i++) {
		struct model_sum *total = &m->metrics.at[sums->at[i].metric].total;
		add_to(&total->events, sums->at[i].sum.events);
		add_to(&total->samples, sums->at[i].sum.samples);
	}
	return 0;
}

static int push_process(struct ingest *in, const struct model_process *process)
{
	return vec_push(&in->m->processes, *process) ? 0
						     : ingest_out_of_memory(in, sizeof *process);
}

bool ingest_merged_sums(const struct ingest *in, const struct reader_merged_sum *from, uint32_t n,
			struct metric_sums *sums)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < n; i++)
		ok = ingest_add_sum(in, from[i].metric,
				    (struct model_sum){from[i].events, from[i].samples}, sums);
	return ok;
}

/* The program images of a merged file, each with its sums, which are of all labels. */
static int add_merged(struct ingest *in)
{
	bool sums = !choice_has_labels(in->options.choice);
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < reader_num_merged(in->r); i++) {
		const struct reader_merged *row = reader_merged(in->r, i);
		struct model_process p = {0};
		rc = process_describe_merged(in->m, in->r, i, &p, in->e);
		p.has_sums = sums && row->num_sums;
		if (p.has_sums && !ingest_merged_sums(in, row->sums, row->num_sums, &p.sums))
			return ingest_out_of_memory(in, row->num_sums * sizeof *p.sums.at);
		if (rc == 0)
			rc = push_process(in, &p);
	}
	return rc;
}

static int describe_metrics(struct ingest *in)
{
	struct account_rows rows;
	int rc = process_find_account(in->r, &rows, in->e);

	for (uint32_t i = 0; rc == 0 && i < in->num_metrics; i++) {
		struct model_sum sum;
		if (!in->columns[i].events)
			continue;
		sum = metric_sum(in, i);
		rc = process_describe_metric(in->m, in->r, in->left_out, i, &rows, &sum,
					     &in->m->metrics.at[in->columns[i].metric], in->e);
	}
	account_rows_free(&rows);
	return rc;
}

/* Add everything that is not in the trees. */
static int add_facts(struct ingest *in)
{
	struct model *m = in->m;
	struct model_process p = {0};

	p.has_sums = in->num_metrics;
	if (add_totals(in, &p.sums) != 0)
		return -1;
	if (describe_metrics(in) != 0)
		return -1;
	if (in->options.threads && ingest_threads(in) != 0)
		return -1;
	if (ingest_values(in) != 0)
		return -1;
	if (reader_is_merged(in->r))
		return add_merged(in);
	return process_describe(m, in->r, in->left_out, in->path, &p, in->e) == 0
		   ? push_process(in, &p)
		   : -1;
}

void ingest_end(struct ingest *in)
{
	ingest_creators_close(in);
	for (size_t i = 0; i < in->places.len; i++) {
		epoch_index_close(in->places.at[i]);
		free(in->places.at[i]);
	}
	vec_free(&in->places);
	interner_deinit(&in->place_ids);
	free(in->columns);
	for (int kind = 0; kind < TAKINGS; kind++) {
		free(in->targets[kind]);
		in->targets[kind] = NULL;
	}
	free(in->left_out);
	free(in->roots);
	row_sums_close(&in->sums);
	in->left_out = NULL;
	in->columns = NULL;
	in->roots = NULL;
}

int ingest_begin(struct ingest *in, const struct reader *r, const char *path, struct error *e)
{
	in->r = r;
	in->path = path;
	in->e = e;
	in->num_metrics = reader_num_metrics(r);
	return prepare(in);
}

int ingest_file(struct ingest *in, const struct reader *r, const char *path,
		model_complaint_fn *complain, void *context, struct error *e)
{
	int rc = ingest_begin(in, r, path, e);

	if (rc == 0)
		rc = make_room(in, largest_tree(in));
	if (rc == 0)
		rc = choose_threads(in);
	for (uint32_t i = 0; rc == 0 && i < reader_num_trees(r); i++)
		rc = ingest_tree(in, i);
	if (rc == 0)
		rc = add_facts(in);
	if (rc == 0 && !in->left_out && !choice_has_labels(in->options.choice))
		rc = process_check_account(r, &in->sums, complain, context, e);
	ingest_end(in);
	return rc;
}

void ingest_watch(struct ingest *in, ingest_watch_fn *watch, void *context)
{
	in->watch = watch;
	in->watcher = context;
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
	epoch_index_extents_deinit(&in->extents);
	free(in->paths);
	free(in->contexts);
	free(in->marks);
	free(in);
}

int ingest_datafile(struct model *m, const struct reader *r, const char *path, const char *sysroot,
		    model_complaint_fn *complain, void *context, struct error *e)
{
	struct ingest *in = ingest_create(m, &(struct ingest_options){.sysroot = sysroot});
	int rc = in ? ingest_file(in, r, path, complain, context, e) : error_memory(e, sizeof *in);

	ingest_destroy(in);
	return rc;
}
