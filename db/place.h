/* A database file that is there as a whole or not at all: it is written under another name
 * beside its place and renamed in the end. While one is open, the signals that end a program
 * remove it first. Used by one thread, one at a time. */
#ifndef DB_PLACE_H
#define DB_PLACE_H

#include "db/sql.h"

#include <signal.h>
#include <stdbool.h>

enum { PLACE_SIGNALS = 3 };

struct db_place {
	const char *path;
	char *temporary;
	sqlite3 *db;
	struct sigaction before[PLACE_SIGNALS];
};

/* Open a database that is to become path; with append its rows are those of the file at path,
 * if there is one. 0, or -1 and *e. */
int db_place_open(struct db_place *p, const char *path, bool append, struct error *e);
/* All is written: make it last. 0, or -1 and *e; a file that was there is then still the same. */
int db_place_commit(struct db_place *p, struct error *e);
/* Leave everything as it was before. Nothing happens after db_place_commit. */
void db_place_abandon(struct db_place *p);

#endif
