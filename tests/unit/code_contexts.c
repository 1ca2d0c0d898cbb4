/* Procedures by the calls that led to them. */
#include "hpcprof/export/feedback/code_contexts.h"

#include "hpcprof/export/feedback/calls.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_feedback.h"

#include <math.h>
#include <stdlib.h>

static const double executions[FAKE_END - 1][2] = {
    {5000, 5000}, {5000, 5000}, {10000, 10000}, {50000, 50000}};

struct fixture {
	struct fake_feedback p;
	struct code_contexts s;
};

static void begin(struct fixture *t, const struct fake_path *paths, size_t n)
{
	struct calls calls = {0};

	*t = (struct fixture){0};
	fake_feedback_begin(&t->p, paths, n, executions);
	assert_true(calls_find(&calls, &t->p.f));
	calls_solve(&calls);
	calls_deinit(&calls);
	assert_true(code_contexts_find(&t->s, &t->p.f, &t->p.f.modules.at[0]));
}

static void end(struct fixture *t)
{
	code_contexts_deinit(&t->s);
	fake_feedback_end(&t->p);
}

/* The context of the function that these called, innermost first; CONTEXT_NONE if there is none. */
static uint32_t find(const struct fixture *t, int function, const int callers[FAKE_CALLERS])
{
	uint32_t wanted = 0;

	while (wanted < FAKE_CALLERS && callers[wanted])
		wanted++;
	for (uint32_t i = 0; i < t->s.all.len; i++) {
		const struct code_context *c = &t->s.all.at[i];
		uint32_t n = wanted;
		if (c->calls != wanted || c->procedure != (uint32_t)function - 1 || !(c->near > 0))
			continue;
		while (n &&
		       t->p.f.modules.at[0].code.at[c->call].address == FAKE_CALL(callers[n - 1])) {
			c = &t->s.all.at[c->shorter];
			n--;
		}
		if (!n)
			return i;
	}
	return CONTEXT_NONE;
}

static void assert_samples(const struct fixture *t, int function, const int callers[FAKE_CALLERS],
			   uint64_t samples)
{
	uint32_t i = find(t, function, callers);

	assert_int_not_equal(i, CONTEXT_NONE);
	assert_int_equal(t->s.all.at[i].samples, samples);
}

#define CALLED_BY(...) ((const int[FAKE_CALLERS]){__VA_ARGS__})

/* Those with few samples are counted without their outermost call. */
static void test_callers(void **state)
{
	static const struct fake_path paths[] = {{{A}, X, 200},   {{B}, X, 300}, {{A, X}, Y, 400},
						 {{B, X}, Y, 20}, {{Y}, X, 10},  {{0}, A, 5}};
	struct fixture t;
	uint64_t all = 0;

	(void)state;
	begin(&t, paths, 6);
	assert_samples(&t, X, CALLED_BY(A), 200);
	assert_samples(&t, X, CALLED_BY(B), 300);
	assert_samples(&t, X, CALLED_BY(0), 10);
	assert_samples(&t, Y, CALLED_BY(X, A), 400);
	assert_int_equal(find(&t, Y, CALLED_BY(X, B)), CONTEXT_NONE);
	assert_int_equal(find(&t, Y, CALLED_BY(X)), CONTEXT_NONE);
	assert_samples(&t, Y, CALLED_BY(0), 20);
	assert_samples(&t, A, CALLED_BY(0), 5);
	for (size_t i = 0; i < t.s.all.len; i++)
		all += t.s.all.at[i].samples;
	assert_int_equal(all, 935);
	end(&t);
}

/* A context can be found by those of its callers, as few samples as these have. */
static void test_needed(void **state)
{
	static const struct fake_path paths[] = {
	    {{A}, X, 3}, {{B}, X, 3}, {{A, X}, Y, 400}, {{B, X}, Y, 20}};
	struct fixture t;

	(void)state;
	begin(&t, paths, 4);
	assert_samples(&t, Y, CALLED_BY(X, A), 400);
	assert_samples(&t, X, CALLED_BY(A), 3);
	assert_int_equal(find(&t, X, CALLED_BY(B)), CONTEXT_NONE);
	assert_samples(&t, X, CALLED_BY(0), 3);
	end(&t);
}

/* A procedure is in its context once. */
static void test_recursion(void **state)
{
	static const struct fake_path paths[] = {
	    {{X, X, X}, X, 500}, {{A, X, X}, X, 300}, {{A}, X, 200}, {{X, Y, X}, Y, 600}};
	struct fixture t;

	(void)state;
	begin(&t, paths, 4);
	assert_samples(&t, X, CALLED_BY(0), 800);
	assert_samples(&t, X, CALLED_BY(A), 200);
	assert_samples(&t, Y, CALLED_BY(X), 600);
	end(&t);
}

/* Executions are those that the samples tell, if there are many, or else a part of all, by how
 * much was below. By samples alone they are 10000 in the first context, by this part 5000. */
static void test_executions(void **state)
{
	static const struct fake_path paths[] = {
	    {{A}, X, 40000}, {{B}, X, 1}, {{A, X}, Y, 400}, {{B, X}, Y, 200005}};
	struct fixture t;
	struct feedback_module view;
	uint32_t of_a, of_b;

	(void)state;
	begin(&t, paths, 4);
	of_a = find(&t, X, CALLED_BY(A));
	of_b = find(&t, X, CALLED_BY(B));
	assert_true(code_context_view(&t.s, of_a, &view));
	assert_int_equal(view.procedures.len, 1);
	assert_int_equal(view.code.len, FAKE_INSTRUCTIONS);
	assert_int_equal(view.procedures.at[0].samples, 40000);
	assert_int_equal(view.code.at[2].samples, 40000);
	for (int i = 0; i < FAKE_INSTRUCTIONS; i++)
		assert_true(view.code.at[i].executions > 6000);
	code_context_free_view(&view);
	assert_true(code_context_view(&t.s, of_b, &view));
	/* 40080 and 40002 samples are near */
	for (int i = 0; i < FAKE_INSTRUCTIONS; i++)
		assert_true(fabs(view.code.at[i].executions - 5000) < 300);
	code_context_free_view(&view);
	end(&t);
}

/* What a call reaches depends on the context. */
static void test_targets(void **state)
{
	static const struct fake_path paths[] = {{{A}, X, 500},     {{B}, X, 500},
						 {{A, X}, Y, 2000}, {{A, X}, B, 100},
						 {{B, X}, Y, 200},  {{B, X}, A, 1000}};
	struct fixture t;
	struct feedback_module view;

	(void)state;
	begin(&t, paths, 6);
	assert_true(code_context_view(&t.s, find(&t, X, CALLED_BY(A)), &view));
	assert_int_equal(view.calls.len, 2);
	assert_true(fabs(view.calls.at[0].share + view.calls.at[1].share - 1) < 1e-9);
	for (size_t i = 0; i < view.calls.len; i++) {
		bool is_y = t.p.code.functions.at[view.calls.at[i].function].low == FAKE_BEGIN(Y);
		assert_int_equal(view.calls.at[i].samples, is_y ? 2000 : 100);
		assert_true(is_y == (view.calls.at[i].share > 0.5));
	}
	code_context_free_view(&view);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_callers),   cmocka_unit_test(test_needed),
	    cmocka_unit_test(test_recursion), cmocka_unit_test(test_executions),
	    cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
