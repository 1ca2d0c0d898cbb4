/* Databases that were written before, opened to be read. */
#ifndef DB_OPEN_H
#define DB_OPEN_H

#include "db/sql.h"

#include <stdbool.h>

/* Whether the file begins as databases of SQLite do; false if it cannot be read. */
bool database_is(const char *path);
/* Open the profile database at path; nothing can be written through *db. 0, or -1 and *e,
 * whose text does not name the file; *db is to be closed with sqlite3_close_v2 in any case. */
int database_open(const char *path, sqlite3 **db, struct error *e);

#endif
