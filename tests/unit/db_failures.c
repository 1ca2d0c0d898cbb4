/* Databases with failing operations: each open, read, write, truncation, sync and rename, with no
 * space and with a disk error, and each allocation of SQLite and of our own. The file that was at
 * the place is unchanged, or still missing; there are no other files; and the error names the place
 * and suggests what to do. */
#include "db/base/database.h"
#include "db/import/import.h"
#include "db/query/functions.h"
#include "db/query/vtab.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char from[64], target[64];
static const char *place; /* files that are written begin with it */

static size_t count_files(void)
{
	DIR *d = opendir(scratch_folder());
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* ---- a failing disk --------------------------------------------------------------------- */

static long left = -1; /* operations until one fails; < 0: none fails */
static int failure;    /* an errno */

static bool fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	errno = failure;
	return true;
}

/* Whether an open file counts: those at the target and in the folder of tables. */
enum { MOST_FILES = 256 };
static bool counted[MOST_FILES];

static bool fails_at(int fd)
{
	return fd >= 0 && fd < MOST_FILES && counted[fd] && fails();
}

/* Functions that database_file.c, atomic_file.c and regular_file.c call. --wrap changes open to
 * __wrap_open, and so on. */
int __real_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_write(int fd, const void *at, size_t n);
int __real_fsync(int fd);
int __real_rename(const char *a, const char *b);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_write(int fd, const void *at, size_t n);
int __wrap_fsync(int fd);
int __wrap_rename(const char *a, const char *b);

/* Not for datafiles that are read. */
static bool is_counted(const char *path)
{
	return strncmp(path, place, strlen(place)) == 0;
}

static int count_opened(int fd, bool counts)
{
	if (fd >= 0 && fd < MOST_FILES)
		counted[fd] = counts;
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;
	bool counts = is_counted(path);

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return count_opened(counts && fails() ? -1 : __real_open(path, flags, mode), counts);
}
/* Only regular_file.c calls it: without a mode. */
int __wrap_openat(int folder, const char *path, int flags, ...)
{
	bool counts = is_counted(path);

	return count_opened(counts && fails() ? -1 : __real_openat(folder, path, flags), counts);
}
ssize_t __wrap_read(int fd, void *to, size_t n)
{
	return fails_at(fd) ? -1 : __real_read(fd, to, n);
}
ssize_t __wrap_write(int fd, const void *at, size_t n)
{
	return fails_at(fd) ? -1 : __real_write(fd, at, n);
}
int __wrap_fsync(int fd)
{
	return fails_at(fd) ? -1 : __real_fsync(fd);
}
int __wrap_rename(const char *a, const char *b)
{
	return fails() ? -1 : __real_rename(a, b);
}

/* A failing file, which uses one of the real file system. */
struct faulty_file {
	sqlite3_file base;
	sqlite3_file *real;
};
static sqlite3_vfs faulty;
static sqlite3_vfs *real;
static sqlite3_io_methods methods;

