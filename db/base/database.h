/* Opens existing databases for reading, which others may have made: only regular files, without a
 * file beside them, with the tables that hpcprof db writes, and with a bound on SQLite's work.
 *
 * SQLite gets the file's bytes as a database in memory: it opens nothing itself, so no path leads
 * elsewhere. Programs that write to the file meanwhile must wait as for any other reader. Used by
 * one thread. */
#ifndef DB_BASE_DATABASE_H
#define DB_BASE_DATABASE_H

#include "db/base/sql.h"
#include "formats/base/mapped_file.h"

#include <stdatomic.h>
#include <stdbool.h>

/* How many instructions of its virtual machine SQLite may still execute. */
struct database_work {
	atomic_llong left;
};

struct database { /* must not be moved while it is open */
	sqlite3 *db;
	size_t size;           /* of the file, bytes */
	void *mapped, *copied; /* one of them */
	int fd;                /* for its lock */
	struct mapped_file watched;
	struct database_work own, *work; /* work: own, unless the caller sets another */
};

/* Whether the file begins like a SQLite database; false if it cannot be read. */
bool database_is(const char *path);

/* Open the profile database at path. 0, or -1 and *e, whose text does not name the file: it is no
 * such file (ERROR_USAGE, ERROR_VERSION, ERROR_FORMAT), another program writes to it or left a
 * change unfinished (ERROR_SYSTEM), or memory ran out. Close it in any case. */
int database_open(struct database *d, const char *path, struct error *e);
void database_close(struct database *d);
/* When all was read: -1 and *e if another program made the file shorter meanwhile. */
int database_check_cut(const struct database *d, struct error *e);

/* The work that is allowed for a file of so many bytes: 10 million instructions and 1000 for each
 * byte. Reading a row takes about 20, and a row at least 10 bytes. */
void database_work_init(struct database_work *w, size_t size);

/* Check that no other program is changing the database in the open file at path, and that none has
 * left a change beside it; wait for nothing. The file is locked against changes until fd is closed,
 * where the file system has locks. 0, or -1 and *e. */
int database_lock(int fd, const char *path, struct error *e);
/* Mark the header of a database, at its first bytes, as one without a write-ahead log. */
enum { DATABASE_HEADER = 100 };
void database_clear_wal(unsigned char header[DATABASE_HEADER]);

/* Let the connection do nothing that only a hostile schema needs: no triggers, no virtual tables
 * but those of json_each, no functions in the schema that read or write elsewhere, no attached
 * files. The lengths of the schema's statements are limited if it was not read before. Returns a
 * result code of SQLite. */
int database_harden(sqlite3 *db);

#endif
