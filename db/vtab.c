#include "db/vtab.h"

#include "reader/reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row is item b of group a: module b of epoch a, node b of tree a; the lists that have no
 * groups are group 0. */
struct cursor_of_file {
	sqlite3_vtab_cursor base;
	struct reader *r;
	uint64_t a, a_end, b;
	uint32_t metric; /* of values */
	sqlite3_int64 row;
	bool end;
	struct reader_nodes nodes; /* of nodes and values, while open */
	bool open;
	const struct reader_node *node;
};

struct kind {
	const char *name, *declaration;
	int argument; /* column of the file's name */
	uint64_t (*groups)(const struct reader *r);
	/* go to the next row; false at the end */
	bool (*next)(struct cursor_of_file *c);
	void (*column)(const struct cursor_of_file *c, sqlite3_context *to, int i);
};

struct table {
	sqlite3_vtab base;
	const struct kind *kind;
};

/* ---- shared ------------------------------------------------------------------------------- */

int vtab_plan(sqlite3_index_info *plan, int argument, int first)
{
	int at = -1, tree = -1;

	for (int i = 0; i < plan->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &plan->aConstraint[i];
		if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (c->iColumn == argument && !c->usable)
			return SQLITE_CONSTRAINT;
		if (c->iColumn == argument)
			at = i;
		else if (first && c->iColumn == 0 && c->usable)
			tree = i;
	}
	plan->idxNum = 0;
	plan->estimatedCost = tree >= 0 ? 1e5 : 1e6;
	if (at >= 0) {
		plan->aConstraintUsage[at].argvIndex = 1;
		plan->aConstraintUsage[at].omit = 1;
		plan->idxNum = VTAB_ARGUMENT;
	}
	if (at >= 0 && tree >= 0) {
		plan->aConstraintUsage[tree].argvIndex = 2;
		plan->idxNum |= VTAB_FIRST;
	}
	return SQLITE_OK;
}

void vtab_error(sqlite3_vtab *t, const char *path, const struct error *e)
{
	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s: %s", path, e->text);
}

void vtab_number(sqlite3_context *c, uint64_t v)
{
	char text[24];

	if (v <= INT64_MAX) {
		sqlite3_result_int64(c, (sqlite3_int64)v);
		return;
	}
	snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

void vtab_text(sqlite3_context *c, const char *at, size_t n)
{
	struct arena a;
	const char *text;

	arena_init(&a);
	text = arena_strndup(&a, n ? at : "", n);
	text = text ? db_text(&a, text) : NULL;
	if (text)
		sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_error_nomem(c);
	arena_deinit(&a);
}

int vtab_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static void thread(sqlite3_context *c, uint32_t v)
{
	if (v != CSP_NONE)
		sqlite3_result_int64(c, v);
}

/* ---- the lists of a file -------------------------------------------------------------------- */

static uint64_t one(const struct reader *r)
{
	(void)r;
	return 1;
}
static uint64_t epochs(const struct reader *r)
{
	return reader_num_epochs(r);
}
static uint64_t trees(const struct reader *r)
{
	return reader_num_trees(r);
}

/* Rows 0 .. n - 1 of the only group. */
static bool next_of(struct cursor_of_file *c, uint64_t n)
{
	c->b = c->row ? c->b + 1 : 0;
	return c->a < c->a_end && c->b < n;
}

static bool next_metric(struct cursor_of_file *c)
{
	return next_of(c, reader_num_metrics(c->r));
}
static void metric_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const struct reader_metric *m = reader_metric(c->r, (uint32_t)c->b);
	struct reader_text unit = reader_pairs_get(m->about, "unit");

	if (i == 1)
		vtab_text(to, m->name.at, m->name.n);
	else if (i == 4)
		vtab_text(to, unit.at, unit.n);
	else
		vtab_number(to, i == 0 ? c->b : i == 2 ? m->flags : m->period);
}

static bool next_module(struct cursor_of_file *c)
{
	c->b = c->row ? c->b + 1 : 0;
	while (c->a < c->a_end && c->b >= reader_epoch(c->r, (uint32_t)c->a)->num_modules) {
		c->a++;
		c->b = 0;
	}
	return c->a < c->a_end;
}
static void module_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const struct reader_module *m = &reader_epoch(c->r, (uint32_t)c->a)->modules[c->b];
	const uint64_t numbers[] = {c->a,     c->b, 0, m->virtual_address, m->mapped_address,
				    m->extent};

	if (i == 2)
		vtab_text(to, m->name.at, m->name.n);
	else if (i < 6)
		vtab_number(to, numbers[i]);
	else if (m->build_id.n)
		vtab_text(to, m->build_id.at, m->build_id.n);
}

