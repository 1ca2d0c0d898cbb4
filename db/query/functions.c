#include "db/query/functions.h"

#include "formats/base/arena.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"

#include <regex.h>
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

/* The last context beneath id. False if there is no such context, or on an error, which is reported
 * to c. */
static bool last_of(sqlite3_context *c, sqlite3_int64 id, sqlite3_int64 *last)
{
	sqlite3 *db = sqlite3_context_db_handle(c);
	sqlite3_stmt *s = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(db, "SELECT last FROM context WHERE id = ?1", -1, &s, NULL) !=
	    SQLITE_OK)
		sqlite3_result_error(c, "is_beneath needs a profile database", -1);
	else if (sqlite3_bind_int64(s, 1, id) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
		*last = sqlite3_column_int64(s, 0);
		found = true;
	}
	sqlite3_finalize(s);
	return found;
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

static void path_text(sqlite3_context *c, int n, sqlite3_value **v)
{
	static const char sql[] =
	    "WITH RECURSIVE up (parent, depth, name) AS ("
	    "SELECT x.parent, x.depth, f.name FROM context x JOIN function f ON f.id = x.function "
	    "WHERE x.id = ?1 UNION ALL SELECT x.parent, x.depth, f.name FROM up JOIN context x ON "
	    "x.id = up.parent JOIN function f ON f.id = x.function) "
	    "SELECT group_concat(name, ?2) FROM (SELECT name FROM up ORDER BY depth)";
	sqlite3_stmt *s = NULL;

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
	if (sqlite3_step(s) == SQLITE_ROW)
		sqlite3_result_value(c, sqlite3_column_value(s, 0));
	sqlite3_finalize(s);
}

static void free_expression(void *p)
{
	regfree(p);
	sqlite3_free(p);
}

/* X REGEXP Y is regexp(Y, X). */
static void regexp(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *expression = text_of(v[0]), *text = text_of(v[1]);
	regex_t *r = sqlite3_get_auxdata(c, 0);
	char why[200];
	int rc;

	(void)n;
	if (!expression || !text)
		return;
	if (!r) {
		r = sqlite3_malloc(sizeof *r);
		if (!r) {
			sqlite3_result_error_nomem(c);
			return;
		}
		rc = regcomp(r, expression, REG_EXTENDED | REG_NOSUB);
		if (rc != 0) {
			regerror(rc, r, why, sizeof why);
			sqlite3_free(r);
			sqlite3_result_error(c, why, -1);
			return;
		}
		sqlite3_result_int(c, regexec(r, text, 0, NULL, 0) == 0);
		sqlite3_set_auxdata(c, 0, r, free_expression); /* may free r immediately */
		return;
	}
	sqlite3_result_int(c, regexec(r, text, 0, NULL, 0) == 0);
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
