/* The named queries of hpcprof query, on datafiles whose results were computed by hand. No module
 * exists as a file, so each address is a separate function. All values are recorded, so each is one
 * byte below its ip. */
#include "db/import/import.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions: A is solver+0x4010ff, and so on; L is in libm. */
enum {
	A = 0x401100,
	B = 0x401200,
	C = 0x401300,
	D = 0x401400,
	E = 0x401500,
	F = 0x401600,
	L = 0x12100100
};

/* A datafile with one metric, WAIT, and only the trees. */
static struct build_file waiting(const struct build_tree *trees, uint32_t n)
{
	static const struct build_metric metric = {"WAIT", 0, 1, NULL, 0};
	struct build_file f = build_example;

	f.metrics = &metric;
	f.num_metrics = 1;
	f.trees = trees;
	f.num_trees = n;
	f.num_threads = f.num_account = f.num_trace = f.num_process = 0;
	return f;
}

static struct build_tree tree_of(const struct build_node *nodes, uint64_t n, uint32_t thread)
{
	return (struct build_tree){NULL, 0, nodes, n, thread, CSP_TREE_COMPLETE, CSP_NONE, 0};
}

/* A database of one tree. */
static char *database_of(const struct build_node *nodes, uint64_t n)
{
	struct build_tree tree = tree_of(nodes, n, CSP_NONE);
	struct build_file f = waiting(&tree, 1);
	const char *from = scratch_datafile(&f, "file.csp");
	char *to = scratch_path("file.db");
	struct error e;

	if (run_db(to, &from, 1, false, &e) != 0)
		fail_msg("%s", e.text);
	return to;
}

/* Check the rows of QUERY [ARGUMENT...], which ends with NULL. */
static void answers(const char *database, const char *want, const char *const *query)
{
	const char *words[6];
	size_t n = 0;
	struct error e;
	char *got;

	for (; query[n]; n++)
		words[n] = query[n];
	words[n++] = database;
	got = run_query(words, n, &e);
	if (!got) {
		fail_msg("%s: %s", query[0], e.text);
		return;
	}
	assert_string_equal(strchr(got, '\n') + 1, want);
	free(got);
}
#define ANSWERS(database, want, ...)                                                               \
	answers(database, want, (const char *const[]){__VA_ARGS__, NULL})

/* ---- ranks ---------------------------------------------------------------------------------- */

/* Three ranks that wait 10, 70 and 20 in two functions: half in each, except for rank 1, with 60 of
 * its 70 in the second. */
static void test_ranks(void **state)
{
	static const uint64_t waits[3][2] = {{5, 5}, {10, 60}, {10, 10}};
	const char *from[3], *to = scratch_path("ranks.db");
	struct error e;

	(void)state;
	for (int rank = 0; rank < 3; rank++) {
		char number[12], name[20];
		struct build_pair process[] = {{"command", "mpi", 0},
					       {"host", "node", 0},
					       {"pid", number, 0},
					       {"rank", number, 0},
					       {"ranks", "3", 0}};
		struct build_node nodes[] = {{0, 0, 0, {0}},
					     {0, A, 0, {0}},
					     {1, B, 0, {waits[rank][0]}},
					     {1, C, 0, {waits[rank][1]}}};
		struct build_tree tree = tree_of(nodes, 4, CSP_NONE);
		struct build_file f = waiting(&tree, 1);
		f.process = process;
		f.num_process = 5;
		snprintf(number, sizeof number, "%d", rank);
		snprintf(name, sizeof name, "rank%d.csp", rank);
		from[rank] = scratch_datafile(&f, name);
	}
	assert_int_equal(run_db(to, from, 3, false, &e), 0);
	ANSWERS(to,
		"1,node,1,70,70.0,solver+0x4012ff\n"
		"2,node,2,20,20.0,solver+0x4011ff\n"
		"0,node,0,10,10.0,solver+0x4011ff\n",
		"ranks", "WAIT");
	ANSWERS(to, "", "ranks", "CPUTIME");
	/* in C rank 1 has 60 of 75, which is 35 more than the mean of 25 */
	ANSWERS(to,
		"WAIT,solver+0x4012ff,solver,3,60,2,25.0,2.4,35.0\n"
		"WAIT,solver+0x4011ff,solver,3,10,2,8.0,1.2,2.0\n",
		"imbalance");
	ANSWERS(to, "solver+0x4011ff,5,10,25\nsolver+0x4012ff,5,60,75\n",
		"SELECT function, least, most, sum FROM statistics ORDER BY 1");
	/* (1225 + 400 + 225) / 2, for a sample, as in --stats: the root of 925 */
	ANSWERS(to, "30.414\n",
		"SELECT round(deviation, 3) FROM statistics WHERE function = 'solver+0x4012ff'");
	ANSWERS(to, "mpi,0,WAIT,10\nmpi,1,WAIT,70\nmpi,2,WAIT,20\n",
		"SELECT command, rank, metric, events FROM processes");
	assert_int_equal(run_db(to, from, 1, false, &e), 0);
	ANSWERS(to, "1,1\n", /* of one profile there is none */
		"SELECT count(*) > 0, count(*) = sum(deviation IS NULL) FROM statistics");
}

