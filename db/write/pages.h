/* Writes whole tables and indexes of a SQLite file without SQL: rows, in the order of their keys,
 * fill page after page, and the pages above them follow at the end. This is several times as fast
 * as INSERT and leaves no page half empty.
 *
 * Source: "Database File Format", https://www.sqlite.org/fileformat2.html, sections 1.3, 1.6 and
 * 2.1. SQLite guarantees that this format will not change.
 *
 *     struct pages p;
 *     struct pages_tree t;
 *     if (pages_open(&p, db, &e) == 0) {
 *         if (pages_begin(&t, &p, db, "call", false, &e) == 0)
 *             while (...) pages_add(&t, cells, n);
 *         rc = pages_end(&t, &e);
 *         if (rc == 0) rc = pages_save(&p, &e);
 *     }
 *     pages_close(&p);
 *
 * No transaction may be open in between. Everything is written through SQLite's own file object, so
 * a VFS that replaces the disk also applies here. Used by one thread. */
#ifndef DB_WRITE_PAGES_H
#define DB_WRITE_PAGES_H

#include "db/base/sql.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { PAGES_COLUMNS = 12 }; /* at most per row: then no record is longer than 127 bytes */

struct pages {
	sqlite3_file *file;
	uint32_t size;          /* of a page, bytes */
	uint32_t count;         /* pages of the file, including waiting ones */
	unsigned char *waiting; /* the last pages of the file, not written yet */
	uint32_t num_waiting;
};

struct pages_child {
	uint32_t page;
	uint32_t key, key_length; /* in keys: the key between it and the next child */
};

struct pages_tree {
	struct pages *to;
	bool by_rowid; /* a table whose first column is the rowid, else WITHOUT ROWID or an index */
	uint32_t root; /* page */
	/* A row ends before the last columns that have their defaults, like rows from before ALTER
	 * TABLE ADD COLUMN: the first column that may be omitted, and the defaults. */
	unsigned needed;
	int64_t defaults[PAGES_COLUMNS];
	unsigned char *leaf;  /* the page that is being filled */
	uint32_t cells, from; /* its cells, and the offset of the lowest */
	int64_t rowid;        /* the last */
	VEC(struct pages_child) children;
	VEC(unsigned char) keys;
	bool failed;
	struct error why;
};

/* Whether db can be written this way: it is a file, and its settings add nothing to pages. */
bool pages_suit(sqlite3 *db);

int pages_open(struct pages *p, sqlite3 *db, struct error *e);
/* Write waiting pages, and the number of pages. 0, or -1 and *e. */
int pages_save(struct pages *p, struct error *e);
void pages_close(struct pages *p); /* also after pages_open failed */

/* Begin to fill an empty table or index. Its name ends at a blank. The defaults of its columns are
 * integers. 0, or -1 and *e. */
int pages_begin(struct pages_tree *t, struct pages *to, sqlite3 *db, const char *name,
		bool by_rowid, struct error *e);
/* Add a row of numbers and NULLs, whose key is greater than that of the row before. pages_end
 * reports failures. */
void pages_add(struct pages_tree *t, const struct db_cell *cells, unsigned n);
/* Finish the tree. 0, or -1 and *e: the first failure. May be called after pages_begin failed. */
int pages_end(struct pages_tree *t, struct error *e);

#endif
