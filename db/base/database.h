/* Opens existing databases for reading. */
#ifndef DB_BASE_DATABASE_H
#define DB_BASE_DATABASE_H

#include "db/base/sql.h"

#include <stdbool.h>

/* Whether the file begins like a SQLite database; false if it cannot be read. */
bool database_is(const char *path);
/* Open the profile database at path read-only. 0, or -1 and *e, whose text does not name the file.
 * Close *db with sqlite3_close_v2 in any case. */
int database_open(const char *path, sqlite3 **db, struct error *e);

#endif
