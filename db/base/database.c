#include "db/base/database.h"

#include "formats/base/regular_file.h"

#include <string.h>
#include <unistd.h>

/* "SQLite format 3" and a NUL: the first bytes of every database (sqlite.org/fileformat2). */
static const char magic[16] = "SQLite format 3";

bool database_is(const char *path)
{
	char head[sizeof magic];
	struct stat st;
	int fd = regular_file_open(path, &st, NULL);
	bool is = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head &&
		  memcmp(head, magic, sizeof head) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

int database_open(const char *path, sqlite3 **db, struct error *e)
{
	if (sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		return db_error(*db, e);
	return db_check(*db, e);
}
