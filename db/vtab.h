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
 * Those of datafiles stream: a file is mapped, and a condition "= N" on the first column goes
 * right there. They say what the file says; a number of 2^63 or more comes as text. Threads that
 * are none are NULL. */
#ifndef DB_VTAB_H
#define DB_VTAB_H

#include "db/sql.h"

/* Give db the functions: a result code of SQLite. */
int db_add_tables(sqlite3 *db);
/* The last of them. */
int db_add_contexts(sqlite3 *db);

/* What all of them share: the plan for a function whose hidden argument is column argument, and
 * that is quicker with "= N" on its first column (with first). */
enum { VTAB_ARGUMENT = 1, VTAB_FIRST = 2 };
int vtab_plan(sqlite3_index_info *plan, int argument, int first);
/* An error for the user. Takes the place of another. */
void vtab_error(sqlite3_vtab *t, const char *path, const struct error *e);
void vtab_number(sqlite3_context *c, uint64_t v);
void vtab_text(sqlite3_context *c, const char *at, size_t n);
int vtab_disconnect(sqlite3_vtab *t);

#endif
