/* Adds the values of one unit to the rows that they count for. */
#include "hpcprof/metrics/stats_worker.h"

#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;

	*to = sum_add(*to, value, &saturated);
}

static bool scratch_init(struct stats_scratch *x, const struct stats_rows *rows)
{
	size_t values = (size_t)rows->num_nodes * rows->num_columns;
	size_t cells = (size_t)rows->num_rows * rows->num_columns * 2;

	x->exclusive = calloc(values + 1, sizeof *x->exclusive);
	x->inclusive = calloc(values + 1, sizeof *x->inclusive);
	x->touched = calloc(rows->num_nodes / 64 + (size_t)1, sizeof *x->touched);
	x->values = calloc(cells + 1, sizeof *x->values);
	x->listed = calloc(rows->num_rows + (size_t)1, sizeof *x->listed);
	x->tallies = calloc(cells + 1, sizeof *x->tallies);
	return x->exclusive && x->inclusive && x->touched && x->values && x->listed && x->tallies;
}

int stats_worker_init(struct stats_worker *w, const struct stats *s,
		      const struct match_index *index, struct error *e)
{
	const struct ingest_options o = {.choice = s->profile->choice,
					 .sysroot = s->options->sysroot,
					 .join_threads = s->options->join_threads,
					 .keep_interpreter = s->options->interpreter,
					 .group_by = &s->options->group_by,
					 .sums =
					     model_num_recorded(index->m) < index->m->metrics.len};
	size_t columns = s->columns->len + 1;
	bool ok;

	w->stats = s;
	w->match.index = index;
	w->e = e;
	w->model = model_create();
	w->ingest = w->model ? ingest_create(w->model, &o) : NULL;
	w->least_period = calloc(columns, sizeof *w->least_period);
	w->most_period = calloc(columns, sizeof *w->most_period);
	ok = w->ingest && w->least_period && w->most_period;
	for (size_t i = 0; ok && i < s->num_trees; i++)
		ok = scratch_init(&w->scratch[i], &s->rows[i]);
	if (!ok)
		return error_memory(e, model_num_contexts(index->m) * sizeof(uint64_t));
	ingest_watch(w->ingest, stats_worker_watch, w);
	return 0;
}

void stats_worker_deinit(struct stats_worker *w)
{
	for (size_t i = 0; i < STATS_TREES; i++) {
		struct stats_scratch *x = &w->scratch[i];
		free(x->exclusive);
		free(x->inclusive);
		free(x->touched);
		free(x->values);
		free(x->listed);
		free(x->tallies);
		vec_free(&x->list);
		vec_free(&x->singles);
		vec_free(&x->cells);
	}
	ingest_destroy(w->ingest);
	model_destroy(w->model);
	match_deinit(&w->match);
	vec_free(&w->contexts);
	vec_free(&w->marked);
	vec_free(&w->names);
	vec_free(&w->units);
	vec_free(&w->problems);
	free(w->least_period);
	free(w->most_period);
	arena_deinit(&w->arena);
}

int stats_worker_watch(void *worker, const uint32_t *contexts, unsigned n, struct error *e)
{
	struct stats_worker *w = worker;

	while (w->marked.len <= model_num_contexts(w->model) / 64)
		if (!vec_push(&w->marked, 0))
			return error_memory(e, sizeof(uint64_t));
	for (unsigned i = 0; i < n; i++) {
		uint64_t *word = &w->marked.at[contexts[i] / 64];
		uint64_t bit = UINT64_C(1) << contexts[i] % 64;
		if (*word & bit)
			continue;
		*word |= bit;
		if (!vec_push(&w->contexts, contexts[i]))
			return error_memory(e, sizeof(uint32_t));
	}
	return 0;
}

int stats_worker_watch_all(struct stats_worker *w, struct error *e)
{
	int rc = 0;

	for (size_t i = 0; i < w->model->metrics.len; i++) {
		const struct model_metric *k = &w->model->metrics.at[i];
		uint32_t n = model_num_contexts(w->model);
		for (uint32_t c = 0; rc == 0 && c < n && c < k->capacity; c++)
			if (k->events[c] || k->samples[c])
				rc = stats_worker_watch(w, &c, 1, e);
	}
	return rc;
}

/* The metric of the worker's model that a column shows; NULL if it has none yet. */
static struct model_metric *metric_of(const struct stats_worker *w, size_t column)
{
	const struct model_metric *wanted = w->stats->columns->at[column].metric;

	for (size_t i = 0; i < w->model->metrics.len; i++) {
		struct model_metric *k = &w->model->metrics.at[i];
		if (k->flags == wanted->flags && strcmp(k->name, wanted->name) == 0 &&
		    strcmp(k->unit, wanted->unit) == 0)
			return k;
	}
	return NULL;
}

void stats_worker_note_periods(struct stats_worker *w)
{
	for (size_t i = 0; i < w->stats->columns->len; i++) {
		const struct model_metric *k = metric_of(w, i);
		if (!k || !k->interval)
			continue;
		if (!w->least_period[i] || k->interval < w->least_period[i])
			w->least_period[i] = k->interval;
		if (k->interval > w->most_period[i])
			w->most_period[i] = k->interval;
	}
	for (size_t i = 0; i < w->model->metrics.len; i++)
		w->model->metrics.at[i].interval = 0; /* for the next file */
}

