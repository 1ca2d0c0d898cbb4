/* A profile database with what hpcprof db would not write: its tables are as they must be, and
 * their constraints do not hold. Used by one thread; failures abort. */
#ifndef TESTS_LIB_UNIT_LOOSE_DATABASE_H
#define TESTS_LIB_UNIT_LOOSE_DATABASE_H

#include <sqlite3.h>

/* Make a database at path with the tables and views of the one at sound, which is attached as
 * sound. Rows are changed in the tables of the attached database stage, which have no constraints
 * and the rows of sound's. */
sqlite3 *loose_database_open(const char *path, const char *sound);
/* Put the rows of a table of stage into the database, without those whose keys no table can have.
 */
void loose_database_put(sqlite3 *db, const char *table);
/* Put the rows of sound into both. */
void loose_database_reset(sqlite3 *db, const char *table);

#endif
