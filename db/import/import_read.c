/* Rows and texts, within the limits. */
#include "db/import/import_internal.h"

#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_LEAST = 1000, TEXT_LEAST = 4096 };

int import_open(struct import *in, const char *path)
{
	const struct importer_part *part = in->part;

	if (database_open(&in->file, path, in->e) != 0)
		return -1;
	if (part && part->data) /* all parts of a file together */
		in->file.work = (struct database_work *)(uintptr_t)part->data;
	in->db = in->file.db;
	in->rows = ROWS_LEAST + in->file.size / IMPORT_ROW_BYTES;
	in->text = TEXT_LEAST + 2 * in->file.size; /* it may be UTF-16 */
	in->contexts = UINT64_MAX;
	return 0;
}

int import_out_of_memory(struct import *in)
{
	return error_memory(in->e, 0);
}

int import_damaged(struct import *in, const char *table, int64_t row)
{
	return error_set(in->e, ERROR_FORMAT, "row %lld of %s of the database is damaged",
			 (long long)row, table);
}

int import_not_added(struct import *in, const struct interner *rows, const char *table,
		     sqlite3_stmt *s)
{
	return interner_find(rows, import_number(s, 0)) == INTERNER_NONE
		   ? import_out_of_memory(in)
		   : import_damaged(in, table, sqlite3_column_int64(s, 0));
}

/* Set *e: the file has fewer bytes than what is read from it. */
static int refuse(const struct import *in, const char *what)
{
	return error_set(in->e, ERROR_FORMAT,
			 "has more %s than fit into its bytes: it is damaged (write it again with "
			 "hpcprof db, or use a copy)",
			 what);
}

/* Count a row, and the bytes of all its texts: SQLite has copied also those that nobody wants. */
static int count_row(struct import *in, sqlite3_stmt *s)
{
	if (!in->rows--)
		return refuse(in, "rows");
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		int type = sqlite3_column_type(s, i);
		uint64_t n = 0;
		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			n = (uint64_t)sqlite3_column_bytes(s, i);
		if (n > in->text)
			return refuse(in, "texts");
		in->text -= n;
	}
	return 0;
}

const char *import_text(struct import *in, sqlite3_stmt *s, int i, bool *ok)
{
	const char *at = (const char *)sqlite3_column_text(s, i), *out = NULL;
	char *copy = at ? strdup(at) : NULL;

	if (copy) {
		reader_xml_decode_name(copy);
		out = model_text(in->m, copy, strlen(copy));
	}
	free(copy);
	*ok &= (at || !import_known(s, i)) && (!at || out);
	return out;
}

int import_each(struct import *in, const char *sql, import_take_fn *take)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(in->db, sql, -1, &s, NULL), taken = 0;

	if (rc == SQLITE_OK && in->part && sqlite3_bind_parameter_count(s))
		rc = sqlite3_bind_int64(s, 1, in->part->id);
	while (rc == SQLITE_OK && taken == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		taken = count_row(in, s);
		if (taken == 0)
			taken = take(in, s);
		rc = SQLITE_OK;
	}
	if (taken == 0 && rc != SQLITE_DONE)
		taken = db_error(in->db, in->e);
	sqlite3_finalize(s);
	return taken;
}
