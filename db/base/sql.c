#include "db/base/sql.h"

#include "formats/base/embed.h"
#include "formats/base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

EMBED_FILE(db_schema_sql, "share/hpcprof/schema.sql");
EMBED_FILE(db_views_sql, "share/hpcprof/views.sql");
EMBED_FILE(db_queries_sql, "share/hpcprof/queries.sql");

/* What the user can do about a failure; "" if the message says enough. */
static const char *advice(int code)
{
	switch (code) {
	case SQLITE_FULL:
		return " (free some space there, or choose another place)";
	case SQLITE_IOERR: /* also for a limit on the file size */
		return " (free some space there, or choose another place; see dmesg and ulimit -f)";
	case SQLITE_CANTOPEN:
		return " (check its permissions)";
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return " (choose another place)";
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return " (another program is writing to it: try again)";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return " (it is damaged: write it again with hpcprof db, or use a copy)";
	case SQLITE_INTERRUPT: /* by database.c's limit */
		return ": reading it takes more steps than its bytes account for (it is damaged: "
		       "write it again with hpcprof db, or use a copy)";
	default:
		return "";
	}
}

static int set_error(int code, const char *text, struct error *e)
{
	code &= 0xff; /* without the extended code */
	if (code == SQLITE_NOMEM)
		return error_memory(e, 0);
	return error_set(e, code == SQLITE_TOOBIG ? ERROR_LIMIT : ERROR_SYSTEM, "%s%s", text,
			 advice(code));
}

int db_error(sqlite3 *db, struct error *e)
{
	return db ? set_error(sqlite3_errcode(db), sqlite3_errmsg(db), e) : error_memory(e, 0);
}

int db_file_error(int code, struct error *e)
{
	return set_error(code, sqlite3_errstr(code), e);
}

int db_about(const char *path, struct error *e)
{
	struct error plain = *e;

	return error_set(e, plain.kind, "%s: %.400s", path, plain.text);
}

int db_exec(sqlite3 *db, const char *sql, struct error *e)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_error(db, e);
}

int db_number(sqlite3 *db, int64_t *out, struct error *e, const char *format, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;
	char *sql;
	int rc;

	va_start(ap, format);
	sql = sqlite3_vmprintf(format, ap);
	va_end(ap);
	if (!sql)
		return error_memory(e, 0);
	*out = 0;
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(s, 0);
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : db_error(db, e);
	sqlite3_finalize(s);
	sqlite3_free(sql);
	return rc;
}

int db_check(sqlite3 *db, struct error *e)
{
	int64_t application, version;

	if (db_number(db, &application, e, "PRAGMA application_id") != 0 ||
	    db_number(db, &version, e, "PRAGMA user_version") != 0)
		return -1;
	if (application != DB_APPLICATION)
		return error_set(e, ERROR_VERSION, "not a profile database written by hpcprof db");
	if (version < DB_VERSION)
		return error_set(e, ERROR_VERSION,
				 "expected version %d of the profile database, found %lld (written "
				 "by an older hpcprof: write it again)",
				 DB_VERSION, (long long)version);
	if (version > DB_VERSION)
		return error_set(e, ERROR_VERSION,
				 "expected a version up to %d of the profile database, found %lld "
				 "(written by a newer hpcprof: use that one)",
				 DB_VERSION, (long long)version);
	return 0;
}

static bool needs_escape(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t code;
		unsigned length = utf8_decode(s + i, n - i, &code);
		if (!length || utf8_is_harmful(code) ||
		    (s[i] == '\\' && (s[i + 1] == 'x' || s[i + 1] == '\\')))
			return true;
		i += length;
	}
	return false;
}

const char *db_text(struct arena *a, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	char *out, *to;

	if (!s || !needs_escape(s, n))
		return s;
	out = to = arena_alloc(a, 4 * n + 1);
	for (size_t i = 0; out && i < n;) {
		uint32_t code;
		unsigned length = utf8_decode(s + i, n - i, &code);
		if (!length || utf8_is_harmful(code)) {
			for (size_t end = i + (length ? length : 1); i < end; i++)
				to += sprintf(to, "\\x%02x", (unsigned char)s[i]);
			continue;
		}
		if (s[i] == '\\' && (s[i + 1] == 'x' || s[i + 1] == '\\'))
			*to++ = '\\';
		memcpy(to, s + i, length);
		to += length;
		i += length;
	}
	return out;
}
