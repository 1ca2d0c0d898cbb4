/* What a query may do. */
#ifndef DB_QUERY_READING_ONLY_H
#define DB_QUERY_READING_ONLY_H

#include "db/base/sql.h"

/* An authorizer for sqlite3_set_authorizer, without a context: statements may read tables, call
 * functions that compute values, and use pragmas that change nothing. */
int reading_only(void *context, int action, const char *a, const char *b, const char *schema,
		 const char *trigger);

#endif
