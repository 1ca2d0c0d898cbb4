/* The operator REGEXP: X REGEXP Y is regexp(Y, X). */
#ifndef DB_QUERY_REGEXP_H
#define DB_QUERY_REGEXP_H

#include "db/base/sql.h"

/* The function. What hpcprof/command/expression.h refuses is an error. */
void regexp(sqlite3_context *c, int n, sqlite3_value **v);

#endif
