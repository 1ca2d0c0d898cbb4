#include "db/query/vtab.h"

#include <stdio.h>
#include <string.h>

struct vtab_table {
	sqlite3_vtab base;
	const struct vtab_kind *kind;
};

static const struct vtab_kind *kind_of(const sqlite3_vtab_cursor *c)
{
	return ((const struct vtab_table *)c->pVtab)->kind;
}

/* The text of a plan has two characters per condition, column and operator, both counted from
 * 'A'. */
static bool is_known(int op)
{
	return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GT ||
	       op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_LT ||
	       op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_LIKE ||
	       op == SQLITE_INDEX_CONSTRAINT_GLOB;
}

/* Choose the conditions that are checked here, as many as fit. SQLite also checks them, so a row
 * passes here if the result of SQLite's comparison is not clear. */
static int choose(const struct vtab_kind *kind, sqlite3_index_info *plan, char *text)
{
	int n = 0;

	for (int i = 0; i < plan->nConstraint && n < VTAB_CONDITIONS; i++) {
		const struct sqlite3_index_constraint *c = &plan->aConstraint[i];
		if (!c->usable || c->iColumn < 0 || c->iColumn >= kind->argument ||
		    !is_known(c->op) || sqlite3_stricmp(sqlite3_vtab_collation(plan, i), "BINARY"))
			continue;
		text[2 * n] = (char)('A' + c->iColumn);
		text[2 * n + 1] = (char)('A' + c->op);
		plan->aConstraintUsage[i].argvIndex = 2 + n++;
		if (kind->first && c->iColumn == 0)
			plan->estimatedCost = c->op == SQLITE_INDEX_CONSTRAINT_EQ
						  ? kind->cost_of_first
						  : plan->estimatedCost / 2;
	}
	text[2 * n] = '\0';
	return n;
}

static int best_index(sqlite3_vtab *t, sqlite3_index_info *plan)
{
	const struct vtab_kind *kind = ((struct vtab_table *)t)->kind;
	char text[2 * VTAB_CONDITIONS + 1];

	plan->estimatedCost = 1e6;
	for (int i = 0; i < plan->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &plan->aConstraint[i];
		if (c->op != SQLITE_INDEX_CONSTRAINT_EQ || c->iColumn != kind->argument)
			continue;
		if (!c->usable)
			return SQLITE_CONSTRAINT;
		plan->aConstraintUsage[i].argvIndex = 1;
		plan->aConstraintUsage[i].omit = 1;
		plan->idxNum = 1;
	}
	if (!plan->idxNum || !choose(kind, plan, text))
		text[0] = '\0';
	plan->idxStr = sqlite3_mprintf("%s", text);
	plan->needToFreeIdxStr = 1;
	plan->orderByConsumed = kind->first && plan->nOrderBy == 1 &&
				plan->aOrderBy[0].iColumn == 0 && !plan->aOrderBy[0].desc;
	return plan->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static int failed(sqlite3_vtab *t, const char *path, const struct error *e)
{
	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s: %s", path, e->text);
	return SQLITE_ERROR;
}

static void give_number(sqlite3_context *c, uint64_t v)
{
	char text[24];

	if (v <= INT64_MAX) {
		sqlite3_result_int64(c, (sqlite3_int64)v);
		return;
	}
	snprintf(text, sizeof text, "%llu", (unsigned long long)v);
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

static void give_text(sqlite3_context *c, const char *at, size_t n)
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

/* ---- conditions --------------------------------------------------------------------------- */

static bool passes_number(uint64_t v, const struct vtab_condition *k)
{
	sqlite3_int64 than = sqlite3_value_int64(k->value);

	/* other types have other rules, and so do larger numbers, which are texts */
	if (v > INT64_MAX || sqlite3_value_type(k->value) != SQLITE_INTEGER)
		return true;
	switch (k->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return (sqlite3_int64)v == than;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return (sqlite3_int64)v > than;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return (sqlite3_int64)v >= than;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return (sqlite3_int64)v < than;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return (sqlite3_int64)v <= than;
	default:
		return true;
	}
}

/* Whether db_text returns the text unchanged. */
static bool is_plain(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] == '\\' || (unsigned char)at[i] < 0x20 || (unsigned char)at[i] >= 0x7f)
			return false;
	return true;
}

static bool passes_text(const char *at, size_t n, const struct vtab_condition *k)
{
	char copy[1000];
	const char *than = (const char *)sqlite3_value_text(k->value);

	if (sqlite3_value_type(k->value) != SQLITE_TEXT || !than || n >= sizeof copy ||
	    !is_plain(at, n))
		return true;
	memcpy(copy, n ? at : "", n);
	copy[n] = '\0';
	switch (k->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return strcmp(copy, than) == 0;
	case SQLITE_INDEX_CONSTRAINT_LIKE:
		return sqlite3_strlike(than, copy, 0) == 0;
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return sqlite3_strglob(than, copy) == 0;
	default:
		return true;
	}
}

