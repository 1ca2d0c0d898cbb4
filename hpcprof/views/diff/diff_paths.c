/* Call paths of a comparison, and time that moved between a caller and what it calls.
 *
 * A path is the rows of its functions, outermost first, so that those of two builds are one. A
 * function that calls itself directly is on a path once. */
#include "hpcprof/views/diff/diff.h"

#include <math.h>
#include <stdlib.h>

enum { NO_ROW = UINT32_MAX };

static uint32_t row_of(const struct diff *d, uint32_t k)
{
	return d->tables[BY_FUNCTION].row_of[d->c->frames.at[k].function];
}

/* The nodes of all contexts, whose parents come before them. */
static bool fold(struct diff *d, struct diff_paths *p)
{
	uint32_t n = model_num_contexts(d->m);

	p->at = malloc(n * sizeof *p->at);
	for (uint32_t root = 0; p->at && root < MODEL_ROOTS; root++)
		p->at[root] = interner_add(&p->nodes, (uint64_t)root << 32 | NO_ROW);
	for (uint32_t c = MODEL_ROOTS; p->at && c < n; c++) {
		uint32_t frame = model_frame_of(d->m, c), node = p->at[model_parent(d->m, c)];
		for (uint32_t k = d->c->first[frame + 1]; k-- > d->c->first[frame];) {
			uint32_t row = row_of(d, k);
			if ((uint32_t)p->nodes.keys[node] != row)
				node = interner_add(&p->nodes, (uint64_t)node << 32 | row);
			if (node == INTERNER_NONE)
				return false;
		}
		p->at[c] = node;
	}
	return p->at != NULL;
}

int diff_make_paths(struct diff *d, struct error *e)
{
	struct diff_paths *p = &d->paths;
	struct diff_table *t = &d->tables[DIFF_CALLS];
	struct stats_rows *rows = &d->stats.rows[1];
	bool ok = fold(d, p);

	t->grouping = DIFF_CALLS;
	t->num_rows = p->nodes.len;
	t->rows = calloc(t->num_rows + 1, sizeof *t->rows);
	*rows = (struct stats_rows){.keys = p->nodes.keys,
				    .num_nodes = p->nodes.len,
				    .at = p->at,
				    .num_columns = DIFF_COLUMNS,
				    .num_rows = p->nodes.len};
	for (uint32_t node = MODEL_ROOTS; ok && node < p->nodes.len; node++)
		ok = stats_use(rows, node, node, true);
	d->stats.num_trees = 2;
	return ok && t->rows ? 0 : error_memory(e, p->nodes.len * sizeof *t->rows);
}

void diff_paths_deinit(struct diff_paths *p)
{
	interner_deinit(&p->nodes);
	free(p->at);
}

size_t diff_path(const struct diff *d, size_t node, uint32_t *rows, size_t most)
{
	size_t n = 0;

	for (; node >= MODEL_ROOTS; node = d->paths.nodes.keys[node] >> 32) {
		if (n < most)
			rows[n] = (uint32_t)d->paths.nodes.keys[node];
		n++;
	}
	return n;
}

uint32_t diff_path_below(const struct diff *d, uint32_t node, uint32_t function)
{
	uint32_t row = d->tables[BY_FUNCTION].row_of[function];

	if (node == INTERNER_NONE || (uint32_t)d->paths.nodes.keys[node] == row)
		return node;
	return interner_find(&d->paths.nodes, (uint64_t)node << 32 | row);
}

/* A path tells the change of its callers if it has most of it. */
void diff_choose_paths(struct diff *d)
{
	static const double most = 0.8;
	struct diff_row *rows = d->tables[DIFF_CALLS].rows;

	for (size_t node = MODEL_ROOTS; node < d->paths.nodes.len; node++) {
		struct diff_row *up = &rows[d->paths.nodes.keys[node] >> 32];
		double part = rows[node].change / up->change;
		up->told |= rows[node].beyond && part >= most && part <= 1 / most;
	}
}

/* ---- what moved ----------------------------------------------------------------------- */

/* Whether two rows changed in opposite ways, and together within noise: 3 standard deviations,
 * which miss 1 in 370 of those that did. */
static bool made_up(const struct diff_row *a, const struct diff_row *b)
{
	double sum = a->change + b->change;
	double noise = 3 * hypot(a->deviation, b->deviation);
	double least = fmin(fabs(a->change), fabs(b->change));

	return a->beyond && b->beyond && a->change * b->change < 0 && fabs(sum) <= noise &&
	       fabs(sum) <= least / 2;
}

static void note_call(struct diff *d, uint32_t caller, uint32_t callee)
{
	struct diff_row *rows = d->tables[BY_FUNCTION].rows;
	struct diff_row *from = &rows[caller], *to = &rows[callee];

	/* what one function lost makes up for one other only */
	if (caller == callee || from->moved != DIFF_NONE || to->moved != DIFF_NONE ||
	    !made_up(from, to))
		return;
	from->moved = callee;
	to->moved = caller;
	from->calls_it = true;
}

void diff_find_moved(struct diff *d)
{
	struct diff_table *t = &d->tables[BY_FUNCTION];
	uint32_t n = model_num_contexts(d->m);

	for (size_t i = 0; i < t->num_rows; i++)
		t->rows[i].moved = DIFF_NONE;
	for (uint32_t c = MODEL_ROOTS; c < n && t->num_beyond > 1 && !d->own->inclusive; c++) {
		uint32_t frame = model_frame_of(d->m, c), up = model_parent(d->m, c);
		uint32_t first = d->c->first[frame], end = d->c->first[frame + 1];
		for (uint32_t k = first; k + 1 < end; k++)
			note_call(d, row_of(d, k + 1), row_of(d, k));
		if (up >= MODEL_ROOTS)
			note_call(d, row_of(d, d->c->first[model_frame_of(d->m, up)]),
				  row_of(d, end - 1));
	}
}
