/* hpcprof_contexts: the calling context tree of a measurement, without a database. */
#include "db/base/tree.h"
#include "db/query/vtab.h"
#include "hpcprof/command/command.h"
#include "hpcprof/model/sum.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRIC_COLUMN = 9, ARGUMENT_COLUMN = 14 };

struct contexts_cursor {
	struct vtab_cursor base;
	bool loaded;
	struct profile p;
	struct db_ranks ranks;
	struct db_tree tree;
	uint64_t *values; /* [contexts][metrics][exclusive events, samples, inclusive ...] */
	size_t metrics;
	uint64_t at; /* context * metrics + metric */
	uint64_t end;
};

enum { EACH = 4 };

static void unload(struct vtab_cursor *base)
{
	struct contexts_cursor *c = (struct contexts_cursor *)base;

	if (!c->loaded)
		return;
	db_tree_deinit(&c->tree);
	db_ranks_deinit(&c->ranks);
	profile_deinit(&c->p);
	free(c->values);
	c->values = NULL;
	c->loaded = false;
	c->at = c->end = 0;
}

static void add(uint64_t *to, uint64_t value)
{
	bool saturated = false;
	*to = sum_add(*to, value, &saturated);
}

static int sum_up(struct contexts_cursor *c, struct error *e)
{
	const struct db_tree *t = &c->tree;
	size_t row = c->metrics * EACH;

	c->values = calloc(t->len * row + 1, sizeof *c->values);
	if (!c->values)
		return error_memory(e, t->len * row * sizeof *c->values);
	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(c->p.model); i++)
		for (size_t k = 0; k < c->metrics; k++) {
			uint64_t *v = &c->values[t->numbers[i] * row + k * EACH];
			add(&v[0], c->p.model->metrics.at[k].events[i]);
			add(&v[1], c->p.model->metrics.at[k].samples[i]);
		}
	for (uint32_t i = t->len; i-- > 0;)
		for (size_t k = 0; k < c->metrics; k++) {
			uint64_t *v = &c->values[i * row + k * EACH];
			uint64_t *up = &c->values[t->parent[i] * row + k * EACH];
			for (int n = 0; n < 2; n++) {
				add(&v[2 + n], v[n]);
				if (t->piece[i] != DB_TREE_ROOT)
					add(&up[2 + n], v[2 + n]);
			}
		}
	return 0;
}

static int load(struct vtab_cursor *base, const char *path, struct error *e)
{
	struct contexts_cursor *c = (struct contexts_cursor *)base;
	const struct common o = {.profiles = &path, .num_profiles = 1, .threads = 1};
	const struct profile_request wanted = {.common = &o};
	struct diag d = {.out = fopen("/dev/null", "we"), .quiet = true};
	int rc = d.out ? profile_load(&c->p, &wanted, &d, e) : error_system(e, "/dev/null");

	if (rc == 0) {
		c->loaded = true;
		c->metrics = c->p.model->metrics.len;
		if (db_ranks_make(&c->ranks, &c->p, e) != 0 ||
		    db_tree_make(&c->tree, &c->p, &c->ranks, e) != 0 || sum_up(c, e) != 0)
			rc = -1;
	}
	if (d.out)
		fclose(d.out);
	return rc;
}

static void begin(struct vtab_cursor *base, int64_t from, int64_t to)
{
	struct contexts_cursor *c = (struct contexts_cursor *)base;
	int64_t n = c->tree.len;

	/* contexts are numbered from 1 */
	c->at = (uint64_t)(from < 1 ? 0 : from <= n ? from - 1 : n) * c->metrics;
	c->end = (uint64_t)(to < 1 ? 0 : to < n ? to : n) * c->metrics;
}

/* Go to the next context and metric with a value. */
static int next(struct vtab_cursor *base, struct error *e)
{
	struct contexts_cursor *c = (struct contexts_cursor *)base;

	(void)e;
	c->at += base->row != 0;
	while (c->at < c->end && !c->values[c->at * EACH + 2] && !c->values[c->at * EACH + 3])
		c->at++;
	return c->at < c->end;
}

static struct vtab_cell text(const char *s)
{
	return s ? vtab_text(s, strlen(s)) : (struct vtab_cell){.type = VTAB_NULL};
}

/* A cell with the code of a context that is not a root. */
static struct vtab_cell code_cell(const struct contexts_cursor *c, uint32_t context, int i)
{
	const struct db_piece *piece = &c->tree.pieces.at[c->tree.piece[context]];
	const struct code_function *f = &c->p.code.functions.at[piece->function];
	const struct code_line *l = &c->p.code.lines.at[piece->line];

	if (i == 1)
		return vtab_number(c->tree.parent[context] + UINT64_C(1));
	if (i == 4)
		return text(c->p.model->modules.at[f->module].name);
	if (i == 5)
		return text(f->name);
	if (i == 6)
		return text(c->p.code.files.at[l->file].name);
	if (i == 7)
		return l->line ? vtab_number(l->line) : text(NULL);
	return vtab_number(piece->inlined);
}

static struct vtab_cell cell(const struct vtab_cursor *base, int i)
{
	const struct contexts_cursor *c = (const struct contexts_cursor *)base;
	uint32_t context = (uint32_t)(c->at / c->metrics);

	if (i > METRIC_COLUMN)
		return vtab_number(c->values[c->at * EACH + (uint64_t)(i - METRIC_COLUMN - 1)]);
	if (i == METRIC_COLUMN)
		return text(c->p.model->metrics.at[c->at % c->metrics].name);
	if (i == 0)
		return vtab_number(context + UINT64_C(1));
	if (i == 2)
		return vtab_number(c->tree.last[context] + UINT64_C(1));
	if (i == 3)
		return vtab_number(c->tree.depth[context]);
	return c->tree.piece[context] == DB_TREE_ROOT ? text(NULL) : code_cell(c, context, i);
}

int db_add_contexts(sqlite3 *db)
{
	static const struct vtab_kind kind = {
	    .name = "hpcprof_contexts",
	    .declaration = "context, parent, last, depth, module, function, file, line, inlined, "
			   "metric, exclusive_events, exclusive_samples, inclusive_events, "
			   "inclusive_samples, profile HIDDEN",
	    .takes = "PROFILE",
	    .argument = ARGUMENT_COLUMN,
	    .first = true,
	    .cost_of_first = 10,
	    .cursor = sizeof(struct contexts_cursor),
	    .load = load,
	    .unload = unload,
	    .begin = begin,
	    .next = next,
	    .cell = cell};
	return vtab_add(db, &kind);
}