/* ---- callers and callees -------------------------------------------------------------------- */

/* A calls B, which calls C; D calls C; A calls E, which calls A again, which calls F. */
static const struct build_node graph[] = {{0, 0, 0, {0}},  {0, A, 0, {0}}, {1, B, 0, {10}},
					  {2, C, 0, {60}}, {0, D, 0, {0}}, {4, C, 0, {7}},
					  {1, E, 0, {0}},  {6, A, 0, {3}}, {7, F, 0, {20}}};

static void test_only_beneath(void **state)
{
	const char *db = database_of(graph, 9);

	(void)state;
	ANSWERS(db,
		"WAIT,solver+0x4011ff,solver,10,70,70.0\n"
		"WAIT,solver+0x4014ff,solver,0,23,23.0\n"
		"WAIT,solver+0x4015ff,solver,20,20,20.0\n",
		"only-beneath", "solver+0x4010ff");
	ANSWERS(db, "WAIT,solver+0x4015ff,solver,20,20,20.0\n", "only-beneath", "solver+0x4014ff");
	ANSWERS(db, "", "only-beneath", "solver+0x4013ff");
	ANSWERS(db, "", "only-beneath", "solver+0x4012ff");
	ANSWERS(db, "", "only-beneath", "nothing");
}

static void test_matching(void **state)
{
	const char *db = database_of(graph, 9);

	(void)state;
	/* C beneath B counts once: 10 + 60, and 7 beneath D */
	ANSWERS(db, "WAIT,77,77.0,2\n", "matching", "\\+0x401[12]ff$");
	ANSWERS(db, "WAIT,100,100.0,2\n", "matching", "^solver");
	ANSWERS(db, "WAIT,23,23.0,1\n", "matching", "0x4014ff|0x4015ff");
	ANSWERS(db, "", "matching", "^main$");
}

static void test_callers(void **state)
{
	const char *db = database_of(graph, 9);

	(void)state;
	ANSWERS(db,
		"WAIT,solver+0x4011ff,solver,solver+0x4012ff,60,89.552,60\n"
		"WAIT,solver+0x4013ff,solver,solver+0x4012ff,7,10.448,7\n",
		"callers", "solver+0x4012ff");
	/* A again beneath itself: its total counts once, 93 */
	ANSWERS(db,
		"WAIT,(outermost),,solver+0x4010ff,93,100.0,0\n"
		"WAIT,solver+0x4014ff,solver,solver+0x4010ff,23,24.731,3\n",
		"callers", "solver+0x4010ff");
	ANSWERS(db,
		"WAIT,solver+0x4010ff,solver+0x4011ff,solver,70,75.269,10\n"
		"WAIT,solver+0x4010ff,solver+0x4014ff,solver,23,24.731,0\n"
		"WAIT,solver+0x4010ff,solver+0x4015ff,solver,20,21.505,20\n",
		"callees", "solver+0x4010ff");
	ANSWERS(db, "WAIT,93,93\n",
		"SELECT metric, total, 93 FROM functions WHERE function = 'solver+0x4010ff'");
}

