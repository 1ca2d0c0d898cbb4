/* Databases: what a failing disk leaves behind, names and numbers at their limits, questions
 * about ranks with answers worked out by hand, and queries that would write. */
#include "db/db.h"
#include "db/functions.h"
#include "db/open.h"
#include "db/place.h"
#include "db/shipped.h"
#include "db/write.h"
#include "tests/lib/build_datafile.h"
#include "tests/lib/cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hpctest-db.XXXXXX";
static FILE *nowhere;

static char *path_of(const char *name)
{
	static char paths[8][200];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static void write_datafile(const struct build_file *f, const char *name)
{
	struct built b;

	build(f, &b);
	built_write(&b, path_of(name));
	built_free(&b);
}

/* What hpcprof db -o TO FROM does: its result, and *e. */
static int run_db(const char *to, const char *const *from, size_t n, bool append, struct error *e)
{
	struct options o = {.view = &db_view,
			    .profiles = from,
			    .num_profiles = n,
			    .threads = 1,
			    .output = to,
			    .append = append};
	struct diag d = {.out = nowhere, .quiet = true};

	*e = (struct error){0};
	return db_view.run(nowhere, &o, &d, e);
}

static char *read_all(const char *path, size_t *n)
{
	FILE *in = fopen(path, "rb");
	struct stat st;
	char *bytes;

	if (!in)
		return NULL;
	assert_int_equal(fstat(fileno(in), &st), 0);
	bytes = malloc((size_t)st.st_size + 1);
	*n = fread(bytes, 1, (size_t)st.st_size, in);
	fclose(in);
	return bytes;
}

static size_t count_files(void)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* The first column of the first row, as text to be freed. */
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
	sqlite3 *db;
	struct error e;
	char *got;

	assert_int_equal(database_open(path, &db, &e), 0);
	assert_int_equal(db_add_functions(db), SQLITE_OK);
	got = answer(db, sql);
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
	sqlite3_close_v2(db);
}

/* ---- a disk that fails ------------------------------------------------------------------ */

/* A file of the real file system behind one that fails at its Nth write. */
struct faulty_file {
	sqlite3_file base;
	sqlite3_file *real;
};
static sqlite3_vfs faulty;
static sqlite3_vfs *real;
static sqlite3_io_methods methods;
static int writes_left, failure; /* writes_left < 0: none fails */

static sqlite3_file *behind(sqlite3_file *f)
{
	return ((struct faulty_file *)f)->real;
}
static int f_close(sqlite3_file *f)
{
	int rc = behind(f)->pMethods ? behind(f)->pMethods->xClose(behind(f)) : SQLITE_OK;
	free(behind(f));
	return rc;
}
static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	return behind(f)->pMethods->xRead(behind(f), to, n, at);
}
static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
	if (writes_left == 0)
		return failure;
	writes_left -= writes_left > 0;
	return behind(f)->pMethods->xWrite(behind(f), from, n, at);
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	return behind(f)->pMethods->xTruncate(behind(f), n);
}
static int f_sync(sqlite3_file *f, int flags)
{
	return behind(f)->pMethods->xSync(behind(f), flags);
}
static int f_size(sqlite3_file *f, sqlite3_int64 *n)
{
	return behind(f)->pMethods->xFileSize(behind(f), n);
}
static int f_lock(sqlite3_file *f, int how)
{
	return behind(f)->pMethods->xLock(behind(f), how);
}
static int f_unlock(sqlite3_file *f, int how)
{
	return behind(f)->pMethods->xUnlock(behind(f), how);
}
static int f_reserved(sqlite3_file *f, int *out)
{
	return behind(f)->pMethods->xCheckReservedLock(behind(f), out);
}
static int f_control(sqlite3_file *f, int what, void *how)
{
	return behind(f)->pMethods->xFileControl(behind(f), what, how);
}
static int f_sector(sqlite3_file *f)
{
	return behind(f)->pMethods->xSectorSize(behind(f));
}
static int f_device(sqlite3_file *f)
{
	return behind(f)->pMethods->xDeviceCharacteristics(behind(f));
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	struct faulty_file *file = (struct faulty_file *)f;
	int rc;

	(void)vfs;
	file->real = calloc(1, (size_t)real->szOsFile);
	rc = real->xOpen(real, name, file->real, flags, out);
	f->pMethods = &methods;
	return rc;
}

static void install_faulty(void)
{
	real = sqlite3_vfs_find(NULL);
	faulty = *real;
	faulty.zName = "faulty";
	faulty.szOsFile = sizeof(struct faulty_file);
	faulty.xOpen = faulty_open;
	methods = (sqlite3_io_methods){.iVersion = 1,
				       .xClose = f_close,
				       .xRead = f_read,
				       .xWrite = f_write,
				       .xTruncate = f_truncate,
				       .xSync = f_sync,
				       .xFileSize = f_size,
				       .xLock = f_lock,
				       .xUnlock = f_unlock,
				       .xCheckReservedLock = f_reserved,
				       .xFileControl = f_control,
				       .xSectorSize = f_sector,
				       .xDeviceCharacteristics = f_device};
	assert_int_equal(sqlite3_vfs_register(&faulty, 1), SQLITE_OK);
}