static bool next_thread(struct cursor_of_file *c)
{
	return next_of(c, reader_num_threads(c->r));
}
static void thread_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const struct reader_thread *t = reader_thread(c->r, (uint32_t)c->b);
	const uint64_t numbers[] = {c->b, t->tid, 0, t->start_ns, t->end_ns, t->cpu_ns};

	if (i == 2)
		vtab_text(to, t->name.at, t->name.n);
	else
		vtab_number(to, numbers[i]);
}

static bool next_account(struct cursor_of_file *c)
{
	return next_of(c, reader_num_account(c->r));
}
static void account_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const struct reader_account *a = reader_account(c->r, (uint32_t)c->b);

	if (i == 1)
		thread(to, a->thread);
	else if (i == 2)
		vtab_text(to, a->disposition.at, a->disposition.n);
	else
		vtab_number(to, i == 0 ? a->metric : i == 3 ? a->samples : a->weight);
}

static bool next_tree(struct cursor_of_file *c)
{
	c->a += c->row != 0;
	return c->a < c->a_end;
}
static void tree_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const struct reader_tree *t = reader_tree(c->r, (uint32_t)c->a);

	if (i == 1)
		thread(to, t->thread);
	else if (i == 2)
		sqlite3_result_text(to, t->kind == CSP_TREE_PARTIAL ? "partial" : "complete", -1,
				    SQLITE_STATIC);
	else
		vtab_number(to, i == 0 ? c->a : i == 3 ? t->epoch : t->num_nodes);
}

/* ---- nodes and their values -------------------------------------------------------------------
 */

static bool next_node(struct cursor_of_file *c)
{
	struct error e;

	while (c->a < c->a_end) {
		if (!c->open) {
			/* in the file's order nothing is allocated but a node */
			if (reader_nodes_begin(&c->nodes, c->r, (uint32_t)c->a, false, &e) != 0) {
				vtab_error(c->base.pVtab, "csprof_nodes", &e);
				return false;
			}
			c->open = true;
		}
		c->node = reader_nodes_next(&c->nodes);
		if (c->node)
			return true;
		reader_nodes_end(&c->nodes);
		c->open = false;
		c->a++;
	}
	return false;
}
static void node_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const uint64_t numbers[] = {c->a, c->node->id, c->node->parent, c->node->ip, c->node->sp};
	vtab_number(to, numbers[i]);
}

static bool next_value(struct cursor_of_file *c)
{
	c->metric += c->row != 0;
	for (;;) {
		for (; c->node && c->metric < reader_num_metrics(c->r); c->metric++)
			if (c->node->metrics[c->metric])
				return true;
		c->metric = 0;
		if (!next_node(c))
			return false;
	}
}
static void value_column(const struct cursor_of_file *c, sqlite3_context *to, int i)
{
	const uint64_t numbers[] = {c->a, c->node->id, c->metric, c->node->metrics[c->metric]};
	vtab_number(to, numbers[i]);
}

static const struct kind kinds[] = {
    {"csprof_metrics", "number, name, flags, period, unit, file HIDDEN", 5, one, next_metric,
     metric_column},
    {"csprof_modules",
     "epoch, number, name, virtual_address, mapped_address, extent, build_id, file HIDDEN", 7,
     epochs, next_module, module_column},
    {"csprof_threads", "number, tid, name, start_ns, end_ns, cpu_ns, file HIDDEN", 6, one,
     next_thread, thread_column},
    {"csprof_account", "metric, thread, disposition, samples, weight, file HIDDEN", 5, one,
     next_account, account_column},
    {"csprof_trees", "number, thread, kind, epoch, nodes, file HIDDEN", 5, trees, next_tree,
     tree_column},
    {"csprof_nodes", "tree, id, parent, ip, sp, file HIDDEN", 5, trees, next_node, node_column},
    {"csprof_values", "tree, node, metric, value, file HIDDEN", 4, trees, next_value, value_column},
};

