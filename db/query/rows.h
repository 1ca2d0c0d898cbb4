/* Prints the rows of a statement as a table, CSV or JSON. */
#ifndef DB_QUERY_ROWS_H
#define DB_QUERY_ROWS_H

#include "db/base/sql.h"

#include <stdint.h>
#include <stdio.h>

enum rows_format { ROWS_USUAL, ROWS_TABLE, ROWS_CSV, ROWS_JSON }; /* ROWS_USUAL: a table */

struct rows_shape {
	enum rows_format format;
	uint64_t most;  /* rows; 0: all */
	unsigned width; /* of a table */
	bool formulas;  /* see csv_field */
};

/* Run s to its end, or for `most` rows, and print them. 0, or -1: *e is only set if memory ran out,
 * otherwise SQLite has the error. */
int rows_print(FILE *out, sqlite3_stmt *s, const struct rows_shape *o, struct error *e);

#endif
