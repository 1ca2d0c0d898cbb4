#include "db/write/bulk.h"

#include <string.h>

static sqlite3_stmt *prepare(struct bulk *b, unsigned rows)
{
	sqlite3_str *sql = sqlite3_str_new(b->db);
	sqlite3_stmt *s = NULL;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO %s VALUES", b->table);
	for (unsigned i = 0; i < rows; i++) {
		sqlite3_str_appendall(sql, i ? ",(" : "(");
		for (unsigned k = 0; k < b->columns; k++)
			sqlite3_str_appendall(sql, k ? ",?" : "?");
		sqlite3_str_appendchar(sql, 1, ')');
	}
	text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_prepare_v2(b->db, text, -1, &s, NULL);
	sqlite3_free(text);
	return s;
}

int bulk_begin(struct bulk *b, sqlite3 *db, const char *table, unsigned columns, struct error *e)
{
	b->db = db;
	b->table = table;
	b->columns = columns;
	b->rows = BULK_CELLS / columns;
	b->filled = 0;
	b->failed = b->paged = false;
	b->many = prepare(b, b->rows);
	if (b->many)
		return 0;
	b->failed = true;
	db_error(db, &b->why);
	if (e)
		*e = b->why;
	return -1;
}

int bulk_begin_pages(struct bulk *b, struct pages *to, sqlite3 *db, const char *table,
		     unsigned columns, bool by_rowid, struct error *e)
{
	b->db = db;
	b->table = table;
	b->columns = columns;
	b->rows = 1;
	b->filled = 0;
	b->paged = true;
	b->many = NULL;
	b->failed = pages_begin(&b->tree, to, db, table, by_rowid, &b->why) != 0;
	if (b->failed && e)
		*e = b->why;
	return b->failed ? -1 : 0;
}

static void insert(struct bulk *b, sqlite3_stmt *s)
{
	int rc = SQLITE_OK;

	for (unsigned i = 0; i < b->filled && rc == SQLITE_OK; i++) {
		const struct db_cell *c = &b->cells[i];
		if (c->null)
			rc = sqlite3_bind_null(s, (int)i + 1);
		else if (c->text)
			rc = sqlite3_bind_text(s, (int)i + 1, c->text, -1, SQLITE_STATIC);
		else
			rc = sqlite3_bind_int64(s, (int)i + 1, c->number);
	}
	if (rc == SQLITE_OK)
		sqlite3_step(s);
	if (sqlite3_reset(s) != SQLITE_OK || rc != SQLITE_OK) {
		b->failed = true;
		db_error(b->db, &b->why);
	}
}

void bulk_flush(struct bulk *b)
{
	if (b->paged)
		pages_add(&b->tree, b->cells, b->columns);
	else if (!b->failed)
		insert(b, b->many);
	b->filled = 0;
}

int bulk_end(struct bulk *b, struct error *e)
{
	sqlite3_stmt *rest = NULL;

	if (b->paged) {
		struct error why;
		if (pages_end(&b->tree, &why) != 0 && !b->failed) {
			b->failed = true;
			b->why = why;
		}
	} else if (b->filled && !b->failed) {
		rest = prepare(b, b->filled / b->columns);
		if (rest)
			insert(b, rest);
		else
			db_error(b->db, &b->why);
		b->failed |= !rest;
	}
	sqlite3_finalize(rest);
	sqlite3_finalize(b->many);
	b->many = NULL;
	if (b->failed && e)
		*e = b->why;
	return b->failed ? -1 : 0;
}
