/* A database file that appears complete or not at all. Used by one thread. */
#ifndef DB_WRITE_DATABASE_FILE_H
#define DB_WRITE_DATABASE_FILE_H

#include "db/base/sql.h"
#include "formats/base/atomic_file.h"

#include <stdbool.h>

struct database_file {
	struct atomic_file file;
	sqlite3 *db;
};

/* Open a database that will replace path. With append it begins with the rows of the file at path,
 * if there is one. 0, or -1 and *e. */
int database_file_open(struct database_file *p, const char *path, bool append, struct error *e);
/* Finish the file. 0, or -1 and *e; then a file that existed before is unchanged. */
int database_file_commit(struct database_file *p, struct error *e);
/* Discard the file; an existing file is unchanged. Does nothing after database_file_commit. */
void database_file_abandon(struct database_file *p);

#endif
