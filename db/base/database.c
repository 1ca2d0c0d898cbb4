#include "db/base/database.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* "SQLite format 3" and a NUL: the first bytes of every database (sqlite.org/fileformat2). */
static const char magic[16] = "SQLite format 3";

bool database_is(const char *path)
{
	char head[sizeof magic];
	struct stat st;
	FILE *in;
	bool is;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	in = fopen(path, "rbe");
	is = in && fread(head, 1, sizeof head, in) == sizeof head &&
	     memcmp(head, magic, sizeof head) == 0;
	if (in)
		fclose(in);
	return is;
}

int database_open(const char *path, sqlite3 **db, struct error *e)
{
	if (sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		return db_error(*db, e);
	return db_check(*db, e);
}
