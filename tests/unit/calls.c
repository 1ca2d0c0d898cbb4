/* What calls reached and how often functions were called, from samples of call paths whose true
 * numbers of calls are known. */
#include "hpcprof/export/feedback/calls.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_feedback.h"

#include <math.h>
#include <stdlib.h>

static void solve(struct fake_feedback *p)
{
	struct calls s = {0};

	assert_true(calls_find(&s, &p->f));
	calls_solve(&s);
	calls_deinit(&s);
}

/* The share of the calls that one function makes which reach another one. */
static double share(const struct fake_feedback *p, int from, int to)
{
	const struct feedback_module *m = &p->f.modules.at[0];
	size_t next = 0, n;
	const struct feedback_call *calls =
	    calls_of(m, (size_t)(from - 1) * FAKE_INSTRUCTIONS + 1, &next, &n);

	for (size_t i = 0; i < n; i++)
		if (p->code.functions.at[calls[i].function].low == FAKE_BEGIN(to))
			return calls[i].share;
	return 0;
}

static void assert_near(double value, double want, double error)
{
	if (fabs(value - want) > error)
		fail_msg("%g instead of %g", value, want);
}

/* a calls x 900 times and y 100 times, b the other way round. A call of x takes four times as long.
 * Their entries seem to have been executed twice and half as often as they were. */
static void test_two_places(void **state)
{
	static const struct fake_path paths[] = {
	    {{A}, X, 3600}, {{A}, Y, 100}, {{B}, X, 400}, {{B}, Y, 900}};
	static const double executions[FAKE_END - 1][2] = {
	    {0, 1000}, {0, 1000}, {2000, 0}, {500, 0}};
	struct fake_feedback p;

	(void)state;
	fake_feedback_begin(&p, paths, 4, executions);
	solve(&p);
	assert_near(share(&p, A, X), 0.9, 0.08);
	assert_near(share(&p, A, Y), 0.1, 0.08);
	assert_near(share(&p, B, X), 0.1, 0.08);
	assert_near(share(&p, B, Y), 0.9, 0.08);
	assert_near(fake_procedure(&p, X)->entered, 1000, 200);
	assert_near(fake_procedure(&p, Y)->entered, 1000, 200);
	assert_true(fake_procedure(&p, X)->entered_weight > 0);
	assert_true(fake_procedure(&p, A)->entered_weight == 0);
	fake_feedback_end(&p);
}

/* x calls itself and y as often. What is below a call of x does not make it more calls. */
static void test_recursion(void **state)
{
	static const struct fake_path paths[] = {{{A}, X, 100},
						 {{A, X}, X, 50},
						 {{A, X}, Y, 50},
						 {{A, X, X}, X, 25},
						 {{A, X, X}, Y, 25}};
	static const double executions[FAKE_END - 1][2] = {{0, 100}, {0, 0}, {175, 150}, {75, 0}};
	struct fake_feedback p;

	(void)state;
	fake_feedback_begin(&p, paths, 5, executions);
	solve(&p);
	assert_near(share(&p, X, X), 0.5, 0.08);
	assert_near(share(&p, X, Y), 0.5, 0.08);
	fake_feedback_end(&p);
}

/* The place calls x, which goes on in y by a jump. */
static void test_jump(void **state)
{
	static const struct fake_path paths[] = {{{A}, X, 100}, {{A}, Y, 900}, {{B}, Y, 100}};
	static const double executions[FAKE_END - 1][2] = {
	    {0, 1000}, {0, 100}, {1000, 0}, {1000, 0}};
	struct fake_feedback p;

	(void)state;
	fake_feedback_begin(&p, paths, 3, executions);
	p.f.modules.at[0].code.at[1].target = FAKE_BEGIN(X);
	solve(&p);
	assert_near(share(&p, A, X), 1, 0);
	assert_near(share(&p, A, Y), 0, 0);
	assert_near(fake_procedure(&p, X)->entered, 1000, 50);
	assert_near(fake_procedure(&p, Y)->entered, 1000, 100);
	fake_feedback_end(&p);
}

/* Without executions samples are all that is known. */
static void test_unknown(void **state)
{
	static const struct fake_path paths[] = {{{A}, X, 300}, {{A}, Y, 100}};
	static const double executions[FAKE_END - 1][2] = {{0}};
	struct fake_feedback p;

	(void)state;
	fake_feedback_begin(&p, paths, 2, executions);
	solve(&p);
	assert_near(share(&p, A, X), 0.75, 0.001);
	assert_near(share(&p, A, Y), 0.25, 0.001);
	assert_true(fake_procedure(&p, X)->entered_weight == 0);
	fake_feedback_end(&p);
}

/* Nothing calls. */
static void test_nothing(void **state)
{
	static const struct fake_path paths[] = {{{0}, A, 10}};
	static const double executions[FAKE_END - 1][2] = {{10, 10}};
	struct fake_feedback p;

	(void)state;
	fake_feedback_begin(&p, paths, 1, executions);
	solve(&p);
	assert_int_equal(p.f.modules.at[0].calls.len, 0);
	assert_true(fake_procedure(&p, A)->entered_weight == 0);
	fake_feedback_end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_places), cmocka_unit_test(test_recursion),
	    cmocka_unit_test(test_jump),       cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
