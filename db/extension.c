/* hpcprof_sqlite.so: the functions of functions.h and the tables of vtab.h, for any program that
 * uses SQLite ("SELECT load_extension('.../hpcprof_sqlite')", or .load in the sqlite3 shell). */
#ifndef DB_EXTENSION
#define DB_EXTENSION 1
#endif
#include "db/import/import.h"
#include "db/query/functions.h"
#include "db/query/vtab.h"
#include "hpcprof/import/import.h"
#include "hpcprof/load/importers.h"

#include <pthread.h>

SQLITE_EXTENSION_INIT1

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *db, char **why,
								  const sqlite3_api_routines *api);

static void add_importers(void)
{
	importers_add(&db_importer);
	importers_add(&import_importer);
}

int sqlite3_extension_init(sqlite3 *db, char **why, const sqlite3_api_routines *api)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int rc;

	(void)why;
	SQLITE_EXTENSION_INIT2(api);
	pthread_once(&once, add_importers); /* several threads may load the extension */
	rc = db_add_functions(db);
	return rc == SQLITE_OK ? db_add_tables(db) : rc;
}