/* Add the unit's values to the nodes of a tree. */
static void scatter(struct stats_worker *w, const struct stats_rows *rows, struct stats_scratch *x)
{
	const bool *outside = w->stats->columns->outside;

	for (size_t i = 0; i < rows->num_columns; i++) {
		const struct model_metric *k = metric_of(w, i);
		const uint64_t *from;
		if (!k)
			continue;
		from = w->stats->columns->at[i].of_samples ? k->samples : k->events;
		for (size_t n = 0; n < w->contexts.len; n++) {
			uint32_t c = w->contexts.at[n], to = w->match.contexts.at[c];
			if (c >= k->capacity || !from[c])
				continue;
			w->lost |= to == MATCH_NONE;
			if (to == MATCH_NONE || (outside && outside[to]))
				continue;
			if (rows->at)
				to = rows->at[to];
			add(&x->exclusive[to * rows->num_columns + i], from[c]);
			x->touched[to / 64] |= UINT64_C(1) << to % 64;
		}
	}
}

/* Count a node, after its exclusive values and all nodes below it were added. False if memory ran
 * out. */
static bool count_node(const struct stats_rows *rows, struct stats_scratch *x, uint32_t node)
{
	size_t n = rows->num_columns;
	uint64_t *exclusive = &x->exclusive[node * n], *inclusive = &x->inclusive[node * n];
	uint32_t up = (uint32_t)(rows->keys[node] >> 32);
	bool root = node < MODEL_ROOTS;

	for (size_t i = 0; i < n; i++) {
		add(&inclusive[i], exclusive[i]);
		if (!root)
			add(&x->inclusive[up * n + i], inclusive[i]);
	}
	if (!root)
		x->touched[up / 64] |= UINT64_C(1) << up % 64;
	for (uint64_t k = rows->first[node]; k < rows->first[node + 1]; k++) {
		uint32_t row = rows->rows[k] >> 1;
		bool all = rows->rows[k] & 1;
		for (size_t i = 0; i < n; i++)
			add(&x->values[stats_index(rows, row, i, all)],
			    all ? inclusive[i] : exclusive[i]);
		if (!x->listed[row] && !vec_push(&x->list, row))
			return false;
		x->listed[row] = true;
	}
	memset(exclusive, 0, n * sizeof *exclusive);
	memset(inclusive, 0, n * sizeof *inclusive);
	return true;
}

/* Count all touched nodes and their ancestors, children before parents. */
static bool count_nodes(const struct stats_rows *rows, struct stats_scratch *x)
{
	bool ok = true;

	for (size_t word = rows->num_nodes / 64 + (size_t)1; word-- > 0;)
		while (ok && x->touched[word]) {
			unsigned bit = 63 - (unsigned)__builtin_clzll(x->touched[word]);
			x->touched[word] &= ~(UINT64_C(1) << bit);
			ok = count_node(rows, x, (uint32_t)(word * 64 + bit));
		}
	return ok;
}

/* Keep the row's exclusive values in the unit, unless there are too many. False if memory ran out.
 */
static bool keep_cells(const struct stats_worker *w, const struct stats_rows *rows,
		       struct stats_scratch *x, uint32_t row)
{
	for (uint32_t i = 0; i < rows->num_columns; i++) {
		uint64_t value = x->values[stats_index(rows, row, i, false)];
		if (value && x->cells.len <= w->stats->keep_cells &&
		    !vec_push(&x->cells,
			      (struct stats_cell){value, (uint32_t)w->names.len, row, i}))
			return false;
	}
	return true;
}

/* Add the values of the rows in the unit to their tallies. */
static bool count_rows(const struct stats_worker *w, const struct stats_rows *rows,
		       struct stats_scratch *x)
{
	size_t cells = (size_t)rows->num_rows * rows->num_columns * 2, each = rows->num_columns * 2;
	uint32_t unit = (uint32_t)w->names.len;
	bool ok = true;

	if (unit < w->stats->keep)
		for (size_t i = 0; ok && i < cells; i++)
			ok = vec_push(&x->singles, x->values[i]);
	for (size_t k = 0; k < x->list.len; k++) {
		uint32_t row = x->list.at[k];
		if (ok && w->stats->keep_cells)
			ok = keep_cells(w, rows, x, row);
		for (size_t i = row * each; i < (row + (size_t)1) * each; i++) {
			if (x->values[i])
				tally_add(&x->tallies[i], unit, x->values[i]);
			x->values[i] = 0;
		}
		x->listed[row] = false;
	}
	x->list.len = 0;
	return ok;
}

static void forget_values(struct stats_worker *w)
{
	for (size_t i = 0; i < w->model->metrics.len; i++) {
		struct model_metric *k = &w->model->metrics.at[i];
		for (size_t n = 0; n < w->contexts.len; n++)
			if (w->contexts.at[n] < k->capacity)
				k->events[w->contexts.at[n]] = k->samples[w->contexts.at[n]] = 0;
	}
	for (size_t n = 0; n < w->contexts.len; n++)
		w->marked.at[w->contexts.at[n] / 64] = 0;
	w->contexts.len = 0;
}

int stats_worker_end_unit(struct stats_worker *w, const char *name, struct stats_unit from,
			  struct error *e)
{
	bool ok = name && model_make_frames(w->model) && match_extend(&w->match, w->model);

	for (size_t i = 0; ok && i < w->stats->num_trees; i++) {
		const struct stats_rows *rows = &w->stats->rows[i];
		struct stats_scratch *x = &w->scratch[i];
		scatter(w, rows, x);
		ok = count_nodes(rows, x) && count_rows(w, rows, x);
	}
	forget_values(w);
	ok = ok && w->names.len < UINT32_MAX && vec_push(&w->units, from) &&
	     vec_push(&w->names, name);
	return ok ? 0 : error_memory(e, sizeof(uint64_t));
}
