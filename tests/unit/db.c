/* Databases: wrong places, versions, names and numbers at their limits, and the results of SQL
 * functions. */
#include "db/base/database.h"
#include "db/import/import.h"
#include "db/query/functions.h"
#include "db/query/named_queries.h"
#include "db/write/database_file.h"
#include "db/write/write.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first column of the first row, as text that the caller frees. */
static char *answer(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;
	char *out = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(s) == SQLITE_ROW)
		out = strdup(sqlite3_column_text(s, 0) ? (const char *)sqlite3_column_text(s, 0)
						       : "NULL");
	assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
	return out;
}

static void expect(const char *path, const char *sql, const char *want)
{
	struct database d;
	struct error e;
	char *got;

	assert_int_equal(database_open(&d, path, &e), 0);
	assert_int_equal(db_add_functions(d.db), SQLITE_OK);
	got = answer(d.db, sql);
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
	database_close(&d);
}

/* ---- places ------------------------------------------------------------------------------ */

static void test_places(void **state)
{
	const char *from = scratch_path("good.csp");
	struct error e;

	(void)state;
	scratch_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(scratch_path("none/out.db"), &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "cannot be written"));
	assert_int_equal(run_db(scratch_folder(), &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "not a regular file"));
	/* nothing is appended to a file that is not a profile database */
	assert_int_equal(run_db(scratch_path("good.csp"), &from, 1, true, &e), -1);
	assert_int_equal(run_db(NULL, &from, 1, false, &e), -1);
	assert_int_equal(e.kind, ERROR_USAGE);
}