static bool passes(const struct vtab_cursor *c)
{
	const struct vtab_kind *kind = kind_of(&c->base);

	for (int i = 0; i < c->num_conditions; i++) {
		const struct vtab_condition *k = &c->conditions[i];
		struct vtab_cell cell = kind->cell(c, k->column);
		/* a comparison with NULL is never true */
		if (cell.type == VTAB_NULL || sqlite3_value_type(k->value) == SQLITE_NULL ||
		    (cell.type == VTAB_NUMBER && !passes_number(cell.number, k)) ||
		    (cell.type == VTAB_TEXT && !passes_text(cell.at, cell.n, k)))
			return false;
	}
	return true;
}

static void forget_conditions(struct vtab_cursor *c)
{
	while (c->num_conditions > 0)
		sqlite3_value_free(c->conditions[--c->num_conditions].value);
}

static bool keep_conditions(struct vtab_cursor *c, const char *plan, sqlite3_value **argv)
{
	forget_conditions(c);
	for (; *plan; plan += 2) {
		struct vtab_condition k = {plan[0] - 'A', (unsigned char)(plan[1] - 'A'),
					   sqlite3_value_dup(*argv++)};
		if (!k.value)
			return false;
		c->conditions[c->num_conditions++] = k;
	}
	return true;
}

/* The range of the first column that the conditions on it permit. */
static void narrow(const struct vtab_cursor *c, int64_t *from, int64_t *to)
{
	*from = INT64_MIN;
	*to = INT64_MAX;
	for (int i = 0; i < c->num_conditions; i++) {
		const struct vtab_condition *k = &c->conditions[i];
		int64_t v = sqlite3_value_int64(k->value);
		if (k->column != 0 || sqlite3_value_type(k->value) != SQLITE_INTEGER)
			continue;
		if ((k->op == SQLITE_INDEX_CONSTRAINT_EQ || k->op == SQLITE_INDEX_CONSTRAINT_GE ||
		     k->op == SQLITE_INDEX_CONSTRAINT_GT) &&
		    v > *from)
			*from = v;
		if ((k->op == SQLITE_INDEX_CONSTRAINT_EQ || k->op == SQLITE_INDEX_CONSTRAINT_LE ||
		     k->op == SQLITE_INDEX_CONSTRAINT_LT) &&
		    v < *to)
			*to = v;
	}
}

/* ---- what SQLite calls --------------------------------------------------------------------- */

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **why)
{
	const struct vtab_kind *kind = aux;
	struct vtab_table *t;
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
	*t = (struct vtab_table){.kind = kind};
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
	int size = (int)((struct vtab_table *)t)->kind->cursor;
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
	forget_conditions(c);
	sqlite3_free(c->path);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct vtab_cursor *c = (struct vtab_cursor *)cursor;
	struct error e;
	int rc;

	do {
		rc = kind_of(cursor)->next(c, &e);
		c->row++;
	} while (rc == 1 && !passes(c));
	c->end = rc != 1;
	return rc < 0 ? failed(cursor->pVtab, c->path, &e) : SQLITE_OK;
}

/* Load path, unless it is already loaded: a join begins again and again. */
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

static int filter(sqlite3_vtab_cursor *cursor, int takes, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct vtab_cursor *c = (struct vtab_cursor *)cursor;
	const struct vtab_kind *kind = kind_of(cursor);
	const char *path = argc ? (const char *)sqlite3_value_text(argv[0]) : NULL;
	int64_t from, to;
	struct error e;

	c->row = 0;
	c->end = true;
	if (!takes) {
		error_set(&e, ERROR_USAGE, "expected the name of a %s", kind->takes);
		return failed(cursor->pVtab, kind->name, &e);
	}
	if (!path)
		return SQLITE_OK;
	if (load(c, kind, path, &e) != 0)
		return failed(cursor->pVtab, path, &e);
	if (!keep_conditions(c, plan, argv + 1))
		return SQLITE_NOMEM;
	narrow(c, &from, &to);
	kind->begin(c, from, to);
	return next_row(cursor);
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct vtab_cursor *)cursor)->end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int i)
{
	const struct vtab_kind *kind = kind_of(cursor);
	const struct vtab_cursor *c = (const struct vtab_cursor *)cursor;
	struct vtab_cell cell;

	if (i == kind->argument) {
		sqlite3_result_text(to, c->path, -1, SQLITE_TRANSIENT);
		return SQLITE_OK;
	}
	cell = kind->cell(c, i);
	if (cell.type == VTAB_NUMBER)
		give_number(to, cell.number);
	else if (cell.type == VTAB_TEXT)
		give_text(to, cell.at, cell.n);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct vtab_cursor *)cursor)->row;
	return SQLITE_OK;
}

/* Connect the table of a module now. This declares its columns, which counts as creating a table:
 * an authorizer that is set later would deny it. */
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
