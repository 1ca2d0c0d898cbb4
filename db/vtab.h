/* Table-valued functions over raw datafiles and over measurements:
 *
 *     csprof_metrics(FILE)    number, name, flags, period, unit
 *     csprof_modules(FILE)    epoch, number, name, virtual_address, mapped_address, extent,
 * build_id csprof_threads(FILE)    number, tid, name, start_ns, end_ns, cpu_ns csprof_account(FILE)
 * metric, thread, disposition, samples, weight csprof_trees(FILE)      number, thread, kind, epoch,
 * nodes csprof_nodes(FILE)      tree, id, parent, ip, sp csprof_values(FILE)     tree, node,
 * metric, value: those that are not 0 hpcprof_contexts(PROFILE) context, parent, last, depth,
 * module, function, file, line, inlined, metric, exclusive_events, exclusive_samples,
 * inclusive_events, inclusive_samples: a row for each context and metric
 *
 * Those of datafiles stream: a file is mapped, and a condition "= N" on the first column of
 * those with several trees or epochs goes right there, as one on a context does. They say what the
 * file says; a number of 2^63 or more comes as text. Threads that are none are NULL. */
#ifndef DB_VTAB_H
#define DB_VTAB_H

#include "db/sql.h"

#include <stdbool.h>
#include <stddef.h>

/* Give db the functions: a result code of SQLite. */
int db_add_tables(sqlite3 *db);
/* The last of them. */
int db_add_contexts(sqlite3 *db);

/* A table-valued function. Cursors begin with a struct vtab_cursor. */
struct vtab_cursor {
	sqlite3_vtab_cursor base;
	char *path;        /* of what is loaded; NULL: nothing is */
	sqlite3_int64 row; /* from 0; what next goes to */
	bool end;
};

struct vtab_kind {
	const char *name, *declaration, *takes;
	int argument;         /* the column of what it takes, which is hidden and the last */
	bool first;           /* "= N" on the first column goes right there, ... */
	double cost_of_first; /* ... at that cost, beside 1e6 */
	size_t cursor;        /* bytes */
	/* 0, or -1 and *e. unload takes what is not loaded, and what is in part. */
	int (*load)(struct vtab_cursor *c, const char *path, struct error *e);
	void (*unload)(struct vtab_cursor *c);
	/* Before the first row, or the first of those whose first column is *only. */
	void (*begin)(struct vtab_cursor *c, const sqlite3_int64 *only);
	/* 1: there is a row; 0: there is none; -1 and *e. */
	int (*next)(struct vtab_cursor *c, struct error *e);
	void (*column)(const struct vtab_cursor *c, sqlite3_context *to, int i);
};

/* Give db the function: a result code of SQLite. */
int vtab_add(sqlite3 *db, const struct vtab_kind *kind);
void vtab_number(sqlite3_context *c, uint64_t v);
void vtab_text(sqlite3_context *c, const char *at, size_t n);

#endif