/* A chain of 150 calls, and three more from the 99th. */
static void test_deep(void **state)
{
	struct build_node nodes[154] = {{0, 0, 0, {0}}};
	const char *db;

	(void)state;
	for (uint64_t i = 1; i <= 150; i++)
		nodes[i] = (struct build_node){i - 1, 0x402000 + 16 * i, 0, {i == 150}};
	for (uint64_t i = 151; i <= 153; i++)
		nodes[i] =
		    (struct build_node){i == 151 ? 99 : i - 1, 0x403000 + 16 * i, 0, {i == 153}};
	db = database_of(nodes, 154);
	ANSWERS(db, "52,150,101\n",
		"SELECT count(*), max(depth), min(depth) FROM context WHERE depth > 100");
	ANSWERS(db,
		"151,150,solver+0x40295f,,,WAIT,1\n"
		"150,149,solver+0x40294f,,,WAIT,1\n",
		"deep", "148");
	ANSWERS(db, "", "deep", "150");
}

/* ---- two runs, threads ------------------------------------------------------------------------
 */

static void test_growth(void **state)
{
	struct build_node before[] = {
	    {0, 0, 0, {0}}, {0, A, 0, {40}}, {1, B, 0, {5}}, {1, C, 0, {8}}};
	struct build_node after[] = {
	    {0, 0, 0, {0}}, {0, A, 0, {30}}, {1, B, 0, {60}}, {1, C, 0, {8}}, {2, F, 0, {2}}};
	struct build_tree trees[] = {tree_of(before, 4, CSP_NONE), tree_of(after, 5, CSP_NONE)};
	const char *from, *to = scratch_path("grown.db");
	struct error e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct build_file f = waiting(&trees[i], 1);
		from = scratch_datafile(&f, "run.csp");
		assert_int_equal(run_db(to, &from, 1, i, &e), 0);
	}
	ANSWERS(to,
		"WAIT,solver+0x4011ff,solver,5,60,55,57\n"
		"WAIT,solver+0x4015ff,solver,0,2,2,2\n",
		"grew", "1", "2");
	ANSWERS(to, "WAIT,solver+0x4010ff,solver,30,40,10,-47\n", "grew", "2", "1");
	ANSWERS(to,
		"WAIT,solver+0x4011ff,solver,5,60,55,57\n"
		"WAIT,solver+0x4010ff,solver,40,30,-10,47\n"
		"WAIT,solver+0x4015ff,solver,0,2,2,2\n",
		"difference", "1", "2");
	ANSWERS(to, "", "grew", "1", "1");
	ANSWERS(to, "", "grew", "1", "3");
	ANSWERS(to, "1,5,9.434\n2,60,60.0\n",
		"SELECT measurement, self, self_percent FROM functions WHERE function = "
		"'solver+0x4011ff'");
}

static void test_threads(void **state)
{
	static const struct build_thread threads[] = {
	    {11, "one", 1, 2, 3}, {12, "two", 1, 2, 3}, {13, "idle", 1, 2, 3}};
	static const struct build_node first[] = {
	    {0, 0, 0, {0}}, {0, A, 0, {4}}, {1, L, 0, {6}}, {1, B, 0, {1}}};
	static const struct build_node second[] = {{0, 0, 0, {0}}, {0, A, 0, {0}}, {1, L, 0, {9}}};
	struct build_tree trees[] = {tree_of(first, 4, 0), tree_of(second, 3, 1)};
	struct build_file f = waiting(trees, 2);
	const char *from, *to = scratch_path("threads.db");
	struct error e;

	(void)state;
	f.threads = threads;
	f.num_threads = 3;
	from = scratch_datafile(&f, "threads.csp");
	assert_int_equal(run_db(to, &from, 1, false, &e), 0);
	ANSWERS(to,
		"1,11,one,WAIT,libm.so.6,6,30.0\n"
		"1,11,one,WAIT,solver,5,25.0\n"
		"2,12,two,WAIT,libm.so.6,9,45.0\n",
		"threads");
	/* over three threads, one of which has no value */
	ANSWERS(to, "libm.so.6+0xff,3,2,0,9,5.0\n",
		"SELECT function, profiles, profiles_with, least, most, mean FROM statistics "
		"WHERE module = 'libm.so.6'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranks),    cmocka_unit_test(test_only_beneath),
	    cmocka_unit_test(test_matching), cmocka_unit_test(test_callers),
	    cmocka_unit_test(test_deep),     cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_threads),
	};
	importers_add(&db_importer);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
