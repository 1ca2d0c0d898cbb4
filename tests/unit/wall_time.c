/* When processes ran: how long at least one did, and how many runs are apart. */
#include "hpcprof/model/wall_time.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
#define WEEK (7 * 86400 * SECOND)
static const uint64_t t0 = 1700000000 * SECOND;

struct process {
	uint64_t start_ns, wall_ns;
	bool known;
};

static struct wall_time measure(const struct process *processes, size_t n, bool backwards)
{
	struct model *m = model_create();
	struct wall_time w;

	assert_non_null(m);
	for (size_t i = 0; i < n; i++) {
		const struct process *p = &processes[backwards ? n - 1 - i : i];
		struct model_process to = {.start_ns = t0 + p->start_ns,
					   .wall_ns = p->wall_ns,
					   .has_start = true,
					   .has_wall = p->known};
		assert_true(vec_push(&m->processes, to));
	}
	assert_true(wall_time_measure(m, NULL, NULL, &w));
	model_destroy(m);
	return w;
}

static void expect(const struct process *processes, size_t n, uint64_t from, uint64_t to,
		   uint64_t ran, size_t runs)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		struct wall_time w = measure(processes, n, backwards);
		assert_int_equal(w.start_ns, t0 + from);
		assert_int_equal(w.end_ns, t0 + to);
		assert_int_equal(w.ran_ns, ran);
		assert_int_equal(w.runs, runs);
	}
}

#define EXPECT(p, ...) expect(p, sizeof(p) / sizeof *(p), __VA_ARGS__)

/* A shell with compilers, of which two run at once and one outlives it. */
static void test_one_run(void **state)
{
	(void)state;
	static const struct process p[] = {{0, 10 * SECOND, true},
					   {SECOND, 2 * SECOND, true},
					   {2 * SECOND, 3 * SECOND, true},
					   {9 * SECOND, 3 * SECOND, true},
					   {12 * SECOND, 0, true}};

	EXPECT(p, 0, 12 * SECOND, 12 * SECOND, 1);
}

static void test_one_after_the_other(void **state)
{
	(void)state;
	static const struct process p[] = {
	    {0, SECOND, true}, {SECOND + SECOND / 2, SECOND, true}, {5 * SECOND, SECOND, true}};

	/* half a second may be between the processes of a run */
	EXPECT(p, 0, 6 * SECOND, 3 * SECOND, 2);
}

static void test_last_week_and_today(void **state)
{
	(void)state;
	static const struct process p[] = {{WEEK, 3 * SECOND, true},
					   {0, 2 * SECOND, true},
					   {WEEK + SECOND, SECOND, true},
					   {WEEK / 2, SECOND, false}};

	EXPECT(p, 0, WEEK + 3 * SECOND, 5 * SECOND, 2);
}

static void test_bounds(void **state)
{
	(void)state;
	static const struct process apart[] = {{0, SECOND, true}, {2 * SECOND, SECOND, true}},
				    more[] = {{0, SECOND, true}, {2 * SECOND + 1, SECOND, true}},
				    last[] = {{0, UINT64_MAX, true}, {5, UINT64_MAX, true}};
	static const struct process unknown[] = {{0, 0, false}};
	struct wall_time w = measure(unknown, 1, false);

	EXPECT(apart, 0, 3 * SECOND, 2 * SECOND, 1);
	EXPECT(more, 0, 3 * SECOND + 1, 2 * SECOND, 2);
	EXPECT(last, 0, UINT64_MAX - t0, UINT64_MAX - t0, 1);
	assert_true(!w.start_ns && !w.end_ns && !w.ran_ns && !w.runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_run),
	    cmocka_unit_test(test_one_after_the_other),
	    cmocka_unit_test(test_last_week_and_today),
	    cmocka_unit_test(test_bounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("wall_time", tests, NULL, NULL);
}
