/* The time and memory that reading a database takes grow with its bytes, also if its tables are in
 * a relation that hpcprof db would not write: a long name in all rows, many metrics and contexts, a
 * deep path below many labels. */
#include "db/import/import.h"
#include "db/write/write.h"
#include "hpcprof/load/importers.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQL with the number of rows as its parameter. row: the bytes of all tables for each. */
struct family {
	const char *name, *line;
	size_t row;
	const char *sql;
};

struct made_database {
	const struct family *f;
	char path[256];
};

/* In a process of growth.h, a failed assertion would go on with the tests. */
static void must(sqlite3 *db, bool ok)
{
	if (!ok) {
		fprintf(stderr, "%s\n", sqlite3_errmsg(db));
		abort();
	}
}

/* What all have: a measurement of a process, with a function and the roots. */
static const char base[] =
    "INSERT INTO measurement VALUES (1, 'm', NULL, NULL, 't', 1, 2, 2);"
    "INSERT INTO process (id, measurement, path, threads, marks_lost, uncounted, tramp_samples, "
    "has_ended, has_trailer, outside_ns, process_ns, waited_ns, estimated, flat, imported) "
    "VALUES (0, 1, 'p', 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);"
    "INSERT INTO metric VALUES (0, 1, 'CPU', 'ns', 3, 1, 1000000000, 1000, 0, 0, NULL, '', '', '', "
    "0, 0, 0, '', 0, 0, 0);"
    "INSERT INTO module VALUES (1, 1, '/m', 'm', NULL, 0, 'none', 0, NULL);"
    "INSERT INTO file VALUES (1, 1, 'a.c', NULL, NULL);"
    "INSERT INTO function VALUES (1, 1, 'main', NULL, 1, 1, 16, 'none', 0, 1, 0, NULL);"
    "INSERT INTO line VALUES (1, 1, 1, 1);"
    "INSERT INTO context (id, depth, hash, up, beneath) VALUES (1, 0, 0, NULL, 0), "
    "(2, 0, 0, NULL, 0);";

#define ROWS "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?1) "
#define DEEP                                                                                       \
	ROWS "INSERT INTO context (id, depth, function, line, hash, beneath, up) "                 \
	     "SELECT 2 + i, i, 1, 1, i, ?1 - i, 1 FROM c;"
#define WIDE                                                                                       \
	ROWS "INSERT INTO context (id, depth, function, line, hash, beneath, up) "                 \
	     "SELECT 2 + i, 1, 1, i, i, 0, i FROM c;"
#define LINES ROWS "INSERT OR REPLACE INTO line SELECT i, 1, i, 1 FROM c;"
#define VALUES ROWS "INSERT INTO exclusive SELECT 0, 2 + i, 1000000, 1 FROM c;"
/* The partial root is 2, and has all contexts beneath it. */
#define PARTIAL "UPDATE context SET beneath = (SELECT max(id) - 2 FROM context) WHERE id = 2;"

