/* SQL functions that make questions about profiles short:
 *
 *     demangle(NAME)             what a linkage name means; others as they are
 *     scaled(VALUE, UNIT)        "1.23 s": three digits in the unit that suits it
 *     is_beneath(X, Y)           whether context X is context Y or beneath it
 *     path_text(X [, SEPARATOR]) the functions of context X's path, the outermost first
 *     TEXT REGEXP EXPRESSION     a POSIX extended regular expression matches a part
 *
 * NULL for NULL. */
#ifndef DB_FUNCTIONS_H
#define DB_FUNCTIONS_H

#include "db/sql.h"

/* Give db the functions: a result code of SQLite. */
int db_add_functions(sqlite3 *db);

#endif