/* SQLite's code for the failure. */
static int failed(int otherwise)
{
	return failure == ENOSPC ? SQLITE_FULL : otherwise;
}
static sqlite3_file *behind(sqlite3_file *f)
{
	return ((struct faulty_file *)f)->real;
}
static int f_close(sqlite3_file *f)
{
	int rc = behind(f)->pMethods ? behind(f)->pMethods->xClose(behind(f)) : SQLITE_OK;
	sqlite3_free(behind(f));
	return rc;
}
static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	return fails() ? SQLITE_IOERR_READ : behind(f)->pMethods->xRead(behind(f), to, n, at);
}
static int f_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
	return fails() ? failed(SQLITE_IOERR_WRITE)
		       : behind(f)->pMethods->xWrite(behind(f), bytes, n, at);
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	return fails() ? SQLITE_IOERR_TRUNCATE : behind(f)->pMethods->xTruncate(behind(f), n);
}
static int f_sync(sqlite3_file *f, int flags)
{
	return fails() ? SQLITE_IOERR_FSYNC : behind(f)->pMethods->xSync(behind(f), flags);
}
static int f_size(sqlite3_file *f, sqlite3_int64 *n)
{
	return fails() ? SQLITE_IOERR_FSTAT : behind(f)->pMethods->xFileSize(behind(f), n);
}
static int f_lock(sqlite3_file *f, int how)
{
	return fails() ? SQLITE_IOERR_LOCK : behind(f)->pMethods->xLock(behind(f), how);
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
	f->pMethods = NULL;
	if (fails())
		return SQLITE_CANTOPEN;
	file->real = sqlite3_malloc(real->szOsFile);
	if (!file->real)
		return SQLITE_NOMEM;
	memset(file->real, 0, (size_t)real->szOsFile);
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

/* The target is unchanged, and no other files were left. */
static void expect_untouched(const char *before, size_t n, size_t files, const char *what, long k)
{
	size_t m;
	char *after = read_file(target, &m);

	if (!before != !after || (before && (n != m || memcmp(before, after, n) != 0)))
		fail_msg("%s %ld: the file is another", what, k);
	if (count_files() != files)
		fail_msg("%s %ld: something was left behind", what, k);
	free(after);
}

static void expect_told(const struct error *e, const char *what, long k)
{
	if (!strstr(e->text, target) || !strchr(e->text, '('))
		fail_msg("%s %ld: '%s'", what, k, e->text);
}

/* Run hpcprof db with each operation failing in turn, until it succeeds. */
static void fail_each(bool append)
{
	const char *profile = from;
	size_t n, files = count_files();
	char *before = read_file(target, &n);
	struct error e;
	long k = 0;

	for (;; k++) {
		left = k;
		if (run_db(target, &profile, 1, append, &e) == 0)
			break;
		left = -1;
		expect_told(&e, "operation", k);
		expect_untouched(before, n, files, "operation", k);
	}
	left = -1;
	if (k <= 10)
		fail_msg("only %ld operations", k);
	free(before);
}

static void expect_rows(const char *sql, const char *want)
{
	const char *const words[] = {sql, target};
	struct error e;
	char *got = run_query(words, 2, &e);

	if (!got) {
		fail_msg("%s", e.text);
		return;
	}
	assert_string_equal(strchr(got, '\n') + 1, want);
	free(got);
}

static void test_failing_disk(void **state)
{
	static const int failures[] = {ENOSPC, EIO};

	(void)state;
	install_faulty();
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		failure = failures[i];
		unlink(target);
		fail_each(false); /* a new one */
		fail_each(false); /* replaces another */
		fail_each(true);
		expect_rows("SELECT count(*) FROM measurement", "2\n");
		expect_rows("PRAGMA integrity_check", "ok\n");
	}
	sqlite3_vfs_unregister(&faulty);
}

static void test_failing_csv(void **state)
{
	char tables[80], temporary[100];
	const char *const words[] = {"--csv", tables, from};
	struct error e;
	long k = 0;

	(void)state;
	strcpy(tables, scratch_path("tables"));
	snprintf(temporary, sizeof temporary, "%s/tables.db", tables);
	install_faulty();
	failure = ENOSPC;
	place = tables;
	for (;; k++) {
		left = k;
		if (run_view("db", words, 3, stdout, &e) == 0)
			break;
		left = -1;
		if (!strstr(e.text, tables) || !strchr(e.text, '('))
			fail_msg("operation %ld: '%s'", k, e.text);
	}
	left = -1;
	assert_true(k > 10);
	assert_int_not_equal(access(temporary, F_OK), 0);
	place = target;
	sqlite3_vfs_unregister(&faulty);
}

/* ---- failing allocations --------------------------------------------------------------------- */

static sqlite3_mem_methods memory;
static unsigned long asked, fail_at;

static bool refused(void)
{
	return ++asked == fail_at;
}
static void *m_malloc(int n)
{
	return refused() ? NULL : memory.xMalloc(n);
}
static void *m_realloc(void *p, int n)
{
	return refused() ? NULL : memory.xRealloc(p, n);
}

/* Call it before any use of SQLite. */
static void install_memory(void)
{
	sqlite3_mem_methods mine;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory), SQLITE_OK);
	mine = memory;
	mine.xMalloc = m_malloc;
	mine.xRealloc = m_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
}

struct run {
	const char *name;
	int (*once)(struct error *e);
	bool writes;
};

static int write_new(struct error *e)
{
	const char *profile = from;
	return run_db(target, &profile, 1, false, e);
}
static int append_to(struct error *e)
{
	const char *profile = from;
	return run_db(target, &profile, 1, true, e);
}
static int show_text(struct error *e)
{
	const char *profile = target;
	FILE *out = fopen("/dev/null", "w");
	int rc;

	assert_non_null(out);
	rc = run_view("text --all", &profile, 1, out, e);
	fclose(out);
	return rc;
}
static int show_statistics(struct error *e)
{
	const char *profile = target;
	FILE *out = fopen("/dev/null", "w");
	int rc;

	assert_non_null(out);
	rc = run_view("text --all --stats --by thread", &profile, 1, out, e);
	fclose(out);
	return rc;
}
static int ask(struct error *e, const char *sql)
{
	const char *const words[] = {sql, target};
	char *text = run_query(words, 2, e);

	free(text);
	return text ? 0 : -1;
}
static int ask_name(struct error *e)
{
	return ask(e, "paths");
}
static int ask_datafile(struct error *e)
{
	char sql[300];

	snprintf(sql, sizeof sql,
		 "SELECT count(*), max(path_text(context)) FROM csprof_nodes('%s') n JOIN "
		 "hpcprof_contexts('%s') c ON c.context = n.id",
		 from, from);
	return ask(e, sql);
}

