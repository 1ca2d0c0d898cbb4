#include "db/base/csv.h"

#include "hpcprof/command/output.h"
#include "hpcprof/terminal/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int csv_folder(const char *path, struct error *e)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return error_writing(e);
}

void csv_names(FILE *out, sqlite3_stmt *s, bool formulas)
{
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		const char *name = sqlite3_column_name(s, i);
		fputs(i ? "," : "", out);
		csv_field(out, name, strlen(name), formulas);
	}
	fputc('\n', out);
}

void csv_row(FILE *out, sqlite3_stmt *s, bool formulas)
{
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		int type = sqlite3_column_type(s, i);
		const char *text = (const char *)sqlite3_column_text(s, i);
		fputs(i ? "," : "", out);
		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			csv_field(out, text ? text : "",
				  text ? (size_t)sqlite3_column_bytes(s, i) : 0, formulas);
		else if (text)
			fputs(text, out);
	}
	fputc('\n', out);
}

static int write_rows(sqlite3 *db, const char *table, FILE *out, bool formulas, struct error *e)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	sqlite3_stmt *s = NULL;
	int rc;

	if (!sql)
		return error_memory(e, 0);
	rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
	sqlite3_free(sql);
	if (rc == SQLITE_OK)
		csv_names(out, s, formulas);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		csv_row(out, s, formulas);
		rc = SQLITE_OK;
	}
	rc = rc == SQLITE_DONE ? 0 : db_error(db, e);
	sqlite3_finalize(s);
	return rc;
}

static int write_table(sqlite3 *db, const char *table, const char *folder, bool formulas,
		       struct error *e)
{
	struct output out;
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s.csv", folder, table) < 0)
		return error_memory(e, strlen(folder));
	rc = output_open(&out, NULL, path, e);
	if (rc == 0)
		rc = write_rows(db, table, out.file, formulas, e);
	if (rc == 0)
		rc = output_commit(&out, e);
	output_abandon(&out);
	free(path);
	return rc;
}

int csv_write(sqlite3 *db, const char *folder, bool formulas, struct error *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db,
				    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name "
				    "NOT LIKE 'sqlite_%' ORDER BY name",
				    -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW)
		rc = write_table(db, (const char *)sqlite3_column_text(s, 0), folder, formulas,
				 e) == 0
			 ? SQLITE_OK
			 : -1;
	if (rc != SQLITE_DONE && rc != -1)
		db_error(db, e);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : -1;
}
