/* Fuzzes reading a profile database, and SQL on one. The first byte of the input selects:
 *
 *     even    cells: four bytes each, a column (two bytes), a row and a value, are put into a
 *             database without constraints, which is then shown and queried
 *     odd     SQL, run on a valid database: the file must be unchanged afterwards */
#include "db/base/sql.h"
#include "db/import/import.h"
#include "tests/lib/unit/loose_database.h"
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
	bool struck;
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

static void list_columns(void)
{
	char **rows;
	int n;

	need(sqlite3_get_table(db,
			       "SELECT t.name, c.name FROM stage.sqlite_schema t JOIN "
			       "pragma_table_info(t.name, 'stage') c WHERE t.type = 'table' "
			       "ORDER BY 1, 2",
			       &rows, &n, NULL, NULL) == SQLITE_OK);
	need(n > 50 && n <= MOST_COLUMNS);
	for (int i = 1; i <= n; i++)
		columns[num_columns++] =
		    (struct column){strdup(rows[2 * i]), strdup(rows[2 * i + 1]), false};
	sqlite3_free_table(rows);
}

static void for_each_struck(void (*act)(sqlite3 *, const char *))
{
	run("BEGIN");
	for (size_t i = 0; i < num_columns; i++)
		if (columns[i].struck)
			act(db, columns[i].table);
	run("COMMIT");
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
	db = loose_database_open(loose, sound);
	list_columns();
	for (size_t i = 0; i < num_columns; i++)
		loose_database_reset(db, columns[i].table);
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
	struct column *c = &columns[(cell[0] | cell[1] << 8) % num_columns];
	char *value = value_of(cell[3]);
	char *sql = sqlite3_mprintf("UPDATE stage.\"%w\" SET \"%w\" = %s WHERE rowid = 1 + %d",
				    c->table, c->name, value, cell[2]);

	run(sql);
	c->struck = true;
	sqlite3_free(sql);
	sqlite3_free(value);
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
	for (size_t at = 1; at + CELL <= size && at < 40 * CELL; at += CELL)
		strike(data + at);
	for_each_struck(loose_database_put);
	show();
	for_each_struck(loose_database_reset);
	for (size_t i = 0; i < num_columns; i++)
		columns[i].struck = false;
	return 0;
}