/* Every write of a new database fails once, and every write of one that takes another's place. */
static void test_failing_writes(void **state)
{
	static const int failures[] = {SQLITE_FULL, SQLITE_IOERR_WRITE};
	const char *from = path_of("good.csp"), *to = path_of("out.db");
	size_t files, n = 0, m = 0;
	struct error e;
	char *before, *after;
	int tried;

	(void)state;
	write_datafile(&build_example, "good.csp");
	install_faulty();
	for (int again = 0; again < 2; again++)
		for (size_t k = 0; k < 2; k++) {
			failure = failures[k];
			files = count_files();
			before = read_all(to, &n);
			assert_int_equal(before != NULL, again);
			for (tried = 0;; tried++) {
				writes_left = tried;
				if (run_db(to, &from, 1, again, &e) == 0)
					break;
				assert_int_not_equal(e.text[0], 0);
				assert_int_equal(count_files(), files);
				after = read_all(to, &m);
				assert_int_equal(after != NULL, again);
				if (again) {
					assert_int_equal(n, m);
					assert_memory_equal(before, after, n);
				}
				free(after);
			}
			assert_true(tried > 10);
			free(before);
			writes_left = -1;
			if (!again && k == 0)
				unlink(to);
		}
	expect(to, "SELECT count(*) FROM measurement", "3");
	expect(to, "PRAGMA integrity_check", "ok");
	sqlite3_vfs_unregister(&faulty);
	unlink(to);
}

static void test_places(void **state)
{
	const char *from = path_of("good.csp");
	struct error e;

	(void)state;
	write_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(path_of("none/out.db"), &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "cannot be written"));
	assert_int_equal(run_db(folder, &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "not a regular file"));
	/* what is no profile database is not appended to */
	assert_int_equal(run_db(path_of("good.csp"), &from, 1, true, &e), -1);
	assert_int_equal(run_db(NULL, &from, 1, false, &e), -1);
	assert_int_equal(e.kind, ERROR_USAGE);
}

