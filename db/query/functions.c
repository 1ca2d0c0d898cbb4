#include "db/query/functions.h"

#include "db/query/regexp.h"
#include "formats/base/arena.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(sqlite3_value *v)
{
	return (const char *)sqlite3_value_text(v);
}

static void demangle(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *name = text_of(v[0]);
	struct arena arena;

	(void)n;
	if (!name)
		return;
	arena_init(&arena);
	name = label_demangled(&arena, name);
	if (name)
		sqlite3_result_text(c, name, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_error_nomem(c);
	arena_deinit(&arena);
}

static void scaled(sqlite3_context *c, int n, sqlite3_value **v)
{
	char number[LAYOUT_NUMBER_BYTES + 1] = "-";
	const char *unit = text_of(v[1]);
	sqlite3_int64 value = sqlite3_value_int64(v[0]);

	(void)n;
	if (sqlite3_value_type(v[0]) == SQLITE_NULL)
		return;
	layout_value(number + (value < 0), value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
		     unit ? unit : "");
	sqlite3_result_text(c, number, -1, SQLITE_TRANSIENT);
}

/* Report that a statement of ours was interrupted, or failed otherwise. */
static void fail(sqlite3_context *c, int code)
{
	sqlite3_result_error(c, sqlite3_errmsg(sqlite3_context_db_handle(c)), -1);
	sqlite3_result_error_code(c, code);
}

/* The last context beneath id. False if there is no such context, or on an error, which is reported
 * to c. */
static bool last_of(sqlite3_context *c, sqlite3_int64 id, sqlite3_int64 *last)
{
	sqlite3 *db = sqlite3_context_db_handle(c);
	sqlite3_stmt *s = NULL;
	int rc;

	if (sqlite3_prepare_v2(db, "SELECT last FROM context WHERE id = ?1", -1, &s, NULL) !=
	    SQLITE_OK) {
		sqlite3_result_error(c, "is_beneath needs a profile database", -1);
		return false;
	}
	sqlite3_bind_int64(s, 1, id);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*last = sqlite3_column_int64(s, 0);
	else if (rc != SQLITE_DONE)
		fail(c, rc);
	sqlite3_finalize(s);
	return rc == SQLITE_ROW;
}

/* Look up the range of a context once, if the context is the same in all rows. */
static void is_beneath(sqlite3_context *c, int n, sqlite3_value **v)
{
	sqlite3_int64 id = sqlite3_value_int64(v[0]), above = sqlite3_value_int64(v[1]);
	sqlite3_int64 *known = sqlite3_get_auxdata(c, 1), last;

	(void)n;
	if (sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL)
		return;
	if (known) {
		last = *known;
	} else {
		if (!last_of(c, above, &last))
			return;
		known = sqlite3_malloc(sizeof *known);
		if (known) {
			*known = last;
			sqlite3_set_auxdata(c, 1, known, sqlite3_free);
		}
	}
	sqlite3_result_int(c, id >= above && id <= last);
}

/* A parent comes before its child, so that a path ends whatever the database says. */
static void path_text(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const char sql[] =
	    "WITH RECURSIVE up (id, parent, depth, name) AS (SELECT x.id, x.parent, x.depth, "
	    "f.name "
	    "FROM context x JOIN function f ON f.id = x.function WHERE x.id = ?1 UNION ALL "
	    "SELECT x.id, x.parent, x.depth, f.name FROM up JOIN context x ON x.id = up.parent "
	    "AND x.id < up.id JOIN function f ON f.id = x.function) "
	    "SELECT group_concat(name, ?2) FROM (SELECT name FROM up ORDER BY depth)";
	sqlite3_stmt *s = NULL;
	int rc;

	if (sqlite3_value_type(v[0]) == SQLITE_NULL)
		return;
	if (sqlite3_prepare_v2(sqlite3_context_db_handle(c), sql, -1, &s, NULL) != SQLITE_OK) {
		sqlite3_result_error(c, "path_text needs a profile database", -1);
		return;
	}
	sqlite3_bind_value(s, 1, v[0]);
	if (n > 1)
		sqlite3_bind_value(s, 2, v[1]);
	else
		sqlite3_bind_text(s, 2, " > ", -1, SQLITE_STATIC);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		sqlite3_result_value(c, sqlite3_column_value(s, 0));
	else if (rc != SQLITE_DONE)
		fail(c, rc);
	sqlite3_finalize(s);
}

int db_add_functions(sqlite3 *db)
{
	static const struct {
		const char *name;
		int arguments;
		bool reads; /* it reads the database */
		void (*function)(sqlite3_context *c, int n, sqlite3_value **v);
	} functions[] = {{"demangle", 1, false, demangle},    {"scaled", 2, false, scaled},
			 {"is_beneath", 2, true, is_beneath}, {"path_text", 1, true, path_text},
			 {"path_text", 2, true, path_text},   {"regexp", 2, false, regexp}};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
		int flags =
		    SQLITE_UTF8 | (functions[i].reads ? SQLITE_DIRECTONLY
						      : SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS);
		rc =
		    sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, flags,
					       NULL, functions[i].function, NULL, NULL, NULL);
	}
	return rc;
}