static const struct run runs[] = {
    {"a new database", write_new, true},
    {"a measurement more", append_to, true},
    {"text of a database", show_text, false},
    {"statistics of a database", show_statistics, false},
    {"a query", ask_name, false},
    {"a query of datafiles", ask_datafile, false},
};

static void put_back(const char *bytes, size_t n)
{
	FILE *out = fopen(target, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static const char all_rows[] = "SELECT (SELECT count(*) || ' ' || sum(id + last) FROM context), "
			       "(SELECT count(*) FROM function), "
			       "(SELECT count(*) || ' ' || sum(events * context) FROM inclusive), "
			       "(SELECT sum(inclusive_events) FROM call_value), "
			       "(SELECT count(*) || ' ' || sum(events * context) FROM "
			       "profile_value), (SELECT count(*) FROM sqlite_schema)";

/* A failed allocation is an error and changes nothing. SQLite can do without some allocations,
 * which only make it faster: then the rows are the same, but possibly in other places. */
static void try_run(const struct run *r, const char *whose, unsigned long k, const char *before,
		    size_t n, const char *rows)
{
	size_t files = count_files();
	struct error e;
	int rc = r->once(&e);
	long live = failing_alloc_live();

	fail_at = 0;
	failing_alloc_start(0);
	/* negative if we free what the C library has allocated */
	if (live > 0 || sqlite3_memory_used())
		fail_msg("%s: allocation %lu of %s failed, and %ld of ours and %lld bytes of "
			 "SQLite's are not freed",
			 r->name, k, whose, live, (long long)sqlite3_memory_used());
	if (rc == 0 && r->writes) {
		expect_rows("PRAGMA integrity_check", "ok\n");
		expect_rows(all_rows, rows);
		put_back(before, n);
	} else {
		expect_untouched(before, n, files, r->name, (long)k);
	}
	if (rc != 0 && !e.text[0])
		fail_msg("%s: allocation %lu of %s failed without a word", r->name, k, whose);
}

/* Of SQLite's allocations, of which there are thousands. */
static unsigned long step(unsigned long k)
{
	return k + 1 + k / 5; /* each of the first five, then with growing steps */
}

static void fail_memory(const struct run *r)
{
	size_t n, after_n;
	char *before = read_file(target, &n), *after, *all, *rows;
	const char *const count[] = {all_rows, target};
	unsigned long ours, theirs;
	struct error e;

	fail_at = asked = 0;
	failing_alloc_start(0);
	assert_int_equal(r->once(&e), 0);
	ours = failing_alloc_count();
	theirs = asked;
	assert_true(theirs > 1000);
	after = read_file(target, &after_n);
	all = run_query(count, 2, &e);
	if (!all) {
		fail_msg("%s", e.text);
		return;
	}
	rows = strchr(all, '\n') + 1;
	if (r->writes) {
		put_back(before, n);
	}
	for (unsigned long k = 1; k <= ours; k += 1 + k / 20) {
		failing_alloc_start(k);
		try_run(r, "ours", k, before, n, rows);
	}
	for (unsigned long k = 1; k <= theirs; k = step(k)) {
		asked = 0;
		fail_at = k;
		try_run(r, "SQLite's", k, before, n, rows);
	}
	if (r->writes) {
		put_back(after, after_n);
	}
	free(before);
	free(after);
	free(all);
}

static void test_failing_memory(void **state)
{
	struct error e;

	(void)state;
	assert_int_equal(write_new(&e), 0);
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		fail_memory(&runs[i]);
}

static int set_up(void **state)
{
	install_memory();
	if (scratch_make(state) != 0)
		return -1;
	strcpy(from, scratch_datafile(&build_example, "good.csp"));
	strcpy(target, scratch_path("out.db"));
	place = target;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing_disk),
					   cmocka_unit_test(test_failing_csv),
					   cmocka_unit_test(test_failing_memory)};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
