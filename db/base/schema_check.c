#include "db/base/schema_check.h"

#include <ctype.h>
#include <string.h>

enum { TABLES_MOST = 64 };

/* A text of SQL, read by words. */
struct words {
	const char *at;   /* what follows the word */
	const char *word; /* of n bytes */
	size_t n;         /* 0: there is none */
};

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *skip_blanks(const char *at)
{
	for (;; at += strcspn(at, "\n")) {
		at += strspn(at, " \t\n\f\r");
		if (strncmp(at, "--", 2) != 0)
			return at;
	}
}

/* Go to the next word: a name or number, a quoted text, or another character. The texts of the
 * schema have no other comments than those that end with the line, so a word of the database that
 * begins one differs from them. */
static void next_word(struct words *w)
{
	const char *at = skip_blanks(w->at);
	size_t n = 0;

	while (is_of_name(at[n]))
		n++;
	if (n == 0 && at[0] && strchr("'\"`", at[0])) {
		n = 1 + strcspn(at + 1, (char[]){at[0], '\0'});
		n += at[n] != '\0';
	} else if (n == 0) {
		n = at[0] != '\0';
	}
	*w = (struct words){.at = at + n, .word = at, .n = n};
}

static bool is_word(const struct words *w, const char *text)
{
	return w->n == strlen(text) && memcmp(w->word, text, w->n) == 0;
}

/* Whether what follows a word of ours, up to the end of the statement, is what follows that of the
 * database, up to its end. */
static bool is_same(struct words ours, struct words theirs)
{
	do {
		next_word(&ours);
		next_word(&theirs);
		if (is_word(&ours, ";") && theirs.n == 0)
			return true;
	} while (ours.n == theirs.n && ours.n && memcmp(ours.word, theirs.word, ours.n) == 0);
	return false;
}

struct our_table {
	struct words name; /* in db_schema_sql */
	bool found;
};

static size_t list_tables(struct our_table tables[TABLES_MOST])
{
	struct words w = {.at = db_schema_sql};
	size_t n = 0;

	for (next_word(&w); w.n && n < TABLES_MOST; next_word(&w)) {
		if (!is_word(&w, "CREATE"))
			continue;
		next_word(&w);
		if (!is_word(&w, "TABLE"))
			continue;
		next_word(&w);
		tables[n++].name = w;
	}
	return n;
}

/* Compare an entry of the schema with our table of this name, if there is one. 1: it is the same,
 * 0: there is none, -1: it is another. */
static int compare(struct our_table *tables, size_t n, const char *type, const char *name,
		   const char *sql)
{
	struct words w = {.at = sql};

	for (size_t i = 0; i < n; i++) {
		size_t length = tables[i].name.n;
		if (sqlite3_strnicmp(name, tables[i].name.word, (int)length) != 0 || name[length])
			continue;
		next_word(&w);
		next_word(&w);
		next_word(&w);
		if (tables[i].found || strcmp(type, "table") != 0 || !is_word(&w, name) ||
		    !is_same(tables[i].name, w))
			return -1;
		tables[i].found = true;
		return 1;
	}
	return 0;
}

static const char *column(sqlite3_stmt *s, int i)
{
	const char *text = (const char *)sqlite3_column_text(s, i);

	return text ? text : "";
}

static int not_ours(struct error *e, const char *name, size_t n)
{
	return error_set(e, ERROR_FORMAT,
			 "its table %.*s is not one that hpcprof db makes (write it again with "
			 "hpcprof db)",
			 (int)n, name);
}

int schema_check(sqlite3 *db, struct error *e)
{
	struct our_table tables[TABLES_MOST] = {0};
	size_t n = list_tables(tables);
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, "SELECT type, name, sql FROM sqlite_schema", -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (compare(tables, n, column(s, 0), column(s, 1), column(s, 2)) < 0) {
			not_ours(e, column(s, 1), strlen(column(s, 1)));
			sqlite3_finalize(s);
			return -1;
		}
		rc = SQLITE_OK;
	}
	rc = rc == SQLITE_DONE ? 0 : db_error(db, e);
	sqlite3_finalize(s);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (!tables[i].found)
			rc = not_ours(e, tables[i].name.word, tables[i].name.n);
	return rc;
}

/* Check the pages of a table: none may be used twice. Other tables are not checked, as their
 * constraints may compute anything. */
static int check_pages(sqlite3 *db, const struct words *name, struct error *e)
{
	sqlite3_stmt *s = NULL;
	char sql[100];
	int rc;

	sqlite3_snprintf(sizeof sql, sql, "PRAGMA quick_check('%.*s')", (int)name->n, name->word);
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		rc = db_error(db, e);
	else if (strcmp(column(s, 0), "ok") != 0)
		rc = error_set(e, ERROR_FORMAT,
			       "it is damaged: %.200s (write it again with hpcprof db, or use a "
			       "copy)",
			       column(s, 0));
	else
		rc = 0;
	sqlite3_finalize(s);
	return rc;
}

int schema_check_for_append(sqlite3 *db, struct error *e)
{
	struct our_table tables[TABLES_MOST] = {0};
	size_t n = list_tables(tables);
	/* -2 is the column of an expression */
	static const char sql[] =
	    "SELECT i.name FROM sqlite_schema t JOIN pragma_index_list(t.name) i "
	    "WHERE t.type = 'table' AND (i.partial OR EXISTS (SELECT 1 FROM "
	    "pragma_index_xinfo(i.name) x WHERE x.cid = -2))";
	sqlite3_stmt *s = NULL;
	int rc;

	if (schema_check(db, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (check_pages(db, &tables[i].name, e) != 0)
			return -1;
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		error_set(e, ERROR_FORMAT,
			  "its index %.100s computes something for each row (drop it, and create "
			  "it again after --append)",
			  column(s, 0));
	else if (rc != SQLITE_DONE)
		db_error(db, e);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : -1;
}
