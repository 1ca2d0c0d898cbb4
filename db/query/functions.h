/* SQL functions for queries over profiles:
 *
 *     demangle(NAME)             a linkage name demangled; other names unchanged
 *     scaled(VALUE, UNIT)        "1.23 s": three digits in a suitable unit
 *     is_beneath(X, Y)           whether context X is context Y or beneath it
 *     path_text(X [, SEPARATOR]) the functions of context X's path, the outermost first
 *     TEXT REGEXP EXPRESSION     a POSIX extended regular expression matches a part (regexp.h)
 *
 * NULL for NULL. */
#ifndef DB_QUERY_FUNCTIONS_H
#define DB_QUERY_FUNCTIONS_H

#include "db/base/sql.h"

/* Register the functions in db. Returns a result code of SQLite. */
int db_add_functions(sqlite3 *db);

#endif
