/* Tables as CSV: a line of column names, then a line per row. Texts are written by csv_field, and
 * formulas is its parameter. Lines end with \n. NULL is an empty field, an empty text is "". */
#ifndef DB_BASE_CSV_H
#define DB_BASE_CSV_H

#include "db/base/sql.h"

#include <stdbool.h>
#include <stdio.h>

/* Make the folder, unless it exists. 0, or -1 and *e. */
int csv_folder(const char *path, struct error *e);
/* Write each table of db to folder/TABLE.csv, completely or not at all. 0, or -1 and *e. */
int csv_write(sqlite3 *db, const char *folder, bool formulas, struct error *e);

/* Parts of a line. */
void csv_names(FILE *out, sqlite3_stmt *s, bool formulas);
void csv_row(FILE *out, sqlite3_stmt *s, bool formulas);

#endif
