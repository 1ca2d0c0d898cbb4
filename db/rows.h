/* Rows of a statement as text, as CSV or as JSON. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include "db/sql.h"

#include <stdint.h>
#include <stdio.h>

enum rows_format { ROWS_USUAL, ROWS_TABLE, ROWS_CSV, ROWS_JSON }; /* usual: a table */

struct rows_shape {
	enum rows_format format;
	uint64_t most;  /* rows; 0: all */
	unsigned width; /* of a table */
};

/* Run s to its end, or for so many rows, and print them. 0, or -1 with *e filled if
 * memory ran out, else not: SQLite says why. */
int rows_print(FILE *out, sqlite3_stmt *s, const struct rows_shape *o, struct error *e);

#endif
