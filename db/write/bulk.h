/* Inserts many rows into a table quickly: several rows per INSERT, with one prepared statement.
 * Cells are added one by one, in the order of the table's columns. Used by one thread.
 *
 *     struct bulk b;
 *     if (bulk_begin(&b, db, "account", 5, &e) == 0)
 *         for (...) { bulk_int(&b, metric); bulk_text(&b, name); ... }
 *     rc = bulk_end(&b, &e);
 *
 * bulk_end reports earlier failures. */
#ifndef DB_WRITE_BULK_H
#define DB_WRITE_BULK_H

#include "db/base/sql.h"
#include "db/write/pages.h"

#include <stdbool.h>

enum { BULK_CELLS = 1024 };

struct bulk {
	sqlite3 *db;
	const char *table;
	sqlite3_stmt *many;
	bool paged; /* rows go to tree, and many is NULL */
	struct pages_tree tree;
	unsigned columns, rows; /* rows: per INSERT */
	unsigned filled;        /* cells */
	bool failed;
	struct error why;
	struct db_cell cells[BULK_CELLS];
};

/* The table's name is followed by its list of columns if not all are inserted ("context (id,
 * parent)"). 0, or -1 and *e. */
int bulk_begin(struct bulk *b, sqlite3 *db, const char *table, unsigned columns, struct error *e);
/* The same without SQL, for an empty table whose rows are added in the order of its key and contain
 * only numbers and NULLs. by_rowid as in pages_begin. */
int bulk_begin_pages(struct bulk *b, struct pages *to, sqlite3 *db, const char *table,
		     unsigned columns, bool by_rowid, struct error *e);
/* Insert the remaining rows. 0, or -1 and *e: the first failure. May be called after bulk_begin
 * failed. */
int bulk_end(struct bulk *b, struct error *e);

/* The part of the functions below for when the buffer is full. */
void bulk_flush(struct bulk *b);

static inline void bulk_cell(struct bulk *b, struct db_cell cell)
{
	b->cells[b->filled++] = cell;
	if (b->filled == b->rows * b->columns)
		bulk_flush(b);
}
static inline void bulk_int(struct bulk *b, int64_t v)
{
	bulk_cell(b, (struct db_cell){.number = v});
}
static inline void bulk_null(struct bulk *b)
{
	bulk_cell(b, (struct db_cell){.null = true});
}
static inline void bulk_int_or_null(struct bulk *b, bool known, int64_t v)
{
	bulk_cell(b, (struct db_cell){.number = v, .null = !known});
}
/* The text must live until bulk_end. NULL inserts NULL. */
static inline void bulk_text(struct bulk *b, const char *s)
{
	bulk_cell(b, (struct db_cell){.text = s, .null = !s});
}
/* A sum. More than 2^63 - 1, the largest number in SQLite, is an error. */
static inline void bulk_sum(struct bulk *b, uint64_t v)
{
	if (v > INT64_MAX && !b->failed) {
		b->failed = true;
		error_set(&b->why, ERROR_LIMIT,
			  "a sum in %s is %llu, but a database holds numbers up to 2^63 - 1 (use "
			  "fewer profiles)",
			  b->table, (unsigned long long)v);
	}
	bulk_int(b, (int64_t)v);
}

#endif
