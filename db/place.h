/* A database file that is there as a whole or not at all. Used by one thread. */
#ifndef DB_PLACE_H
#define DB_PLACE_H

#include "db/sql.h"
#include "formats/base/unfinished.h"

#include <stdbool.h>

struct db_place {
	struct unfinished file;
	sqlite3 *db;
};

/* Open a database that is to become path; with append its rows are those of the file at path,
 * if there is one. 0, or -1 and *e. */
int db_place_open(struct db_place *p, const char *path, bool append, struct error *e);
/* All is written: make it last. 0, or -1 and *e; a file that was there is then still the same. */
int db_place_commit(struct db_place *p, struct error *e);
/* Leave everything as it was before. Nothing happens after db_place_commit. */
void db_place_abandon(struct db_place *p);

#endif
