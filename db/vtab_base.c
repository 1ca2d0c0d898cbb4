#include "db/vtab.h"

#include <stdio.h>
#include <string.h>

struct table {
	sqlite3_vtab base;
	const struct vtab_kind *kind;
};

static const struct vtab_kind *kind_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct table *)c->pVtab)->kind;
}

enum { PATH = 1, FIRST = 2 }; /* of a plan: what filter is given */

static int best_index(sqlite3_vtab *t, sqlite3_index_info *plan)
{
	const struct vtab_kind *kind = ((struct table *)t)->kind;
	int at = -1, first = -1;

	for (int i = 0; i < plan->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &plan->aConstraint[i];
		if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (c->iColumn == kind->argument && !c->usable)
			return SQLITE_CONSTRAINT;
		if (c->iColumn == kind->argument)
			at = i;
		else if (kind->first && c->iColumn == 0 && c->usable)
			first = i;
	}
	plan->idxNum = 0;
	plan->estimatedCost = first >= 0 ? kind->cost_of_first : 1e6;
	if (at >= 0) {
		plan->aConstraintUsage[at].argvIndex = 1;
		plan->aConstraintUsage[at].omit = 1;
		plan->idxNum = PATH;
	}
	if (at >= 0 && first >= 0) {
		plan->aConstraintUsage[first].argvIndex = 2;
		plan->idxNum |= FIRST;
	}
	return SQLITE_OK;
}

static int failed(sqlite3_vtab *t, const char *path, const struct error *e)
{
	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s: %s", path, e->text);
	return SQLITE_ERROR;
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

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **why)
{
	const struct vtab_kind *kind = aux;
	struct table *t;
	char sql[400];
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

static int disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	int size = (int)((struct table *)t)->kind->cursor;
	struct vtab_cursor *c = sqlite3_malloc(size);

	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, (size_t)size);
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct vtab_cursor *c = (struct vtab_cursor *)cursor;

	kind_of(cursor)->unload(c);
	sqlite3_free(c->path);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct vtab_cursor *c = (struct vtab_cursor *)cursor;
	struct error e;
	int rc = kind_of(cursor)->next(c, &e);

	c->end = rc != 1;
	c->row++;
	return rc < 0 ? failed(cursor->pVtab, c->path, &e) : SQLITE_OK;
}

/* What was loaded stays while the same is asked of it: in a join, again and again. */
static int load(struct vtab_cursor *c, const struct vtab_kind *kind, const char *path,
		struct error *e)
{
	if (c->path && strcmp(c->path, path) == 0)
		return 0;
	kind->unload(c);
	sqlite3_free(c->path);
	c->path = sqlite3_mprintf("%s", path);
	if (!c->path)
		return error_memory(e, strlen(path));
	if (kind->load(c, path, e) == 0)
		return 0;
	kind->unload(c);
	sqlite3_free(c->path);
	c->path = NULL;
	return -1;
}

static int filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
		  sqlite3_value **argv)
{
	struct vtab_cursor *c = (struct vtab_cursor *)cursor;
	const struct vtab_kind *kind = kind_of(cursor);
	const char *path = argc ? (const char *)sqlite3_value_text(argv[0]) : NULL;
	sqlite3_int64 only = plan & FIRST ? sqlite3_value_int64(argv[1]) : 0;
	struct error e;

	(void)name;
	c->row = 0;
	c->end = true;
	if (!(plan & PATH)) {
		error_set(&e, ERROR_USAGE, "it takes the name of a %s", kind->takes);
		return failed(cursor->pVtab, kind->name, &e);
	}
	if (!path)
		return SQLITE_OK;
	if (load(c, kind, path, &e) != 0)
		return failed(cursor->pVtab, path, &e);
	kind->begin(c, plan & FIRST ? &only : NULL);
	return next_row(cursor);
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct vtab_cursor *)cursor)->end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
	const struct vtab_kind *kind = kind_of(cursor);

	if (i < kind->argument)
		kind->column((struct vtab_cursor *)cursor, to, i);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct vtab_cursor *)cursor)->row;
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

int vtab_add(sqlite3 *db, const struct vtab_kind *kind)
{
	static const sqlite3_module module = {.xConnect = connect,
					      .xBestIndex = best_index,
					      .xDisconnect = disconnect,
					      .xOpen = open_cursor,
					      .xClose = close_cursor,
					      .xFilter = filter,
					      .xNext = next_row,
					      .xEof = at_end,
					      .xColumn = column,
					      .xRowid = rowid};
	int rc = sqlite3_create_module_v2(db, kind->name, &module, (void *)kind, NULL);

	return rc == SQLITE_OK ? connect_now(db, kind->name) : rc;
}
