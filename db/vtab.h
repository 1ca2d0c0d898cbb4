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
 * Those of datafiles stream: a file is mapped. They say what the file says; a number of 2^63 or
 * more comes as text. Threads that are none are NULL.
 *
 * Conditions go down to the rows: a row that fails one of column = value, <, <=, >, >=, LIKE or
 * GLOB is not handed to SQLite. On the first column of those with several trees or epochs, and on
 * a context, they are a place to go to, and ORDER BY that column sorts nothing. LIMIT needs no
 * more: SQLite stops asking. */
#ifndef DB_VTAB_H
#define DB_VTAB_H

#include "db/sql.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Give db the functions: a result code of SQLite. */
int db_add_tables(sqlite3 *db);
/* The last of them. */
int db_add_contexts(sqlite3 *db);

enum { VTAB_CONDITIONS = 16 }; /* at most; SQLite sees to others */

/* A table-valued function. Cursors begin with a struct vtab_cursor. */
struct vtab_cursor {
	sqlite3_vtab_cursor base;
	char *path;        /* of what is loaded; NULL: nothing is */
	sqlite3_int64 row; /* from 0; what next goes to */
	bool end;
	int num_conditions;
	struct vtab_condition {
		int column;
		unsigned char op; /* SQLITE_INDEX_CONSTRAINT_... */
		sqlite3_value *value;
	} conditions[VTAB_CONDITIONS];
};

/* What stands in a row. */
struct vtab_cell {
	enum { VTAB_NULL, VTAB_NUMBER, VTAB_TEXT } type;
	uint64_t number;
	const char *at; /* n bytes that live until the next row */
	size_t n;
};

struct vtab_kind {
	const char *name, *declaration, *takes;
	int argument; /* the column of what it takes, which is hidden and the last */
	bool first;   /* rows come by the first column, and begin goes to a place there, ... */
	double cost_of_first; /* ... which costs so much for one place, beside 1e6 */
	size_t cursor;        /* bytes */
	/* 0, or -1 and *e. unload takes what is not loaded, and what is in part. */
	int (*load)(struct vtab_cursor *c, const char *path, struct error *e);
	void (*unload)(struct vtab_cursor *c);
	/* Before the first row whose first column is from .. to, where that is asked of it. */
	void (*begin)(struct vtab_cursor *c, int64_t from, int64_t to);
	/* 1: there is a row; 0: there is none; -1 and *e. */
	int (*next)(struct vtab_cursor *c, struct error *e);
	struct vtab_cell (*cell)(const struct vtab_cursor *c, int i);
};

/* Give db the function: a result code of SQLite. */
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
