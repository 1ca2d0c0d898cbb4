/* The command query: runs SQL on a profile database, or on profiles, of which a database is made in
 * memory. No query can write: the file is opened read-only, and an authorizer only permits
 * reading. */
#include "db/base/database.h"
#include "db/base/sql.h"
#include "db/query/functions.h"
#include "db/query/named_queries.h"
#include "db/query/reading_only.h"
#include "db/query/rows.h"
#include "db/query/vtab.h"
#include "db/write/write.h"
#include "formats/base/completion.h"
#include "formats/base/nearest.h"
#include "hpcprof/command/limits.h"
#include "hpcprof/command/list.h"
#include "hpcprof/command/output.h"
#include "hpcprof/terminal/pager.h"

#include <stdlib.h>
#include <string.h>

enum {
	INSTRUCTIONS = 10000, /* of SQLite's virtual machine between checks of the time */
	SQL_BYTES = 1000000,
	CELL_BYTES = 1000000000, /* of a text; the memory is limited too */
	TIME_FOR_FUNCTIONS = 1,  /* seconds beyond the limit for a function of SQL */
	STATUS_OF_LIMIT = 3      /* as for ERROR_LIMIT */
};

struct query_options {
	struct common common;
	const char *output; /* or NULL */
	enum rows_format format;
	bool list;             /* list the named queries */
	double time_limit;     /* in seconds of CPU time */
	uint64_t memory_limit; /* in MiB; 0: none */
	bool quote_formulas;
};

struct query {
	const struct query_options *o;
	const char *sql; /* of length bytes */
	int length;
	int num_arguments;
	const char *const *arguments;
	double end; /* CPU time of the process, in seconds */
};

/* ---- limits ---------------------------------------------------------------------------- */

static int too_long(void *context)
{
	const struct query *q = context;

	return limits_cpu_time() > q->end;
}

