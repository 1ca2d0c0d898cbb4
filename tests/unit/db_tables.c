/* Table-valued functions: a condition on a column gives the same rows as SQLite would select from
 * all, but fewer rows are passed to SQLite. A + before a column hides the condition from the
 * function. */
#include "db/import/import.h"
#include "db/query/vtab.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdlib.h>
#include <string.h>

enum { TREES = 4, NODES = 100 };

static const char *datafile, *database;
static sqlite3 *db;

/* All rows as text, which the caller frees, and the number of steps of SQLite's virtual machine. */
static char *rows_of(const char *sql, const char *of, const char *hide, int *steps)
{
	char *text = sqlite3_mprintf(sql, of, hide, hide);
	sqlite3_str *out = sqlite3_str_new(NULL);
	sqlite3_stmt *s;

	sqlite3_str_appendall(out, "rows:");
	if (sqlite3_prepare_v2(db, text, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	while (sqlite3_step(s) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(s); i++)
			sqlite3_str_appendf(out, "%s|", sqlite3_column_text(s, i));
	*steps = sqlite3_stmt_status(s, SQLITE_STMTSTATUS_VM_STEP, 1);
	if (sqlite3_finalize(s) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	sqlite3_free(text);
	return sqlite3_str_finish(out);
}

/* Try a query with a table-valued function and conditions on two columns. */
static void try(const char *sql, const char *of, int times)
{
	int with, without;
	char *got = rows_of(sql, of, "", &with), *want = rows_of(sql, of, "+", &without);

	assert_non_null(want);
	assert_non_null(got);
	assert_string_equal(got, want);
	if (times)
		assert_string_not_equal(got, "rows:");
	if (with * times > without)
		fail_msg("%s: %d steps, and %d over all rows", sql, with, without);
	sqlite3_free(got);
	sqlite3_free(want);
}

static void test_datafile(void **state)
{
	static const char *const some[] = {
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree = 2 AND %sid > 90",
	    "SELECT count(*) FROM csprof_nodes(%Q) WHERE %stree > 0 AND %stree < 2",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %sid = 17 AND %ssp = 0",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %sip >= 4199000 AND %sip <= 4199100",
	    "SELECT count(*) FROM csprof_values(%Q) WHERE %smetric = 1 AND %svalue >= 650",
	};
	static const char *const all[] = {
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree > 0 AND %sid < 9 LIMIT 10 OFFSET 3",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree = '2' OR %stree = 7",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree > 1.5 AND %sid < 3.5",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree = NULL AND %sid = 1",
	    "SELECT * FROM csprof_nodes(%Q) WHERE %stree IN (3, -1, 9223372036854775807, 1) "
	    "AND %sid = 5 ORDER BY tree",
	    "SELECT * FROM csprof_trees(%Q) WHERE %snumber >= -9223372036854775807 - 1 AND %skind "
	    "= "
	    "'complete' ORDER BY number",
	    "SELECT * FROM csprof_metrics(%Q) WHERE %sname = 'MISSES' COLLATE NOCASE AND %sflags "
	    ">= 0",
	    "SELECT * FROM csprof_metrics(%Q) WHERE %sname LIKE 'mis%%' AND %snumber < '1'",
	    "SELECT * FROM csprof_metrics(%Q) WHERE %sname GLOB 'MIS*' AND %snumber IS NOT NULL",
	    "SELECT * FROM csprof_modules(%Q) WHERE %sname LIKE '%%so%%' AND %sbuild_id > ''",
	    "SELECT * FROM csprof_trees(%Q) WHERE %sthread >= 0 AND %snumber > 0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		try(some[i], datafile, 3);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		try(all[i], datafile, 0);
}

static void test_contexts(void **state)
{
	static const char *const some[] = {
	    "SELECT * FROM hpcprof_contexts(%Q) WHERE %scontext BETWEEN 30 AND 33 AND %smetric = "
	    "'MISSES'",
	    "SELECT * FROM hpcprof_contexts(%Q) WHERE %sfunction LIKE '%%+0x40103F' AND %sdepth > "
	    "0",
	    "SELECT * FROM hpcprof_contexts(%Q) WHERE %sfunction GLOB '*+0x40103f' AND %sdepth > 0",
	    "SELECT * FROM hpcprof_contexts(%Q) WHERE %sdepth > 98 AND %sinclusive_events < 50000",
	    "SELECT * FROM hpcprof_contexts(%Q) WHERE %sexclusive_events = 200 AND %smodule LIKE "
	    "'%%solver'",
	};
	const char *const of[] = {datafile, database};

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		for (int k = 0; k < 2; k++)
			try(some[i], of[k], 3);
	/* a join: it goes directly to the contexts beneath a context */
	for (int k = 0; k < 2; k++) {
		try("SELECT count(*) FROM hpcprof_contexts('%w') a JOIN "
		    "hpcprof_contexts(a.profile) b "
		    "ON %sb.context >= a.context AND %sb.context <= a.last WHERE a.context > 90",
		    of[k], 3);
		/* nothing is sorted for the first rows */
		try("SELECT context FROM hpcprof_contexts(%Q) ORDER BY %scontext%.0s LIMIT 5",
		    of[k], 5);
	}
}

static int set_up(void **state)
{
	static const struct build_metric metrics[] = {{"WAIT", 0, 1, NULL, 0},
						      {"MISSES", CSP_METRIC_ASYNC, 7, NULL, 0}};
	static struct build_node nodes[NODES];
	static char from[200], to[200];
	struct build_tree trees[TREES];
	struct build_file f = build_example;
	struct error e;

	importers_add(&db_importer);
	if (scratch_make(state) != 0)
		return -1;
	for (uint64_t i = 1; i < NODES; i++)
		nodes[i] = (struct build_node){i - 1, 0x401000 + 16 * i, 0, {i, i % 97 * 7}};
	for (uint32_t i = 0; i < TREES; i++)
		trees[i] = (struct build_tree){
		    NULL, 0, nodes, NODES, CSP_NONE, CSP_TREE_COMPLETE, CSP_NONE, 0};
	f.metrics = metrics;
	f.num_metrics = 2;
	f.trees = trees;
	f.num_trees = TREES;
	f.num_threads = f.num_account = f.num_trace = f.num_process = 0;
	datafile = strcpy(from, scratch_datafile(&f, "file.csp"));
	database = strcpy(to, scratch_path("file.db"));
	if (run_db(to, &datafile, 1, false, &e) != 0 || sqlite3_open(":memory:", &db) != SQLITE_OK)
		return -1;
	return db_add_tables(db) == SQLITE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	sqlite3_close_v2(db);
	return scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_datafile),
					   cmocka_unit_test(test_contexts)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
