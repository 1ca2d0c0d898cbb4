/* Whether the tables of a database are those that hpcprof db makes. */
#ifndef DB_BASE_SCHEMA_CHECK_H
#define DB_BASE_SCHEMA_CHECK_H

#include "db/base/sql.h"

/* Each table of share/hpcprof/schema.sql must be one in the database too, made by the same SQL but
 * for blanks and comments: in the place of one, a view would run what its author likes, and with
 * other columns or checks, so would a table. Other tables may exist. 0, or -1 and *e. */
int schema_check(sqlite3 *db, struct error *e);

/* The same, and that rows can be added: the tables are not damaged, and no index computes an
 * expression or a condition for each row. It reads all pages. */
int schema_check_for_append(sqlite3 *db, struct error *e);

#endif