/* ---- what SQLite calls --------------------------------------------------------------------------
 */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **why)
{
	const struct kind *kind = aux;
	struct table *t;
	char sql[300];
	int rc;

	(void)argc;
	(void)argv;
	(void)why;
	sqlite3_snprintf(sizeof sql, sql, "CREATE TABLE x(%s)", kind->declaration);
	rc = sqlite3_declare_vtab(db, sql);
	if (rc != SQLITE_OK)
		return rc;
	t = sqlite3_malloc(sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct table){.kind = kind};
	*out = &t->base;
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *t, sqlite3_index_info *plan)
{
	const struct kind *kind = ((struct table *)t)->kind;
	return vtab_plan(plan, kind->argument, kind->groups != one);
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor_of_file *c = sqlite3_malloc(sizeof *c);

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof *c);
	*out = &c->base;
	return SQLITE_OK;
}

static void empty_cursor(struct cursor_of_file *c)
{
	sqlite3_vtab_cursor base = c->base;

	if (c->open)
		reader_nodes_end(&c->nodes);
	reader_close(c->r);
	memset(c, 0, sizeof *c);
	c->base = base;
	c->end = true;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	empty_cursor((struct cursor_of_file *)cursor);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct cursor_of_file *c = (struct cursor_of_file *)cursor;

	c->end = !((struct table *)cursor->pVtab)->kind->next(c);
	c->row++;
	return cursor->pVtab->zErrMsg ? SQLITE_ERROR : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
		  sqlite3_value **argv)
{
	struct cursor_of_file *c = (struct cursor_of_file *)cursor;
	const struct kind *kind = ((struct table *)cursor->pVtab)->kind;
	const char *path = argc ? (const char *)sqlite3_value_text(argv[0]) : NULL;
	struct error e;
	int rc;

	(void)name;
	empty_cursor(c);
	if (!(plan & VTAB_ARGUMENT)) {
		error_set(&e, ERROR_USAGE, "it takes the name of a datafile");
		vtab_error(cursor->pVtab, kind->name, &e);
		return SQLITE_ERROR;
	}
	if (!path)
		return SQLITE_OK;
	if (reader_open(path, &c->r, &e) != 0) {
		c->r = NULL;
		vtab_error(cursor->pVtab, path, &e);
		return SQLITE_ERROR;
	}
	c->a_end = kind->groups(c->r);
	if (plan & VTAB_FIRST) {
		sqlite3_int64 only = sqlite3_value_int64(argv[1]);
		c->a = only < 0 || (uint64_t)only >= c->a_end ? c->a_end : (uint64_t)only;
		c->a_end = c->a < c->a_end ? c->a + 1 : c->a_end;
	}
	rc = next_row(cursor);
	return rc;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct cursor_of_file *)cursor)->end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
	const struct kind *kind = ((struct table *)cursor->pVtab)->kind;

	if (i < kind->argument)
		kind->column((struct cursor_of_file *)cursor, to, i);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct cursor_of_file *)cursor)->row;
	return SQLITE_OK;
}

/* Connect the table of a module now: to declare its columns is to create a table, which an
 * authorizer that comes later would not allow. */
static int connect_now(sqlite3 *db, const char *name)
{
	sqlite3_stmt *s = NULL;
	char sql[80];
	int rc;

	sqlite3_snprintf(sizeof sql, sql, "SELECT * FROM %s(NULL)", name);
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	sqlite3_finalize(s);
	return rc;
}

int db_add_tables(sqlite3 *db)
{
	static const sqlite3_module module = {.xConnect = connect,
					      .xBestIndex = best_index,
					      .xDisconnect = vtab_disconnect,
					      .xOpen = open_cursor,
					      .xClose = close_cursor,
					      .xFilter = filter,
					      .xNext = next_row,
					      .xEof = at_end,
					      .xColumn = column,
					      .xRowid = rowid};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == SQLITE_OK; i++) {
		rc = sqlite3_create_module_v2(db, kinds[i].name, &module, (void *)&kinds[i], NULL);
		if (rc == SQLITE_OK)
			rc = connect_now(db, kinds[i].name);
	}
	if (rc == SQLITE_OK)
		rc = db_add_contexts(db);
	return rc == SQLITE_OK ? connect_now(db, "hpcprof_contexts") : rc;
}