static const struct family families[] = {
    {"deep", "text", 40, DEEP VALUES PARTIAL},
    {"wide", "text", 50, LINES WIDE VALUES PARTIAL},
    {"a long file name", "text", 60,
     "UPDATE file SET name = hex(zeroblob(?1 * 10));" LINES WIDE VALUES PARTIAL},
    {"a long function name", "text", 60,
     "UPDATE function SET name = hex(zeroblob(?1 * 10));" LINES WIDE VALUES PARTIAL},
    {"long function names", "text", 100,
     "INSERT INTO function SELECT 2, 1, 'f' || hex(zeroblob(?1 * 10)), NULL, 1, 1, 1, 'none', 0, "
     "1, 0, NULL;"
     "INSERT INTO function SELECT 3, 1, 'f' || hex(zeroblob(?1 * 10)) || 'b', NULL, 1, 1, 2, "
     "'none', 0, 1, 0, NULL;" LINES ROWS
     "INSERT INTO context (id, depth, function, line, hash, beneath, up) "
     "SELECT 2 + i, 1, 2 + i % 2, 1 + i / 2, i, 0, i FROM c;" VALUES PARTIAL},
    {"functions", "text", 60,
     ROWS "INSERT OR REPLACE INTO function SELECT i, 1, 'f' || i, NULL, 1, 1, i, 'none', 0, 1, i, "
	  "NULL FROM c;" ROWS "INSERT INTO context (id, depth, function, line, hash, beneath, up) "
	  "SELECT 2 + i, 1, i, 1, i, 0, i FROM c;" VALUES PARTIAL},
    {"modules", "text", 40,
     ROWS "INSERT OR REPLACE INTO module SELECT i, 1, '/m' || i, 'm' || i, i, 0, 'none', 0, NULL "
	  "FROM c;"},
    {"metrics", "text", 60,
     ROWS "INSERT INTO metric SELECT i, 1, 'M' || i, 'ns', 3, 1, 1, 1, 0, 0, NULL, '', '', '', 0, "
	  "0, 0, '', 0, 0, 0 FROM c;"},
    {"metrics of one name", "text", 70,
     ROWS "INSERT INTO metric SELECT i, 1, 'M', 'ns', 3, 1, 1, 1, 0, 0, NULL, 's' || i || ', t' || "
	  "(?1 - i), '', '', 0, 0, 0, '', 0, 0, 0 FROM c;"},
    {"metrics and contexts", "text", 120,
     ROWS "INSERT INTO metric SELECT i, 1, 'M' || i, 'ns', 3, 1, 1, 1, 0, 0, NULL, '', '', '', 0, "
	  "0, 0, '', 0, 0, 0 FROM c;" WIDE PARTIAL LINES ROWS
	  "INSERT INTO exclusive SELECT i, 2 + i, 1000000, 1 FROM c;"},
    {"sources", "text", 8,
     "UPDATE metric SET sources = (" ROWS "SELECT group_concat('s' || (?1 - i), ', ') FROM c);"},
    {"account", "text", 20,
     "UPDATE metric SET has_account = 1;" ROWS
     "INSERT INTO account SELECT 0, i, 'because ' || i, 1, 1 FROM c;"},
    {"processes", "text", 80,
     ROWS "INSERT INTO process (id, measurement, path, threads, marks_lost, uncounted, "
	  "tramp_samples, has_ended, has_trailer, outside_ns, process_ns, waited_ns, estimated, "
	  "flat, imported) SELECT i, 1, 'p' || i, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 FROM c;" ROWS
	  "INSERT INTO process_value SELECT 0, i, 1, 1 FROM c;"},
    {"thread groups", "text", 60,
     ROWS "INSERT INTO thread_group SELECT i, 1, 'created', printf('%c%c%c%c', 97 + i % 26, 97 + i "
	  "/ 26 % 26, 97 + i / 676 % 26, 97 + i / 17576), 'a' || i, 'b' || i, 'f' || i, 1 FROM "
	  "c;" ROWS "INSERT INTO thread_group_value SELECT 0, i, 1, 1 FROM c;"},
    {"values of instructions", "text", 60,
     ROWS "INSERT INTO instruction_value SELECT i, 1, 1, i, 1, 1, 'x', 1, 8, 2, 0, 0, 0 FROM "
	  "c;" ROWS "INSERT INTO frequent_value SELECT i, 0, i, NULL, 1, 1 FROM c;"},
    {"a long label", "text --group-by k", 70,
     "INSERT INTO label VALUES (1, 1, 'k', hex(zeroblob(?1 * 10)), NULL);" LINES WIDE VALUES PARTIAL
	 ROWS "INSERT INTO label_set SELECT i, 1 FROM c;" ROWS
     "INSERT INTO label_value SELECT 0, i, 2 + i, 1000000, 1 FROM c;"},
    {"labels", "text --group-by k", 90,
     ROWS "INSERT INTO label SELECT i, 1, 'k', i, i FROM c;" LINES WIDE VALUES PARTIAL ROWS
	  "INSERT INTO label_set SELECT i, i FROM c;" ROWS
	  "INSERT INTO label_value SELECT 0, i, 2 + i, 1000000, 1 FROM c;"},
    {"a deep path below each label", "text --group-by k", 70,
     ROWS "INSERT INTO label SELECT i, 1, 'k', i, i FROM c;" DEEP PARTIAL
	  "INSERT INTO exclusive SELECT 0, 2 + ?1, 1000000 * ?1, ?1;" ROWS
	  "INSERT INTO label_set SELECT i, i FROM c;" ROWS
	  "INSERT INTO label_value SELECT 0, i, 2 + ?1, 1000000, 1 FROM c;"},
    {"threads", "text --stats --by thread", 400,
     LINES WIDE VALUES PARTIAL ROWS
     "INSERT INTO profile (id, measurement, path, thread) SELECT i, 1, 'p', i FROM c;" ROWS
     "INSERT INTO profile_value SELECT i, 0, 2 + i, 1000000, 1 FROM c;"},
};

static void run_each(sqlite3 *db, const char *sql, size_t n)
{
	for (sqlite3_stmt *s; *sql; sqlite3_finalize(s)) {
		must(db, sqlite3_prepare_v2(db, sql, -1, &s, &sql) == SQLITE_OK);
		if (sqlite3_bind_parameter_count(s))
			must(db, sqlite3_bind_int64(s, 1, (sqlite3_int64)n) == SQLITE_OK);
		must(db, sqlite3_step(s) == SQLITE_DONE);
	}
}

/* The bytes without those of empty tables, which SQLite does not read. */
static size_t prepare(void *context, size_t bytes)
{
	struct made_database *made = context;
	const struct family *f = made->f;
	struct stat empty, st;
	struct error e;
	char name[100];
	sqlite3 *db;

	snprintf(name, sizeof name, "%s-%zu.db", f->name, bytes);
	snprintf(made->path, sizeof made->path, "%s", scratch_path(name));
	unlink(made->path); /* of an earlier round */
	must(NULL, sqlite3_open(made->path, &db) == SQLITE_OK);
	run_each(db, "PRAGMA page_size = 512; PRAGMA synchronous = OFF", 0);
	must(db, db_create(db, &e) == 0 && stat(made->path, &empty) == 0);
	run_each(db, "BEGIN", 0);
	run_each(db, base, 0);
	run_each(db, f->sql, bytes / f->row);
	run_each(db, "COMMIT", 0);
	sqlite3_close(db);
	must(NULL, stat(made->path, &st) == 0);
	return st.st_size - empty.st_size > (off_t)bytes ? (size_t)(st.st_size - empty.st_size)
							 : bytes;
}

/* What has too much for its bytes is refused. */
static void run(void *context)
{
	struct made_database *made = context;
	const char *more[] = {made->path};
	FILE *out = fopen("/dev/null", "w");
	struct error e;

	if (!out || (run_view(made->f->line, more, 1, out, &e) != 0 && !e.text[0]))
		abort();
	fclose(out);
}

static void all_grow_with_their_bytes(void **state)
{
	const char *only = getenv("FAMILY");
	(void)state;

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		struct made_database made = {.f = &families[i]};
		if (!only || strcmp(only, made.f->name) == 0)
			growth_is_linear(made.f->name, prepare, run, &made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