/* Only what SQLite can count by itself; see ask. */
static void set_limits(sqlite3 *db, struct query *q)
{
	q->end = limits_cpu_time() + q->o->time_limit;
	sqlite3_progress_handler(db, INSTRUCTIONS, too_long, q);
	if (q->o->memory_limit)
		sqlite3_hard_heap_limit64(sqlite3_memory_used() +
					  ((sqlite3_int64)q->o->memory_limit << 20));
	/* sort in memory, so that it counts towards the limit; if this fails because memory ran
	 * out, so does the query */
	sqlite3_exec(db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	sqlite3_set_authorizer(db, reading_only, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, CELL_BYTES);
}

/* ---- errors ------------------------------------------------------------------------------- */

static int took_too_long(const struct query *q, struct error *e)
{
	return error_set(e, ERROR_LIMIT,
			 "the query took longer than %g seconds of CPU time (see --time-limit)",
			 q->o->time_limit);
}

static int took_too_much(const struct query *q, struct error *e)
{
	if (!q->o->memory_limit)
		return error_memory(e, 0);
	return error_set(e, ERROR_LIMIT,
			 "the query took more than %llu MiB of memory (see --memory-limit)",
			 (unsigned long long)q->o->memory_limit);
}

/* Set *e to why the statement failed, and where in the SQL. */
static int why(sqlite3 *db, const struct query *q, struct error *e)
{
	int code = sqlite3_errcode(db), offset = sqlite3_error_offset(db), line = 1, column = 1;

	if (code == SQLITE_INTERRUPT)
		return took_too_long(q, e);
	if (code == SQLITE_NOMEM)
		return took_too_much(q, e);
	/* SQLite has no code for what is refused within a larger statement */
	if (code == SQLITE_AUTH || code == SQLITE_READONLY ||
	    strncmp(sqlite3_errmsg(db), "not authorized", strlen("not authorized")) == 0)
		return error_set(e, ERROR_USAGE, "%s (%s)", sqlite3_errmsg(db),
				 strstr(sqlite3_errmsg(db), "to use function")
				     ? "only functions that compute values are allowed"
				     : "queries are read-only");
	if (offset < 0 || offset > q->length)
		return error_set(e, code == SQLITE_ERROR ? ERROR_USAGE : ERROR_SYSTEM, "%s",
				 sqlite3_errmsg(db));
	for (int i = 0; i < offset; i++) {
		line += q->sql[i] == '\n';
		column = q->sql[i] == '\n' ? 1 : column + 1;
	}
	return error_set(
	    e, ERROR_USAGE, "%s (in the SQL at line %d, column %d: '%.*s')", sqlite3_errmsg(db),
	    line, column,
	    (int)strcspn(q->sql + offset, "\n") < 40 ? (int)strcspn(q->sql + offset, "\n") : 40,
	    q->sql + offset);
}

static int prepare(sqlite3 *db, const struct query *q, sqlite3_stmt **s, struct error *e)
{
	const char *tail;

	if (sqlite3_prepare_v2(db, q->sql, q->length, s, &tail) != SQLITE_OK)
		return why(db, q, e);
	if (!*s)
		return error_set(e, ERROR_USAGE, "the query is empty");
	while (tail < q->sql + q->length && strchr(" \t\n\r;", *tail))
		tail++;
	if (tail < q->sql + q->length && strncmp(tail, "--", 2) != 0) {
		sqlite3_finalize(*s);
		return error_set(e, ERROR_USAGE, "expected one statement, found another: '%.40s'",
				 tail);
	}
	return 0;
}

/* ---- running ------------------------------------------------------------------------------- */

static int print_rows(FILE *out, sqlite3 *db, const struct query *q, struct error *e)
{
	const struct rows_shape shape = {q->o->format, q->o->common.rows, q->o->common.width,
					 q->o->quote_formulas};
	sqlite3_stmt *s;
	int rc;

	if (prepare(db, q, &s, e) != 0)
		return -1;
	for (int i = 0; i < q->num_arguments; i++)
		sqlite3_bind_text(s, i + 1, q->arguments[i], -1, SQLITE_STATIC);
	rc = rows_print(out, s, &shape, e);
	if (sqlite3_reset(s) != SQLITE_OK)
		rc = why(db, q, e);
	sqlite3_finalize(s);
	return rc;
}

/* A function that does not return ends the process some time after SQLite would have stopped. */
static int ask(FILE *out, sqlite3 *db, struct query *q, struct error *e)
{
	struct error late;
	char message[sizeof late.text + 20];
	struct limits limits;
	int rc;

	set_limits(db, q);
	took_too_long(q, &late);
	snprintf(message, sizeof message, "hpcprof: %s\n", late.text);
	limits_begin(&limits, q->o->time_limit + TIME_FOR_FUNCTIONS, q->o->memory_limit, message,
		     STATUS_OF_LIMIT);
	rc = print_rows(out, db, q, e);
	limits_end(&limits);
	return rc != 0 && e->kind == ERROR_MEMORY ? took_too_much(q, e) : rc;
}

/* Write to --output, completely or not at all, or to standard output. */
static int ask_into(FILE *out, sqlite3 *db, struct query *q, struct error *e)
{
	struct output to;
	int rc;

	if (!q->o->output) {
		if (q->o->common.page)
			pager_begin();
		return ask(out, db, q, e);
	}
	rc = output_open(&to, out, q->o->output, e);
	if (rc == 0)
		rc = ask(to.file, db, q, e);
	if (rc == 0)
		rc = output_commit(&to, e);
	output_abandon(&to);
	return rc;
}

/* Open an empty database, to check the SQL and count its parameters before anything is read. */
static int open_empty(sqlite3 **db, struct error *e)
{
	if (sqlite3_open_v2(":memory:", db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK ||
	    database_harden(*db) != SQLITE_OK || db_add_functions(*db) != SQLITE_OK ||
	    db_add_tables(*db) != SQLITE_OK)
		return db_error(*db, e);
	return 0;
}

static int no_query(const char *name, struct error *e)
{
	struct nearest near = {.typed = name};
	char hint[NEAREST_TEXT];
	const char *at = db_queries_sql;
	struct named_query q;

	while (named_queries_next(&at, &q))
		nearest_offer(&near, q.name, (size_t)q.name_length);
	return error_set(e, ERROR_USAGE, "no query is named %s%s (hpcprof query --list lists them)",
			 name, nearest_text(hint, &near, ""));
}

/* Find the SQL, and how many of the arguments after it are its parameters. */
static int understand(struct query *q, struct error *e)
{
	struct named_query named;
	sqlite3_stmt *s;
	sqlite3 *db = NULL;
	int rc;

	q->sql = q->o->common.subject;
	q->length = (int)strlen(q->sql);
	if (named_queries_find(q->sql, &named)) {
		q->sql = named.sql;
		q->length = named.sql_length;
	} else if (q->sql[0] && !strpbrk(q->sql, " \t\n")) {
		return no_query(q->sql, e);
	}
	rc = open_empty(&db, e);
	if (rc == 0 && (db_create(db, e) != 0 || db_finish(db, e) != 0))
		rc = -1;
	if (rc == 0) {
		set_limits(db, q);
		rc = prepare(db, q, &s, e);
	}
	if (rc == 0) {
		q->num_arguments = sqlite3_bind_parameter_count(s);
		sqlite3_finalize(s);
	}
	sqlite3_close_v2(db);
	sqlite3_hard_heap_limit64(0);
	if (rc == 0 && q->o->common.num_profiles <= (size_t)q->num_arguments)
		return error_set(e, ERROR_USAGE, "this query needs %d argument%s and a PROFILE",
				 q->num_arguments, q->num_arguments == 1 ? "" : "s");
	return rc;
}

static int ask_file(FILE *out, struct query *q, const char *path, struct error *e)
{
	struct database d;
	int rc = database_open(&d, path, e);
	bool of_file = rc != 0; /* what is wrong */

	if (rc == 0 && (db_add_functions(d.db) != SQLITE_OK || db_add_tables(d.db) != SQLITE_OK))
		rc = db_error(d.db, e);
	if (rc == 0)
		rc = ask_into(out, d.db, q, e);
	if (database_check_cut(&d, e) != 0) {
		rc = -1;
		of_file = true;
	}
	database_close(&d);
	if (rc != 0 && (of_file || e->kind == ERROR_SYSTEM || e->kind == ERROR_FORMAT))
		rc = db_about(path, e);
	return rc;
}

static int ask_profiles(FILE *out, struct query *q, const struct common *o, struct diag *d,
			struct error *e)
{
	const struct profile_request wanted = {.common = o, .values = true};
	struct profile p;
	sqlite3 *db = NULL;
	int rc = profile_load(&p, &wanted, d, e);

	if (rc != 0)
		return rc;
	rc = open_empty(&db, e);
	if (rc == 0)
		rc = db_fill(db, &p, o, PER_PROFILE_SMALL, d, e);
	profile_deinit(&p);
	diag_progress_end(d);
	if (rc == 0)
		rc = ask_into(out, db, q, e);
	sqlite3_close_v2(db);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct query_options *o = options;
	struct query q = {.o = o};
	struct common profiles = o->common; /* without the arguments of the query */
	int rc;

	if (o->list) {
		named_queries_list(out);
		return 0;
	}
	if (understand(&q, e) != 0)
		return -1;
	q.arguments = o->common.profiles;
	profiles.profiles += q.num_arguments;
	profiles.num_profiles -= (size_t)q.num_arguments;
	if (profiles.num_profiles == 1 && database_is(profiles.profiles[0]))
		rc = ask_file(out, &q, profiles.profiles[0], e);
	else
		rc = ask_profiles(out, &q, &profiles, d, e);
	sqlite3_hard_heap_limit64(0);
	return rc;
}

static bool lists_queries(const void *options)
{
	const struct query_options *o = options;

	return o->list;
}

static void set_defaults(void *options)
{
	struct query_options *o = options;

	o->time_limit = 60;
	o->memory_limit = 1024;
}

static void complete_name(const struct completion *c)
{
	const char *at = db_queries_sql;
	struct named_query q;

	while (named_queries_next(&at, &q)) {
		char name[64], text[200];
		snprintf(name, sizeof name, "%.*s", q.name_length, q.name);
		snprintf(text, sizeof text, "%.*s", q.text_length, q.text);
		completion_offer(c, name, text);
	}
}

static const char *const formats[] = {"table", "csv", "json", NULL};

static const struct option_row own_options[] = {
    {0, "format", "FORMAT", "print rows as table, csv or json", option_word,
     offsetof(struct query_options, format), formats},
    {0, "list", NULL, "list the named queries", option_flag, offsetof(struct query_options, list),
     NULL},
    {0, "time-limit", "SECONDS", "stop a query after SECONDS of CPU time (60)", option_seconds,
     offsetof(struct query_options, time_limit), NULL},
    {0, "memory-limit", "MIB", "limit a query's memory to MIB (1024; 0: no limit)", option_count,
     offsetof(struct query_options, memory_limit), NULL},
    {'o', "output", "FILE", "write to FILE, completely or not at all", option_output,
     offsetof(struct query_options, output), NULL},
    {0, "quote-formulas", NULL, "csv: put ' before texts that look like formulas", option_flag,
     offsetof(struct query_options, quote_formulas), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_rows_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command query_command = {
    .name = "query",
    .summary = "the rows of an SQL statement or of a named query (--list)",
    .subject = "SQL|NAME",
    .complete_subject = complete_name,
    .newest = true,
    .options = tables,
    .size = sizeof(struct query_options),
    .set_defaults = set_defaults,
    .needs_nothing = lists_queries,
    .run = run,
};
