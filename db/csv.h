/* Tables as CSV: a line of names, then a line a row; texts in quotes where they need them
 * (RFC 4180, with lines that end in \n), NULL is nothing, an empty text is "". */
#ifndef DB_CSV_H
#define DB_CSV_H

#include "db/sql.h"

#include <stdio.h>

/* Make the folder, unless it is there. 0, or -1 and *e. */
int csv_folder(const char *path, struct error *e);
/* Each table of db into folder/TABLE.csv, each file whole or not at all. 0, or -1 and *e. */
int csv_write(sqlite3 *db, const char *folder, struct error *e);

/* Parts: what a line is made of. */
void csv_text(FILE *out, const char *s);
void csv_names(FILE *out, sqlite3_stmt *s);
void csv_row(FILE *out, sqlite3_stmt *s);

#endif
