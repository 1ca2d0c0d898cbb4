/* For any cost of a sample and any requested rate, the program has most of the time. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/base/cost.h"
#include "runtime/sample/pace.h"

#include <stdlib.h>

enum { SAMPLES = 2000, TO_LEARN = 64 };

/* A machine, and a program on it: all in ns. */
struct machine {
	uint64_t arrive; /* from the timer's expiry to the start of the handler */
	uint64_t own;    /* in the handler */
	uint64_t deep;   /* the same for each tenth sample */
	uint64_t leave;  /* from the handler's end to the program */
	uint64_t holds;  /* longest system call, which a signal does not interrupt */
	uint64_t asked;  /* period */
	uint32_t share;  /* that measuring may take; 0: no limit */
	uint32_t said;   /* cost of the kernel's part, from the launcher */
};

struct shares {
	uint64_t program, measuring, least;
};

/* The thread's clock advances by the time of each part. */
static struct shares run(const struct machine *m, unsigned begin_to_count)
{
	struct shares s = {0, 0, UINT64_MAX};
	struct csprof_pace p;
	uint64_t clock = 1;
	csprof_pace_init(&p, m->asked, m->share ? m->share : CSPROF_WHOLE, m->said);
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t own = i % 10 == 9 ? m->deep : m->own, ended = clock + own;
		csprof_pace_saw(&p, clock, ended);
		uint64_t mean = csprof_pace_mean(&p), rest = csprof_pace_rest(&p, own);
		uint64_t next = mean / 2 + (uint64_t)rand() % mean;
		next = next > rest ? next : rest;
		s.least = next < s.least ? next : s.least;
		csprof_pace_armed(&p, ended, next, true);
		assert_true(csprof_pace_early(&p, ended) > 0);
		uint64_t held = m->holds ? (uint64_t)rand() % m->holds : 0;
		clock = ended + next + held + m->arrive;
		assert_int_equal(csprof_pace_early(&p, clock), 0);
		if (i < begin_to_count)
			continue;
		s.program += held + (next > m->leave ? next - m->leave : 0);
		s.measuring += m->arrive + own + (next > m->leave ? m->leave : next);
	}
	return s;
}

static void dear_machines(void **unused)
{
	(void)unused;
	static const uint64_t costs[] = {500, 5000, 50000, 500000, 5000000};
	static const uint64_t asked[] = {10000, 50000, 1000000};
	for (size_t c = 0; c < 5; c++)
		for (size_t a = 0; a < 3; a++) {
			/* the return is as expensive as the rest, and there are no system calls */
			struct machine m = {costs[c], costs[c], costs[c], 2 * costs[c],
					    0,        asked[a], 0,        0};
			struct shares s = run(&m, TO_LEARN);
			assert_true(s.least >= CSPROF_PACE_LEAST_NS);
			assert_true(s.program > 2 * s.measuring);
		}
}

static void dear_samples(void **unused)
{
	(void)unused;
	struct machine m = {5000, 1000, 20000000, 2000, 0, 100000, 0, 0};
	struct shares s = run(&m, 0);
	assert_true(s.program > s.measuring);
}

static void cheap_machines(void **unused)
{
	(void)unused;
	struct machine m = {4000, 2000, 2000, 2000, 0, 200000, 0, 0};
	struct csprof_pace p;
	run(&m, 0);
	csprof_pace_init(&p, m.asked, CSPROF_WHOLE, m.said); /* from the last measurements */
	assert_int_equal(csprof_pace_mean(&p), m.asked);
}

/* Long system calls do not count as cost. */
static void held_signals(void **unused)
{
	(void)unused;
	struct machine m = {4000, 2000, 2000, 2000, 400000, 1000000, 500, 8000};
	struct csprof_pace p;
	run(&m, 0);
	csprof_pace_init(&p, m.asked, CSPROF_WHOLE, m.said);
	assert_in_range(csprof_pace_mean(&p), m.asked, 2 * m.asked);
}

/* For any requested rate, measuring takes at most its share, or, if a few samples are expensive, at
 * most a tenth more on average. */
static void budgets(void **unused)
{
	(void)unused;
	static const uint32_t shares[] = {10, 100, 500, 1000};
	static const uint64_t costs[] = {500, 5000, 50000, 500000};
	for (size_t s = 0; s < 4; s++)
		for (size_t c = 0; c < 4; c++) {
			struct machine m = {
			    costs[c], costs[c], 2 * costs[c], costs[c],
			    0,        10000,    shares[s],    (uint32_t)(2 * costs[c])};
			struct shares got = run(&m, TO_LEARN);
			double took = (double)got.measuring / (double)(got.program + got.measuring);
			assert_true(took < 1.1 * shares[s] / CSPROF_WHOLE);
			/* nor much less, unless the shortest period is longer */
			if (costs[c] >= 5000)
				assert_true(took > 0.7 * shares[s] / CSPROF_WHOLE);
		}
}

/* The launcher's figure counts for the budget. If the measured cost is higher, it limits the pace
 * as if there were no budget. */
static void said(void **unused)
{
	(void)unused;
	struct csprof_pace p;
	csprof_pace_init(&p, 10000, 500, 10 * 1000 * 1000);
	assert_true(csprof_pace_mean(&p) >= 200 * 1000 * 1000);
	struct machine m = {50000, 5000, 5000, 2000, 0, 10000, 500, 1};
	run(&m, 0);
	csprof_pace_init(&p, 10000, 500, 1);
	assert_in_range(csprof_pace_mean(&p), 8 * 50000, 8 * 60000);
}

/* One late signal says nothing, neither for its thread nor for those that begin after it. To be run
 * first: what threads before have seen is not forgotten. */
static void one_late_signal(void **unused)
{
	(void)unused;
	struct csprof_pace first, second;
	csprof_pace_init(&first, 1000 * 1000, CSPROF_WHOLE, 10 * 1000);
	csprof_pace_armed(&first, 1000, 1000 * 1000, true);
	csprof_pace_saw(&first, 2000 * 1000, 2002 * 1000);
	assert_int_equal(csprof_pace_mean(&first), 1000 * 1000);
	csprof_pace_init(&second, 1000 * 1000, CSPROF_WHOLE, 10 * 1000);
	csprof_pace_saw(&second, 500 * 1000, 502 * 1000);
	assert_int_equal(csprof_pace_mean(&second), 1000 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_late_signal),
	    cmocka_unit_test(dear_machines),
	    cmocka_unit_test(dear_samples),
	    cmocka_unit_test(cheap_machines),
	    cmocka_unit_test(held_signals),
	    cmocka_unit_test(budgets),
	    cmocka_unit_test(said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
