/* The operator REGEXP: X REGEXP Y is regexp(Y, X). */
#ifndef DB_QUERY_REGEXP_H
#define DB_QUERY_REGEXP_H

#include "db/base/sql.h"

/* The function. An expression of more than 1000 bytes is an error, as the C library recurses over
 * it, and so is one that repeats its parts more than 20,000 times together, as it copies them. */
void regexp(sqlite3_context *c, int n, sqlite3_value **v);

#endif
