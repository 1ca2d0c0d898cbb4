/* Fuzzes reading a profile database, and SQL on one. The first byte of the input selects:
 *
 *     even    cells: four bytes each, a column (two bytes), a row and a value, are put into a
 *             database without constraints, which is then shown and queried
 *     odd     SQL, run on a valid database: the file must be unchanged afterwards */
#include "db/base/sql.h"
#include "db/import/import.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COLUMNS = 400, CELL = 4 };

static char sound[64], loose[64];
static FILE *nowhere;
static sqlite3 *db;
static struct column {
	char *table, *name;
} columns[MOST_COLUMNS];
static size_t num_columns;
static char *before;
static size_t before_n;

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void run(const char *sql)
{
	need(sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void clean_up(void)
{
	sqlite3_close(db);
	for (size_t i = 0; i < num_columns; i++) {
		free(columns[i].table);
		free(columns[i].name);
	}
	free(before);
	fclose(nowhere);
	need(scratch_remove(NULL) == 0);
}

/* Copy the tables of the valid database to one without constraints. */
static void open_loose(void)
{
	static const char make[] =
	    "SELECT 'CREATE TABLE main.\"' || name || '\" AS SELECT * FROM sound.\"' || name || "
	    "'\"' FROM "
	    "sound.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' UNION ALL "
	    "SELECT sql FROM sound.sqlite_schema WHERE type = 'view'";
	char *attach = sqlite3_mprintf(
	    "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; ATTACH %Q AS sound; "
	    "PRAGMA application_id = %d; PRAGMA user_version = %d",
	    sound, DB_APPLICATION, DB_VERSION);
	char **rows;
	int n;

	need(sqlite3_open(loose, &db) == SQLITE_OK);
	run(attach);
	sqlite3_free(attach);
	need(sqlite3_get_table(db, make, &rows, &n, NULL, NULL) == SQLITE_OK);
	for (int i = 1; i <= n; i++)
		run(rows[i]);
	sqlite3_free_table(rows);
	need(sqlite3_get_table(
		 db,
		 "SELECT t.name, c.name FROM main.sqlite_schema t JOIN pragma_table_info(t.name) c "
		 "WHERE t.type = 'table' ORDER BY 1, 2",
		 &rows, &n, NULL, NULL) == SQLITE_OK);
	need(n > 50 && n <= MOST_COLUMNS);
	for (int i = 1; i <= n; i++)
		columns[num_columns++] =
		    (struct column){strdup(rows[2 * i]), strdup(rows[2 * i + 1])};
	sqlite3_free_table(rows);
}

static void begin(void)
{
	const char *profile;
	struct error e;

	importers_add(&db_importer);
	nowhere = fopen("/dev/null", "w");
	need(nowhere && scratch_make(NULL) == 0);
	atexit(clean_up);
	strcpy(sound, scratch_path("sound.db"));
	strcpy(loose, scratch_path("loose.db"));
	profile = scratch_datafile(&build_example, "file.csp");
	need(run_db(sound, &profile, 1, false, &e) == 0);
	before = read_file(sound, &before_n);
	need(before);
	open_loose();
}

/* The value for a byte. */
static char *value_of(uint8_t v)
{
	static const char *const special[] = {
	    "NULL", "-1", "4294967295", "9223372036854775807", "-9223372036854775808",
	    "1.5",  "''", "'none'",     "x'ff00fe'",           "zeroblob(5000)"};
	const size_t n = sizeof special / sizeof *special;

	return v < n ? sqlite3_mprintf("%s", special[v]) : sqlite3_mprintf("%d", (int)(v - n));
}

static void strike(const uint8_t *cell)
{
	const struct column *c = &columns[(cell[0] | cell[1] << 8) % num_columns];
	char *value = value_of(cell[3]);
	char *sql = sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE rowid = 1 + %d", c->table,
				    c->name, value, cell[2]);

	run(sql);
	sqlite3_free(sql);
	sqlite3_free(value);
}

static void put_back(void)
{
	char *last = NULL;

	run("BEGIN");
	for (size_t i = 0; i < num_columns; i++) {
		char *sql;
		if (last && strcmp(last, columns[i].table) == 0)
			continue;
		last = columns[i].table;
		sql = sqlite3_mprintf(
		    "DELETE FROM \"%w\"; INSERT INTO \"%w\" SELECT * FROM sound.\"%w\"", last, last,
		    last);
		run(sql);
		sqlite3_free(sql);
	}
	run("COMMIT");
}

static void show(void)
{
	static const char *const shows[] = {"text --all", "text --all --stats --by thread",
					    "xml --callpath"};
	const char *profile = loose;
	struct error e;

	for (size_t i = 0; i < sizeof shows / sizeof *shows; i++)
		need(run_view(shows[i], &profile, 1, nowhere, &e) == 0 || e.text[0]);
}

static void ask(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size), *after;
	const char *const words[] = {"--", sql, sound};
	struct error e;
	size_t n;

	need(sql);
	need(run_view("query --format json -n 100 --time-limit 1 --memory-limit 64", words, 3,
		      nowhere, &e) == 0 ||
	     e.text[0]);
	after = read_file(sound, &n);
	need(after && n == before_n && memcmp(after, before, n) == 0);
	free(after);
	free(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!db)
		begin();
	if (!size)
		return 0;
	if (data[0] % 2) {
		ask(data + 1, size - 1);
		return 0;
	}
	run("BEGIN");
	for (size_t at = 1; at + CELL <= size && at < 40 * CELL; at += CELL)
		strike(data + at);
	run("COMMIT");
	show();
	put_back();
	return 0;
}