static void test_versions(void **state)
{
	const char *from = scratch_path("good.csp"), *to = scratch_path("version.db");
	struct database d;
	struct error e;
	sqlite3 *db;

	(void)state;
	scratch_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	assert_int_equal(sqlite3_open(to, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(run_db(to, &from, 1, true, &e), -1);
	assert_non_null(strstr(e.text, "found 99 (written by a newer"));
	assert_int_equal(database_open(&d, to, &e), -1);
	assert_non_null(strstr(e.text, "written by a newer hpcprof"));
	database_close(&d);
	unlink(to);
	assert_int_equal(sqlite3_open(to, &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(database_open(&d, to, &e), -1);
	assert_non_null(strstr(e.text, "not a profile database"));
	database_close(&d);
	unlink(to);
}

static void test_work(void **state)
{
	const char *from = scratch_path("good.csp"), *to = scratch_path("work.db");
	struct database_work none = {0};
	struct database d;
	struct error e;
	int64_t n;

	(void)state;
	scratch_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	assert_int_equal(database_open(&d, to, &e), 0);
	assert_true(atomic_load(&d.work->left) > 10000000);
	assert_int_equal(db_number(d.db, &n, &e,
				   "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL "
				   "SELECT i + 1 FROM c WHERE i < 100000) "
				   "SELECT count(*) FROM c"),
			 0);
	d.work = &none;
	assert_int_equal(db_number(d.db, &n, &e,
				   "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL "
				   "SELECT i + 1 FROM c) SELECT count(*) FROM c"),
			 -1);
	assert_non_null(strstr(e.text, "takes more steps than its bytes account for"));
	database_close(&d);
	unlink(to);
}

static void test_cut(void **state)
{
	const char *from = scratch_path("good.csp"), *to = scratch_path("cut.db");
	struct database d;
	struct error e;
	int64_t n;

	(void)state;
	mapped_file_guard(); /* cmocka has a handler of its own for each test */
	scratch_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	assert_int_equal(database_open(&d, to, &e), 0);
	assert_non_null(d.mapped);
	assert_int_equal(database_check_cut(&d, &e), 0);
	assert_int_equal(truncate(to, 20000), 0);
	db_number(d.db, &n, &e, "SELECT count(*) FROM line_value NOT INDEXED");
	assert_int_equal(database_check_cut(&d, &e), -1);
	assert_string_equal(e.text, "was cut while it was read");
	database_close(&d);
	assert_int_equal(database_open(&d, to, &e), -1);
	database_close(&d);
	unlink(to);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void test_largest_values(void **state)
{
	struct build_metric metric = {"BIG", CSP_METRIC_ASYNC, 1, NULL, 0};
	struct build_node nodes[] = {{0, 0, 0, {0}}, {0, 0x401112, 0, {INT64_MAX}}};
	struct build_tree tree = {NULL, 0, nodes, 2, 0, CSP_TREE_COMPLETE, CSP_NONE, 0};
	struct build_file f = build_example;
	const char *from = scratch_path("big.csp"), *to = scratch_path("big.db");
	struct error e;

	(void)state;
	f.metrics = &metric;
	f.num_metrics = 1;
	f.trees = &tree;
	f.num_trees = 1;
	f.num_account = f.num_trace = 0;
	f.no_trailer = true;
	scratch_datafile(&f, "big.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	expect(to, "SELECT events FROM metric", "9223372036854775807");
	expect(to, "SELECT events FROM inclusive WHERE context = 1", "9223372036854775807");
	unlink(to);
	nodes[1].metrics[0] = (uint64_t)INT64_MAX + 1;
	scratch_datafile(&f, "big.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "9223372036854775808"));
	assert_int_not_equal(access(to, F_OK), 0);
}

/* Two values that can be stored, but whose sum cannot; and one less, which can. */
static void test_sums(void **state)
{
	struct build_metric metric = {"BIG", CSP_METRIC_ASYNC, 1, NULL, 0};
	struct build_node nodes[] = {{0, 0, 0, {0}},
				     {0, 0x401112, 0, {0}},
				     {1, 0x401200, 0, {INT64_MAX}},
				     {1, 0x401300, 0, {1}}};
	struct build_tree tree = {NULL, 0, nodes, 4, 0, CSP_TREE_COMPLETE, CSP_NONE, 0};
	struct build_file f = build_example;
	const char *from = scratch_path("sum.csp"), *to = scratch_path("sum.db");
	struct error e;

	(void)state;
	f.metrics = &metric;
	f.num_metrics = 1;
	f.trees = &tree;
	f.num_trees = 1;
	f.num_account = f.num_trace = 0;
	f.no_trailer = true;
	scratch_datafile(&f, "sum.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "9223372036854775808"));
	assert_non_null(strstr(e.text, "use fewer profiles"));
	assert_int_not_equal(access(to, F_OK), 0);
	nodes[2].metrics[0]--;
	scratch_datafile(&f, "sum.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	expect(to, "SELECT events FROM metric", "9223372036854775807");
	/* a sum of two measurements in SQL is an error of SQLite, not a wrong number */
	assert_int_equal(run_db(to, &from, 1, true, &e), 0);
	const char *const words[] = {"SELECT sum(events) FROM metric", to};
	assert_null(run_query(words, 2, &e));
	assert_non_null(strstr(e.text, "integer overflow"));
	unlink(to);
}

static void test_names(void **state)
{
	static const struct build_pair odd[] = {
	    {"command", "it's \"odd\" \xff\xfe \\x41 '); DROP TABLE line; --", 0},
	    {"host", "\xc3\xbc", 0}};
	struct build_file f = build_example;
	const char *from = scratch_path("odd'\"\xff.csp"), *to = scratch_path("odd.db"),
		   *again = scratch_path("again.db");
	struct error e;

	(void)state;
	f.process = odd;
	f.num_process = 2;
	scratch_datafile(&f, "odd'\"\xff.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	expect(to, "SELECT command FROM process",
	       "it's \"odd\" \\xff\\xfe \\\\x41 '); DROP TABLE line; --");
	expect(to, "SELECT host FROM process", "\xc3\xbc");
	expect(to, "SELECT count(*) FROM line", "3");
	expect(to, "SELECT count(*) FROM module WHERE base LIKE '%\xc3\xbc%'", "1");
	/* and back, byte for byte */
	assert_int_equal(run_db(again, (const char *const *)&to, 1, false, &e), 0);
	expect(again, "SELECT command FROM process",
	       "it's \"odd\" \\xff\\xfe \\\\x41 '); DROP TABLE line; --");
	unlink(to);
	unlink(again);
}

/* ---- functions and queries ------------------------------------------------------------------ */

static void test_functions(void **state)
{
	sqlite3 *db;
	static const char *const cases[][2] = {
	    {"SELECT demangle('_ZN3foo3barEi')", "foo::bar(int)"},
	    {"SELECT demangle('main')", "main"},
	    {"SELECT demangle(NULL)", "NULL"},
	    /* Each part names the one before it twice. */
	    {"WITH RECURSIVE name(n, s) AS (SELECT 0, '_Z1f1AIiiE' UNION ALL SELECT n + 1, s || "
	     "printf('1BIS%c_S%c_E', substr('02468ACEGIKMOQSUWY', n + 1, 1), "
	     "substr('02468ACEGIKMOQSUWY', n + 1, 1)) FROM name WHERE n < 18) "
	     "SELECT demangle(s) = s FROM name WHERE n = 18",
	     "1"},
	    {"SELECT scaled(1500000, 'ns')", "1.50 ms"},
	    {"SELECT scaled(-1500000, 'ns')", "-1.50 ms"},
	    {"SELECT 'std::vector' REGEXP '^std::'", "1"},
	    {"SELECT 'vector' REGEXP '^std::'", "0"},
	    {"SELECT is_beneath(1, 1)", "1"},
	    {"SELECT is_beneath(3, 2)", "1"},
	    {"SELECT is_beneath(2, 3)", "0"},
	    {"SELECT path_text(4, '/')", "a/b/b"},
	    {"SELECT path_text(4)", "a > b > b"},
	};

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(db_add_functions(db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(
		db,
		"CREATE TABLE context (id INTEGER PRIMARY KEY, parent, last, depth, function);"
		"CREATE TABLE function (id INTEGER PRIMARY KEY, name);"
		"INSERT INTO function VALUES (1, 'a'), (2, 'b');"
		"INSERT INTO context VALUES (1, NULL, 4, 0, NULL), (2, 1, 4, 1, 1), (3, 2, 4, 2, "
		"2),"
		"(4, 3, 4, 3, 2)",
		NULL, NULL, NULL),
	    SQLITE_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = answer(db, cases[i][0]);
		assert_string_equal(got, cases[i][1]);
		free(got);
	}
	sqlite3_close_v2(db);
}

static void test_named_queries(void **state)
{
	const char *at = db_queries_sql;
	struct named_query q;
	sqlite3 *db;
	struct error e;
	int n = 0;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(db_add_functions(db), SQLITE_OK);
	assert_int_equal(db_create(db, &e), 0);
	assert_int_equal(db_finish(db, &e), 0);
	for (; named_queries_next(&at, &q); n++) {
		sqlite3_stmt *s = NULL;
		if (sqlite3_prepare_v2(db, q.sql, q.sql_length, &s, NULL) != SQLITE_OK)
			fail_msg("%.*s: %s", q.name_length, q.name, sqlite3_errmsg(db));
		assert_int_equal(sqlite3_bind_parameter_count(s), q.num_parameters);
		sqlite3_finalize(s);
	}
	assert_true(n > 10);
	sqlite3_close_v2(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_places),         cmocka_unit_test(test_versions),
	    cmocka_unit_test(test_work),           cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_largest_values), cmocka_unit_test(test_sums),
	    cmocka_unit_test(test_names),          cmocka_unit_test(test_functions),
	    cmocka_unit_test(test_named_queries),
	};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
