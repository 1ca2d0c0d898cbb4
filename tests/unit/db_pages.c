/* Trees of SQLite's file format that are written without SQLite. SQLite must read the same from
 * them as from trees that it made of the same rows, and must find no errors in them. */
#include "db/write/pages.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/hpctest-pages.XXXXXX";

/* written with and without SQL: a table with a rowid, one without, and an index; with defaults,
 * which rows written without SQL omit at their ends */
static const char tables[] =
    "CREATE TABLE want_row (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 0, b INTEGER DEFAULT 1);"
    "CREATE TABLE want_key (id INTEGER, a INTEGER DEFAULT 0, b INTEGER NOT NULL DEFAULT -129, "
    "c AS (b + 1), PRIMARY KEY (id, a)) WITHOUT ROWID;"
    "CREATE TABLE row (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 0, b INTEGER DEFAULT 1);"
    "CREATE TABLE key (id INTEGER, a INTEGER DEFAULT 0, b INTEGER NOT NULL DEFAULT -129, "
    "c AS (b + 1), PRIMARY KEY (id, a)) WITHOUT ROWID;"
    "CREATE INDEX row_id ON row (id, a);";

static sqlite3 *open_empty(int page_size)
{
	char path[100], sql[100];
	sqlite3 *db;

	snprintf(path, sizeof path, "%s/db", folder);
	snprintf(sql, sizeof sql,
		 "PRAGMA page_size = %d; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF",
		 page_size);
	unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, tables, NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void expect(sqlite3 *db, const char *sql, const char *want)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	if (sqlite3_step(s) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_string_equal((const char *)sqlite3_column_text(s, 0), want);
	assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
}

/* Numbers just below and above each length, and NULL. */
static struct db_cell interesting(unsigned i)
{
	static const unsigned char bits[] = {0,  1,  7,  8,  15, 16, 23, 24,
					     31, 32, 40, 47, 48, 55, 56, 62};
	uint64_t v = UINT64_C(1) << bits[i / 5 % sizeof bits];

	switch (i % 5) {
	case 0:
		return (struct db_cell){.number = (int64_t)v};
	case 1:
		return (struct db_cell){.number = (int64_t)v - 1};
	case 2:
		return (struct db_cell){.number = -(int64_t)v};
	case 3:
		return (struct db_cell){.number = -(int64_t)v - 1};
	default:
		return i % 2 ? (struct db_cell){.number = i % 3 ? INT64_MAX : INT64_MIN}
			     : (struct db_cell){.null = true};
	}
}

static void insert(sqlite3 *db, const char *table, const struct db_cell *cells)
{
	char sql[200];
	sqlite3_stmt *s;

	snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?, ?, ?)", table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	for (int i = 0; i < 3; i++)
		if (!cells[i].null)
			sqlite3_bind_int64(s, i + 1, cells[i].number);
	assert_int_equal(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
}

/* Ids grow so that they have all lengths of a varint. */
static void make_row(struct db_cell *cells, unsigned i, int64_t id)
{
	cells[0] = (struct db_cell){.number = id};
	cells[1] = (struct db_cell){.number = i % 6 ? interesting(i + 1).number : 0};
	cells[2] = i % 4 ? interesting(i) : (struct db_cell){.number = 1};
}

/* A row of the table without rowids, which allows no NULL. */
static void make_key(struct db_cell *cells, unsigned i, int64_t id)
{
	make_row(cells, i, id);
	cells[2].null = false;
	if (i % 4 == 0)
		cells[2].number = -129;
}

static int64_t next_id(int64_t id, unsigned i)
{
	return i % 7 ? id + 1 : id < INT64_MAX / 4 ? id + id / 2 + 1 : id + 1;
}

static void fill(sqlite3 *db, unsigned rows)
{
	struct pages p;
	struct pages_tree t[3];
	struct error e;
	int64_t id = -3;

	assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
	for (unsigned i = 0; i < rows; i++, id = next_id(id, i)) {
		struct db_cell cells[3];
		make_row(cells, i, id);
		insert(db, "want_row", cells);
		make_key(cells, i, id);
		insert(db, "want_key", cells);
	}
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_true(pages_suit(db));
	assert_int_equal(pages_open(&p, db, &e), 0);
	assert_int_equal(pages_begin(&t[0], &p, db, "row", true, &e), 0);
	assert_int_equal(pages_begin(&t[1], &p, db, "key (id, a, b)", false, &e), 0);
	assert_int_equal(pages_begin(&t[2], &p, db, "row_id", false, &e), 0);
	id = -3;
	for (unsigned i = 0; i < rows; i++, id = next_id(id, i)) {
		struct db_cell cells[3];
		make_row(cells, i, id);
		pages_add(&t[0], cells, 3);
		make_key(cells, i, id);
		pages_add(&t[1], cells, 3);
		make_row(cells, i, id);
		/* for an index: its columns, then the rowid */
		cells[2] = cells[0];
		pages_add(&t[2], cells, 3);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(pages_end(&t[i], &e), 0);
	assert_int_equal(pages_save(&p, &e), 0);
	pages_close(&p);
}

static void test_same(void **state)
{
	static const int sizes[] = {512, 1024, 8192, 32768};

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (unsigned rows = 0; rows < 20000; rows = rows < 70 ? rows + 1 : rows * 5) {
			sqlite3 *db = open_empty(sizes[s]);
			fill(db, rows);
			expect(db, "PRAGMA integrity_check", "ok");
			expect(db,
			       "SELECT count(*) FROM (SELECT * FROM row EXCEPT SELECT * FROM "
			       "want_row)",
			       "0");
			expect(db,
			       "SELECT count(*) FROM (SELECT * FROM want_row EXCEPT SELECT * FROM "
			       "row)",
			       "0");
			expect(db,
			       "SELECT count(*) FROM (SELECT * FROM key EXCEPT SELECT * FROM "
			       "want_key)",
			       "0");
			expect(db,
			       "SELECT count(*) FROM want_key w LEFT JOIN key k ON k.id = w.id AND "
			       "k.a = w.a WHERE k.id IS NULL",
			       "0");
			/* in less space: 1 takes a byte, -129 three */
			expect(db,
			       "SELECT sum(payload * (name = 'want_row')) - sum(payload * (name = "
			       "'row')) >= (SELECT count(*) FROM row WHERE b = 1) AND sum(payload "
			       "* (name = 'want_key')) - sum(payload * (name = 'key')) = "
			       "3 * (SELECT count(*) FROM key WHERE b = -129) FROM dbstat",
			       "1");
			/* and SQLite can change it */
			assert_int_equal(
			    sqlite3_exec(
				db,
				"DELETE FROM row WHERE id % 3; INSERT INTO key "
				"SELECT a - 1, id, coalesce(b, 0) FROM want_row WHERE true "
				"ON CONFLICT DO NOTHING",
				NULL, NULL, NULL),
			    SQLITE_OK);
			expect(db, "PRAGMA integrity_check", "ok");
			assert_int_equal(sqlite3_close(db), SQLITE_OK);
		}
}

/* The page with the bytes that SQLite locks is skipped. */
static void test_lock(void **state)
{
	enum { SIZE = 32768, LOCKED = 0x40000000 };
	static char zeros[SIZE], page[SIZE];
	sqlite3 *db = open_empty(SIZE);
	struct pages p;
	struct pages_tree t;
	struct error e;
	char path[100];
	FILE *f;

	(void)state;
	assert_int_equal(pages_open(&p, db, &e), 0);
	p.count = LOCKED / SIZE - 20; /* as if there were this many */
	assert_int_equal(pages_begin(&t, &p, db, "row", true, &e), 0);
	for (int64_t i = 0; i < 200000; i++) {
		const struct db_cell cells[] = {{.number = i}, {.number = 1}, {.number = -i}};
		pages_add(&t, cells, 3);
	}
	assert_int_equal(pages_end(&t, &e), 0);
	assert_int_equal(pages_save(&p, &e), 0);
	assert_true(p.count > LOCKED / SIZE + 20);
	pages_close(&p);
	expect(db, "SELECT sum(id) = -sum(b) AND count(*) = 200000 FROM row", "1");
	expect(db,
	       "SELECT sum(r.id = s.value) FROM json_each('[0, 77777, 199999]') s JOIN row r ON "
	       "r.id = s.value",
	       "3");
	sqlite3_close(db);
	snprintf(path, sizeof path, "%s/db", folder);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fseek(f, LOCKED, SEEK_SET), 0);
	assert_int_equal(fread(page, 1, SIZE, f), SIZE);
	assert_memory_equal(page, zeros, SIZE);
	fclose(f);
}

/* Databases and tables that cannot be written this way. */
static void test_unsuited(void **state)
{
	static const struct db_cell cells[3];
	sqlite3 *db = open_empty(4096), *memory;
	struct pages p;
	struct pages_tree t;
	struct error e;

	(void)state;
	insert(db, "row", cells);
	assert_int_equal(pages_open(&p, db, &e), 0);
	assert_int_equal(pages_begin(&t, &p, db, "row", true, &e), -1);
	assert_string_equal(e.text, "row is not empty");
	assert_int_equal(pages_end(&t, &e), -1);
	assert_int_equal(pages_begin(&t, &p, db, "key", true, &e), -1); /* it has no rowid */
	assert_int_equal(pages_end(&t, &e), -1);
	pages_close(&p);
	sqlite3_close(db);
	assert_int_equal(sqlite3_open(":memory:", &memory), SQLITE_OK);
	assert_false(pages_suit(memory));
	sqlite3_close(memory);
	db = open_empty(65536);
	assert_false(pages_suit(db));
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA page_size = 4096; PRAGMA auto_vacuum = FULL; VACUUM",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	assert_false(pages_suit(db));
	sqlite3_close(db);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char path[100];

	(void)state;
	snprintf(path, sizeof path, "%s/db", folder);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same),
	    cmocka_unit_test(test_lock),
	    cmocka_unit_test(test_unsuited),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
