/* Tables and indexes of a SQLite file that are written at once, without SQL: rows that come in
 * the order of their keys fill page after page, and the pages above them follow at the end. That
 * is several times as fast as INSERT and leaves no page half empty.
 *
 * Source: "Database File Format", https://www.sqlite.org/fileformat2.html, sections 1.3, 1.6
 * and 2.1: a format that SQLite promises to keep.
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
 * No transaction may be open in between. All writing goes through SQLite's own file, so what
 * stands in for a disk stands in for it here, too. Used by one thread. */
#ifndef DB_PAGES_H
#define DB_PAGES_H

#include "db/sql.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { PAGES_COLUMNS = 12 }; /* of a row, at most: no record is longer than 127 bytes */

struct pages {
	sqlite3_file *file;
	uint32_t size;          /* of a page, bytes */
	uint32_t count;         /* pages of the file, with those that wait */
	unsigned char *waiting; /* pages that follow each other and are not written yet */
	uint32_t num_waiting;
};

struct pages_child {
	uint32_t page;
	uint32_t key, key_length; /* in keys: what stands between it and the next */
};

struct pages_tree {
	struct pages *to;
	bool by_rowid; /* a table whose first column is the rowid, else WITHOUT ROWID or an index */
	uint32_t root; /* page */
	/* A row ends before the last columns that have their defaults, as those end that were there
	 * before ALTER TABLE ADD COLUMN: the first of them that may go, and the defaults. */
	unsigned needed;
	int64_t defaults[PAGES_COLUMNS];
	unsigned char *leaf;  /* the page that is being filled */
	uint32_t cells, from; /* its cells, and where the lowest begins */
	int64_t rowid;        /* the last */
	VEC(struct pages_child) children;
	VEC(unsigned char) keys;
	bool failed;
	struct error why;
};

/* Whether db can be written so: a file, with nothing in its settings that puts anything else
 * into pages. */
bool pages_suit(sqlite3 *db);

int pages_open(struct pages *p, sqlite3 *db, struct error *e);
/* Write what waits, and how many pages there are. 0, or -1 and *e. */
int pages_save(struct pages *p, struct error *e);
void pages_close(struct pages *p); /* takes what pages_open failed for */

/* Fill an empty table or index, whose name ends at a blank; the defaults of its columns are
 * integers. 0, or -1 and *e. */
int pages_begin(struct pages_tree *t, struct pages *to, sqlite3 *db, const char *name,
		bool by_rowid, struct error *e);
/* A row of numbers and NULLs, whose key is greater than that of the row before; failures are kept
 * until pages_end. */
void pages_add(struct pages_tree *t, const struct db_cell *cells, unsigned n);
/* 0, or -1 and *e: the first thing that went wrong. Takes what pages_begin failed for. */
int pages_end(struct pages_tree *t, struct error *e);

#endif