static void test_versions(void **state)
{
	const char *from = path_of("good.csp"), *to = path_of("version.db");
	struct error e;
	sqlite3 *db;

	(void)state;
	write_datafile(&build_example, "good.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	assert_int_equal(sqlite3_open(to, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(run_db(to, &from, 1, true, &e), -1);
	assert_non_null(strstr(e.text, "version 99"));
	assert_int_equal(database_open(to, &db, &e), -1);
	assert_non_null(strstr(e.text, "a newer hpcprof wrote it"));
	sqlite3_close_v2(db);
	unlink(to);
	assert_int_equal(sqlite3_open(to, &db), SQLITE_OK);
	sqlite3_exec(db, "CREATE TABLE t (x)", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(database_open(to, &db, &e), -1);
	assert_non_null(strstr(e.text, "not a profile database"));
	sqlite3_close_v2(db);
	unlink(to);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void test_largest_values(void **state)
{
	struct build_metric metric = {"BIG", CSP_METRIC_ASYNC, 1, NULL, 0};
	struct build_node nodes[] = {{0, 0, 0, {0}}, {0, 0x401112, 0, {INT64_MAX}}};
	struct build_tree tree = {NULL, 0, nodes, 2, 0, CSP_TREE_COMPLETE, CSP_NONE, 0};
	struct build_file f = build_example;
	const char *from = path_of("big.csp"), *to = path_of("big.db");
	struct error e;

	(void)state;
	f.metrics = &metric;
	f.num_metrics = 1;
	f.trees = &tree;
	f.num_trees = 1;
	f.num_account = f.num_trace = 0;
	f.no_trailer = true;
	write_datafile(&f, "big.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	expect(to, "SELECT events FROM metric", "9223372036854775807");
	expect(to, "SELECT events FROM inclusive WHERE context = 1", "9223372036854775807");
	unlink(to);
	nodes[1].metrics[0] = (uint64_t)INT64_MAX + 1;
	write_datafile(&f, "big.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), -1);
	assert_non_null(strstr(e.text, "9223372036854775808"));
	assert_int_not_equal(access(to, F_OK), 0);
}

static void test_names(void **state)
{
	static const struct build_pair odd[] = {
	    {"command", "it's \"odd\" \xff\xfe \\x41 '); DROP TABLE line; --", 0},
	    {"host", "\xc3\xbc", 0}};
	struct build_file f = build_example;
	const char *from = path_of("odd'\"\xff.csp"), *to = path_of("odd.db"),
		   *again = path_of("again.db");
	struct error e;

	(void)state;
	f.process = odd;
	f.num_process = 2;
	write_datafile(&f, "odd'\"\xff.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	expect(to, "SELECT command FROM process",
	       "it's \"odd\" \\xff\\xfe \\\\x41 '); DROP TABLE line; --");
	expect(to, "SELECT host FROM process", "\xc3\xbc");
	expect(to, "SELECT count(*) FROM line", "3");
	expect(to, "SELECT count(*) FROM module WHERE base LIKE '%\xc3\xbc%'", "1");
	/* and back, byte by byte */
	assert_int_equal(run_db(again, (const char *const *)&to, 1, false, &e), 0);
	expect(again, "SELECT command FROM process",
	       "it's \"odd\" \\xff\\xfe \\\\x41 '); DROP TABLE line; --");
	unlink(to);
	unlink(again);
}

/* ---- questions ------------------------------------------------------------------------------ */

/* Three ranks that wait 10, 70 and 20 in two functions: each its own half and half, but rank 1
 * 60 of its 70 in the second. */
static void test_ranks(void **state)
{
	static const uint64_t waits[3][2] = {{5, 5}, {10, 60}, {10, 10}};
	struct build_metric metric = {"WAIT", 0, 1, NULL, 0};
	const char *from[3], *to = path_of("ranks.db");
	struct error e;

	(void)state;
	for (int rank = 0; rank < 3; rank++) {
		char number[8], name[20];
		struct build_pair process[] = {{"command", "mpi", 0},
					       {"host", "node", 0},
					       {"pid", number, 0},
					       {"rank", number, 0},
					       {"ranks", "3", 0}};
		struct build_node nodes[] = {{0, 0, 0, {0}},
					     {0, 0x401112, 0, {0}},
					     {1, 0x401200, 0, {waits[rank][0]}},
					     {1, 0x401300, 0, {waits[rank][1]}}};
		struct build_tree tree = {NULL,     0, nodes, 4, CSP_NONE, CSP_TREE_COMPLETE,
					  CSP_NONE, 0};
		struct build_file f = build_example;
		snprintf(number, sizeof number, "%d", rank);
		snprintf(name, sizeof name, "rank%d.csp", rank);
		f.metrics = &metric;
		f.num_metrics = 1;
		f.trees = &tree;
		f.num_trees = 1;
		f.process = process;
		f.num_process = 5;
		f.num_threads = f.num_account = f.num_trace = 0;
		write_datafile(&f, name);
		from[rank] = path_of(name);
	}
	assert_int_equal(run_db(to, from, 3, false, &e), 0);
	expect(to,
	       "SELECT p.rank FROM process_value v JOIN process p ON p.id = v.process ORDER BY "
	       "v.events DESC LIMIT 1",
	       "1");
	expect(to, "SELECT group_concat(v.events, ' ') FROM process_value v ORDER BY v.process",
	       "10 70 20");
	/* where: the function at 0x4012ff, in which it is 60 */
	expect(
	    to,
	    "SELECT v.events || ' ' || s.most || ' ' || s.sum FROM statistics s JOIN "
	    "profile_function v "
	    "ON v.function = s.function_id AND v.profile = s.most_in ORDER BY s.most DESC LIMIT 1",
	    "60 60 75");
	expect(to,
	       "SELECT q.thread IS NULL AND p.rank = 1 FROM statistics s JOIN profile q ON q.id = "
	       "s.most_in "
	       "JOIN process p ON p.id = q.process ORDER BY s.most DESC LIMIT 1",
	       "1");
	expect(to, "SELECT gain FROM imbalance ORDER BY gain DESC LIMIT 1", "35.0");
	expect(to, "SELECT sum(events) FROM profile_value", "100");
	expect(
	    to,
	    "SELECT events FROM inclusive WHERE context = (SELECT first_context FROM measurement)",
	    "100");
	unlink(to);
}

static void test_functions(void **state)
{
	sqlite3 *db;
	static const char *const cases[][2] = {
	    {"SELECT demangle('_ZN3foo3barEi')", "foo::bar(int)"},
	    {"SELECT demangle('main')", "main"},
	    {"SELECT demangle(NULL)", "NULL"},
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

static void test_shipped(void **state)
{
	const char *at = db_queries_sql;
	struct shipped q;
	sqlite3 *db;
	struct error e;
	int n = 0;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(db_add_functions(db), SQLITE_OK);
	assert_int_equal(db_create(db, &e), 0);
	assert_int_equal(db_finish(db, &e), 0);
	for (; shipped_next(&at, &q); n++) {
		sqlite3_stmt *s = NULL;
		if (sqlite3_prepare_v2(db, q.sql, q.sql_length, &s, NULL) != SQLITE_OK)
			fail_msg("%.*s: %s", q.name_length, q.name, sqlite3_errmsg(db));
		assert_int_equal(sqlite3_bind_parameter_count(s), q.num_parameters);
		sqlite3_finalize(s);
	}
	assert_true(n > 10);
	sqlite3_close_v2(db);
}

static int set_up(void **state)
{
	(void)state;
	nowhere = fopen("/dev/null", "w");
	return nowhere && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	fclose(nowhere);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_failing_writes), cmocka_unit_test(test_places),
	    cmocka_unit_test(test_versions),       cmocka_unit_test(test_largest_values),
	    cmocka_unit_test(test_names),          cmocka_unit_test(test_ranks),
	    cmocka_unit_test(test_functions),      cmocka_unit_test(test_shipped),
	};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
