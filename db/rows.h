/* Rows of a statement as text, as CSV or as JSON. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include "db/sql.h"
#include "hpcprof/options.h"

#include <stdio.h>

/* Run s to its end, or for most rows (0: all), and print them. 0, or -1 with *e filled if
 * memory ran out, else not: SQLite says why. */
int rows_print(FILE *out, sqlite3_stmt *s, const struct options *o, struct error *e);

#endif
