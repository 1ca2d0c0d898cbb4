/* Measures how fast a database is written, compared with a plain loop that inserts as many numbers.
 *
 *     db ours PROFILE DATABASE     what hpcprof db does once the profile is read
 *     db plain ROWS DATABASE       rows of (context, metric, value), 50 per INSERT, into a table
 *     db sorted ROWS DATABASE      the same, clustered by (context, metric)
 *
 * All print numbers (stored columns of rows: keys count; columns that are NULL, computed from
 * others or in an index do not), seconds of CPU time, and bytes. `ours` also prints rows of
 * exclusive and inclusive, their bytes, and peak memory in MB. The seconds of `ours` are for
 * everything after reading: tree, sums, tables, indexes, ANALYZE. */
#include "db/import/import.h"
#include "db/write/database_file.h"
#include "db/write/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EACH = 50, COLUMNS = 3, METRICS = 5 };

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "db: %s\n", what);
	exit(1);
}

static long long bytes_of(const char *path)
{
	struct stat st;
	need(stat(path, &st) == 0, path);
	return st.st_size;
}

static int64_t number(sqlite3 *db, const char *sql)
{
	struct error e;
	int64_t n;
	need(db_number(db, &n, &e, "%s", sql) == 0, sql);
	return n;
}

/* The numbers stored in all tables: each column of each row that is not NULL. Ids count, like the
 * keys of the plain loops. pragma_table_info omits columns that are computed from others. */
static int64_t numbers_of(sqlite3 *db)
{
	sqlite3_stmt *s;
	int64_t sum = 0;

	need(sqlite3_prepare_v2(
		 db,
		 "SELECT (SELECT group_concat('count(\"' || c.name || '\")', '+') FROM "
		 "pragma_table_info(t.name) c), name FROM sqlite_schema t WHERE type = 'table' AND "
		 "name NOT LIKE 'sqlite_%'",
		 -1, &s, NULL) == SQLITE_OK,
	     "tables");
	while (sqlite3_step(s) == SQLITE_ROW) {
		char sql[1000];
		snprintf(sql, sizeof sql, "SELECT %s FROM \"%s\"", sqlite3_column_text(s, 0),
			 sqlite3_column_text(s, 1));
		sum += number(db, sql);
	}
	sqlite3_finalize(s);
	return sum;
}

static void ours(const char *profile, const char *database)
{
	const struct common o = {.profiles = &profile, .num_profiles = 1, .threads = 1};
	const struct profile_request wanted = {.common = &o};
	struct diag d = {.out = stderr, .quiet = true};
	struct database_file place;
	struct profile p;
	struct rusage usage;
	struct error e = {0};
	sqlite3 *db;
	double from, to;

	need(profile_load(&p, &wanted, &d, &e) == 0, e.text);
	from = cpu();
	need(database_file_open(&place, database, false, &e) == 0 &&
		 db_fill(place.db, &p, &o, PER_PROFILE_SMALL, &d, &e) == 0 &&
		 database_file_commit(&place, &e) == 0,
	     e.text);
	to = cpu();
	getrusage(RUSAGE_SELF, &usage);
	profile_deinit(&p);
	need(sqlite3_open(database, &db) == SQLITE_OK, database);
	printf(
	    "%lld %.3f %lld %lld %lld %ld\n", (long long)numbers_of(db), to - from,
	    bytes_of(database),
	    (long long)number(
		db, "SELECT (SELECT count(*) FROM inclusive) + (SELECT count(*) FROM exclusive)"),
	    (long long)number(
		db, "SELECT sum(pgsize) FROM dbstat WHERE name IN ('inclusive', 'exclusive')"),
	    usage.ru_maxrss / 1024);
	sqlite3_close(db);
}

static void plain(long rows, const char *database, bool sorted)
{
	char sql[1000] = "INSERT INTO v VALUES";
	sqlite3_stmt *s;
	sqlite3 *db;
	uint64_t r = 88172645463325252;
	double from;

	unlink(database);
	need(sqlite3_open(database, &db) == SQLITE_OK, database);
	sqlite3_exec(db,
		     "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		     "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -200000",
		     NULL, NULL, NULL);
	sqlite3_exec(db,
		     sorted
			 ? "CREATE TABLE v (context, metric, value, PRIMARY KEY (context, metric)) "
			   "WITHOUT ROWID"
			 : "CREATE TABLE v (context, metric, value)",
		     NULL, NULL, NULL);
	for (int i = 0; i < EACH; i++)
		strcat(sql, i ? ",(?,?,?)" : "(?,?,?)");
	from = cpu();
	sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	need(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "prepare");
	for (long i = 0; i < rows; i += EACH) {
		for (int k = 0; k < EACH; k++) {
			r ^= r << 13;
			r ^= r >> 7;
			r ^= r << 17;
			sqlite3_bind_int64(s, k * COLUMNS + 1, (i + k) / METRICS + 1);
			sqlite3_bind_int64(s, k * COLUMNS + 2, (i + k) % METRICS);
			sqlite3_bind_int64(s, k * COLUMNS + 3, (int64_t)(r % 100000));
		}
		need(sqlite3_step(s) == SQLITE_DONE, "step");
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	need(sqlite3_close(db) == SQLITE_OK, "close");
	printf("%ld %.3f %lld\n", rows * COLUMNS, cpu() - from, bytes_of(database));
}

int main(int argc, char **argv)
{
	need(argc == 4, "usage: db ours PROFILE DATABASE | db plain|sorted ROWS DATABASE");
	if (strcmp(argv[1], "ours") == 0)
		ours(argv[2], argv[3]);
	else
		plain(atol(argv[2]), argv[3], strcmp(argv[1], "sorted") == 0);
	return 0;
}
