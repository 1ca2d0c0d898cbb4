/* Damaged databases: changed bits all over the file, files that are cut, and rows that no profile
 * could have. hpcprof shows what it can read or prints what is wrong. It never crashes (this also
 * runs with sanitizers), hangs, or takes unlimited memory. */
#include "db/base/sql.h"
#include "db/import/import.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/loose_database.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char sound[64], spoilt[64];
static FILE *nowhere;

static void write_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

enum { SHOWS = 3 };
static unsigned shown, told;

/* Each view and query succeeds or fails with a message that names the file or the query. */
static void try_views(const char *what, size_t at, size_t n)
{
	static const char *const shows[SHOWS] = {"text --all", "text --all --stats --by thread",
						 "xml --callpath"};
	const char *profile = spoilt;
	struct error e;
	int rc;

	for (size_t i = 0; i < n; i++) {
		rc = run_view(shows[i], &profile, 1, nowhere, &e);
		shown += rc == 0;
		told += rc != 0;
		if (rc != 0 && !e.text[0])
			fail_msg("%s %zu: a view failed without a word", what, at);
	}
}

static void try_queries(const char *what, size_t at)
{
	static const char *const queries[] = {"paths", "deep"};
	struct error e;

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		const char *words[] = {queries[i], "1", spoilt};
		bool takes = strcmp(queries[i], "deep") == 0;
		char *text;
		words[1] = takes ? words[1] : spoilt;
		text = run_query(words, takes ? 3 : 2, &e);
		shown += text != NULL;
		told += text == NULL;
		if (!text && !e.text[0])
			fail_msg("%s %zu: %s failed without a word", what, at, queries[i]);
		free(text);
	}
}

static void try_all(const char *what, size_t at)
{
	try_views(what, at, SHOWS);
	try_queries(what, at);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

static void test_bits(void **state)
{
	size_t n;
	char *bytes = read_file(sound, &n);
	uint32_t random = 1;

	(void)state;
	assert_non_null(bytes);
	shown = told = 0;
	/* a third of the header, one byte in 7999 of the rest */
	for (size_t at = 0; at < n; at += at < 100 ? 3 : 7999) {
		char before = bytes[at];
		bytes[at] = (char)(bytes[at] ^ 1 << next_random(&random) % 8);
		write_bytes(spoilt, bytes, n);
		try_all("a bit of byte", at);
		bytes[at] = before;
	}
	/* and ranges of bytes */
	for (int i = 0; i < 15; i++) {
		char before[64];
		size_t at = next_random(&random) % (n - sizeof before);
		memcpy(before, bytes + at, sizeof before);
		for (size_t k = 0; k < sizeof before; k++)
			bytes[at + k] = (char)next_random(&random);
		write_bytes(spoilt, bytes, n);
		try_all("64 bytes at", at);
		memcpy(bytes + at, before, sizeof before);
	}
	assert_true(shown > 0 && told > 0);
	free(bytes);
}

static void test_cut(void **state)
{
	size_t n;
	char *bytes = read_file(sound, &n);

	(void)state;
	shown = told = 0;
	for (size_t length = 0; length < n; length += length < 128 ? 32 : 16001) {
		write_bytes(spoilt, bytes, length);
		try_all("a length of", length);
	}
	/* the last pages may contain little */
	assert_true(told > 3 * shown);
	free(bytes);
}

/* Replace every cell of a table's first and last row, one after the other, by each of these
 * values. */
static void strike(sqlite3 *db, const char *table, const char *column)
{
	static const char *const values[] = {"NULL", "-1", "9223372036854775807", "x'ff00fe'"};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char *sql = sqlite3_mprintf("UPDATE stage.\"%w\" SET \"%w\" = %s WHERE rowid = "
					    "(SELECT min(rowid) FROM stage.\"%w\")"
					    " OR rowid = (SELECT max(rowid) FROM stage.\"%w\")",
					    table, column, values[i], table, table);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		loose_database_put(db, table);
		try_views(sql, i, SHOWS - 1);
		loose_database_reset(db, table);
		sqlite3_free(sql);
	}
}

static void test_rows(void **state)
{
	static const char columns[] =
	    "SELECT t.name, c.name FROM stage.sqlite_schema t JOIN "
	    "pragma_table_info(t.name, 'stage') c WHERE t.type = 'table' AND t.name IN "
	    "('measurement', 'metric', 'process', 'profile', 'module', 'file', 'function', 'line', "
	    "'context', 'exclusive', 'account', 'profile_value', 'hottest')";
	sqlite3 *db = loose_database_open(spoilt, sound);
	char **cells;
	int rows;

	(void)state;
	shown = told = 0;
	assert_int_equal(sqlite3_get_table(db, columns, &cells, &rows, NULL, NULL), SQLITE_OK);
	assert_true(rows > 80);
	for (int i = 1; i <= rows; i++)
		loose_database_reset(db, cells[2 * i]);
	for (int i = 1; i <= rows; i++)
		strike(db, cells[2 * i], cells[2 * i + 1]);
	sqlite3_free_table(cells);
	sqlite3_close(db);
	assert_true(shown > 500 && told > 20);
}

static int set_up(void **state)
{
	const char *profile;
	struct error e;

	nowhere = fopen("/dev/null", "w");
	if (!nowhere || scratch_make(state) != 0)
		return -1;
	strcpy(sound, scratch_path("sound.db"));
	strcpy(spoilt, scratch_path("spoilt.db"));
	profile = scratch_datafile(&build_example, "good.csp");
	return run_db(sound, &profile, 1, false, &e);
}

static int tear_down(void **state)
{
	fclose(nowhere);
	return scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_cut),
					   cmocka_unit_test(test_rows)};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
