#include "tests/lib/unit/loose_database.h"

#include "db/base/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void run(sqlite3 *db, char *sql)
{
	char *why = NULL;

	if (!sql || sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql ? sql : "", why ? why : "");
		abort();
	}
	sqlite3_free(sql);
}

/* Run the statements that a query makes. */
static void run_all(sqlite3 *db, const char *query)
{
	char **rows;
	int n;

	if (!query || sqlite3_get_table(db, query, &rows, &n, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "%s\n", sqlite3_errmsg(db));
		abort();
	}
	for (int i = 1; i <= n; i++)
		run(db, sqlite3_mprintf("%s", rows[i]));
	sqlite3_free_table(rows);
}

/* Which bytes a row has does not depend on whether a column may be NULL, so the tables are made
 * without that condition, and only then told to have it. */
sqlite3 *loose_database_open(const char *path, const char *sound)
{
	sqlite3 *db;

	unlink(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	run(db, sqlite3_mprintf("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; "
				"ATTACH %Q AS sound; ATTACH ':memory:' AS stage",
				sound));
	run_all(db, "SELECT 'CREATE TABLE stage.\"' || name || '\" AS SELECT * FROM sound.\"' || "
		    "name || '\"' FROM sound.sqlite_schema WHERE type = 'table' AND name NOT LIKE "
		    "'sqlite_%'");
	run_all(db, "SELECT replace(sql, ' NOT NULL', '') FROM sound.sqlite_schema WHERE type = "
		    "'table' AND name NOT LIKE 'sqlite_%'");
	run_all(db, "SELECT sql FROM sound.sqlite_schema WHERE type = 'view'");
	run(db, sqlite3_mprintf("PRAGMA main.application_id = %d; PRAGMA main.user_version = %d",
				DB_APPLICATION, DB_VERSION));
	run(db,
	    sqlite3_mprintf("PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; "
			    "UPDATE main.sqlite_schema AS m SET sql = (SELECT s.sql FROM "
			    "sound.sqlite_schema s WHERE s.name = m.name) WHERE type = 'table'"));
	return db;
}

static void copy(sqlite3 *db, const char *from, const char *table)
{
	char *query = sqlite3_mprintf(
	    "SELECT 'DELETE FROM main.\"%w\"; INSERT OR IGNORE INTO main.\"%w\" (' || "
	    "group_concat('\"' || name || '\"', ', ') || ') SELECT ' || "
	    "group_concat('\"' || name || '\"', ', ') || ' FROM %s.\"%w\"' || "
	    "coalesce((SELECT ' WHERE typeof(\"' || name || '\") = ''integer''' FROM "
	    "pragma_table_info(%Q, 'sound') WHERE pk = 1 AND type = 'INTEGER'), '') FROM "
	    "pragma_table_info(%Q, 'sound')",
	    table, table, from, table, table, table);

	run_all(db, query);
	sqlite3_free(query);
}

void loose_database_put(sqlite3 *db, const char *table)
{
	copy(db, "stage", table);
}

void loose_database_reset(sqlite3 *db, const char *table)
{
	copy(db, "sound", table);
	run(db, sqlite3_mprintf("DELETE FROM stage.\"%w\"; INSERT INTO stage.\"%w\" SELECT * FROM "
				"sound.\"%w\"",
				table, table, table));
}
