/* Table-valued functions over raw datafiles and over measurements:
 *
 *     csprof_metrics(FILE)       number, name, flags, period, unit
 *     csprof_modules(FILE)       epoch, number, name, virtual_address, mapped_address, extent,
 *                                build_id
 *     csprof_threads(FILE)       number, tid, name, start_ns, end_ns, cpu_ns
 *     csprof_account(FILE)       metric, thread, disposition, samples, weight
 *     csprof_trees(FILE)         number, thread, kind, epoch, nodes
 *     csprof_nodes(FILE)         tree, id, parent, ip, sp
 *     csprof_values(FILE)        tree, node, metric, value: those that are not 0
 *     hpcprof_contexts(PROFILE)  context, parent, last, depth, module, function, file, line,
 *                                inlined, metric, exclusive_events, exclusive_samples,
 *                                inclusive_events, inclusive_samples: a row for each context and
 *                                metric; PROFILE: a measurement, a file of one, or a database
 *
 * The functions for datafiles map the file and do not load it. They return the values in the file;
 * a number of 2^63 or more is text. A thread that is not known is NULL.
 *
 * Conditions are checked here: a row that fails one of column = value, <, <=, >, >=, LIKE or GLOB
 * is not passed to SQLite. Conditions on a tree or epoch in the first column, and on a context,
 * limit the rows that are read, and ORDER BY that column needs no sorting. LIMIT needs no support:
 * SQLite stops reading rows. */
#ifndef DB_QUERY_VTAB_H
#define DB_QUERY_VTAB_H

#include "db/base/sql.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Register the functions in db. Returns a result code of SQLite. */
int db_add_tables(sqlite3 *db);
/* Register the last one, hpcprof_contexts. */
int db_add_contexts(sqlite3 *db);

enum { VTAB_CONDITIONS = 16 }; /* at most; SQLite checks the others */

/* A table-valued function. Cursors begin with a struct vtab_cursor. */
struct vtab_cursor {
	sqlite3_vtab_cursor base;
	char *path;        /* of the loaded file; NULL: none */
	sqlite3_int64 row; /* from 0; the row that next goes to */
	bool end;
	int num_conditions;
	struct vtab_condition {
		int column;
		unsigned char op; /* SQLITE_INDEX_CONSTRAINT_... */
		sqlite3_value *value;
	} conditions[VTAB_CONDITIONS];
};

/* A value in a row. */
struct vtab_cell {
	enum { VTAB_NULL, VTAB_NUMBER, VTAB_TEXT } type;
	uint64_t number;
	const char *at; /* n bytes, valid until the next row */
	size_t n;
};

struct vtab_kind {
	const char *name, *declaration, *takes;
	int argument; /* the column of its argument, which is hidden and the last one */
	bool first;   /* rows are sorted by the first column, and begin can go to a value of it */
	double cost_of_first; /* cost of going to one value; that of all rows is 1e6 */
	size_t cursor;        /* bytes */
	/* 0, or -1 and *e. unload also works if nothing, or only a part, is loaded. */
	int (*load)(struct vtab_cursor *c, const char *path, struct error *e);
	void (*unload)(struct vtab_cursor *c);
	/* Go before the first row whose first column is in from .. to. Without such a condition
	 * these are the limits of int64_t. */
	void (*begin)(struct vtab_cursor *c, int64_t from, int64_t to);
	/* Go to the next row. 1: there is one; 0: there is none; -1 and *e. */
	int (*next)(struct vtab_cursor *c, struct error *e);
	struct vtab_cell (*cell)(const struct vtab_cursor *c, int i);
};

/* Register the function in db. Returns a result code of SQLite. */
int vtab_add(sqlite3 *db, const struct vtab_kind *kind);

static inline struct vtab_cell vtab_number(uint64_t v)
{
	return (struct vtab_cell){.type = VTAB_NUMBER, .number = v};
}
static inline struct vtab_cell vtab_text(const char *at, size_t n)
{
	return (struct vtab_cell){.type = VTAB_TEXT, .at = at, .n = n};
}

#endif
