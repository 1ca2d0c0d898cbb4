/* What calls reached and how often functions were called, from samples of call paths whose true
 * numbers of calls are known. */
#include "hpcprof/export/feedback/calls.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"

#include <math.h>
#include <stdlib.h>

/* Four functions with four instructions of 4 bytes each, whose second one calls. */
enum { FUNCTIONS = 4, INSTRUCTIONS = 4, SIZE = 4 };
enum { A = 1, B, X, Y };
#define BEGIN(function) FAKE_CODE(function, 0, 0, 0)
#define CALL(function) (BEGIN(function) + SIZE)

/* Samples in a function that was called by another one, which was called by up to two. */
struct path {
	int callers[3], in;
	uint64_t samples;
};

struct profile {
	struct model *m;
	struct symbolized code;
	struct feedback f;
	uint64_t *samples;
	const struct path *paths;
	size_t num_paths;
};

static uint32_t frame(struct model *m, int function, bool calls)
{
	return model_frame(m, 0, calls ? CALL(function) : BEGIN(function) + 2 * SIZE,
			   calls ? FRAME_CALL : FRAME_POINT);
}

static void add_path(struct model *m, const struct path *p)
{
	uint32_t at = MODEL_ROOT;

	for (int i = 0; i < 3 && p->callers[i]; i++)
		at = model_context(m, at, frame(m, p->callers[i], true));
	model_context(m, at, frame(m, p->in, false));
}

/* The finished model's context. */
static uint32_t find_path(const struct model *m, const struct path *p)
{
	for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++) {
		uint32_t at = c;
		int n = 0;
		const struct model_frame *f = &m->frames.at[model_frame_of(m, c)];
		while (n < 3 && p->callers[n])
			n++;
		if (f->role != FRAME_POINT || f->address != BEGIN(p->in) + 2 * SIZE)
			continue;
		for (at = model_parent(m, at); n && at >= MODEL_ROOTS;
		     at = model_parent(m, at), n--)
			if (m->frames.at[model_frame_of(m, at)].address != CALL(p->callers[n - 1]))
				break;
		if (!n && at < MODEL_ROOTS)
			return c;
	}
	fail_msg("no such path");
	return 0;
}

/* executions: of each function's entry and of its call. */
static void begin(struct profile *p, const struct path *paths, size_t n,
		  const double executions[FUNCTIONS][2])
{
	static const char *const names[FAKE_FUNCTIONS] = {"a", "b", "x", "y"};
	struct feedback_module mod = {0};
	struct error e = {0};

	*p = (struct profile){.m = model_create(), .paths = paths, .num_paths = n};
	model_module(p->m, (struct reader_text){"it", 2}, (struct reader_text){"", 0});
	for (size_t i = 0; i < n; i++)
		add_path(p->m, &paths[i]);
	assert_int_equal(model_finish(p->m, &e), 0);
	fake_code(p->m, names, &p->code);
	p->samples = calloc(model_num_contexts(p->m), sizeof *p->samples);
	for (size_t i = 0; i < n; i++)
		p->samples[find_path(p->m, &paths[i])] = paths[i].samples;
	for (size_t i = 0; i < p->code.functions.len; i++) {
		struct code_function *of = &p->code.functions.at[i];
		for (int k = 0; k < FUNCTIONS; k++)
			if (of->name == names[k])
				of->low = BEGIN(k + 1);
	}
	for (int k = 0; k < FUNCTIONS; k++) {
		struct feedback_procedure in = {.low = BEGIN(k + 1),
						.high = BEGIN(k + 1) + INSTRUCTIONS * SIZE,
						.first = mod.code.len,
						.num = INSTRUCTIONS,
						.samples = 1};
		assert_true(vec_push(&mod.procedures, in));
		for (int i = 0; i < INSTRUCTIONS; i++) {
			struct feedback_instruction one = {
			    .address = BEGIN(k + 1) + (uint64_t)i * SIZE,
			    .flow = i == 1 ? INSTRUCTION_CALL : INSTRUCTION_NEXT,
			    .executions = executions[k][i == 1]};
			assert_true(vec_push(&mod.code, one));
		}
	}
	p->f.m = p->m;
	p->f.c = &p->code;
	assert_true(vec_push(&p->f.modules, mod));
}

static void solve(struct profile *p)
{
	const uint32_t index[] = {0};
	struct calls s = {0};

	assert_true(calls_find(&s, &p->f, p->samples, index));
	calls_solve(&s);
	calls_deinit(&s);
}

static void end(struct profile *p)
{
	vec_free(&p->f.modules.at[0].procedures);
	vec_free(&p->f.modules.at[0].code);
	vec_free(&p->f.modules.at[0].calls);
	vec_free(&p->f.modules);
	free(p->samples);
	symbolized_deinit(&p->code);
	model_destroy(p->m);
}

static struct feedback_procedure *procedure(struct profile *p, int function)
{
	return &p->f.modules.at[0].procedures.at[function - 1];
}

/* The share of the calls that one function makes which reach another one. */
static double share(const struct profile *p, int from, int to)
{
	const struct feedback_module *m = &p->f.modules.at[0];
	size_t next = 0, n;
	const struct feedback_call *calls =
	    calls_of(m, (size_t)(from - 1) * INSTRUCTIONS + 1, &next, &n);

	for (size_t i = 0; i < n; i++)
		if (p->code.functions.at[calls[i].function].low == BEGIN(to))
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
	static const struct path paths[] = {
	    {{A}, X, 3600}, {{A}, Y, 100}, {{B}, X, 400}, {{B}, Y, 900}};
	static const double executions[FUNCTIONS][2] = {{0, 1000}, {0, 1000}, {2000, 0}, {500, 0}};
	struct profile p;

	(void)state;
	begin(&p, paths, 4, executions);
	solve(&p);
	assert_near(share(&p, A, X), 0.9, 0.08);
	assert_near(share(&p, A, Y), 0.1, 0.08);
	assert_near(share(&p, B, X), 0.1, 0.08);
	assert_near(share(&p, B, Y), 0.9, 0.08);
	assert_near(procedure(&p, X)->entered, 1000, 200);
	assert_near(procedure(&p, Y)->entered, 1000, 200);
	assert_true(procedure(&p, X)->entered_weight > 0);
	assert_true(procedure(&p, A)->entered_weight == 0);
	end(&p);
}

/* x calls itself and y as often. What is below a call of x does not make it more calls. */
static void test_recursion(void **state)
{
	static const struct path paths[] = {{{A}, X, 100},
					    {{A, X}, X, 50},
					    {{A, X}, Y, 50},
					    {{A, X, X}, X, 25},
					    {{A, X, X}, Y, 25}};
	static const double executions[FUNCTIONS][2] = {{0, 100}, {0, 0}, {175, 150}, {75, 0}};
	struct profile p;

	(void)state;
	begin(&p, paths, 5, executions);
	solve(&p);
	assert_near(share(&p, X, X), 0.5, 0.08);
	assert_near(share(&p, X, Y), 0.5, 0.08);
	end(&p);
}

/* The place calls x, which goes on in y by a jump. */
static void test_jump(void **state)
{
	static const struct path paths[] = {{{A}, X, 100}, {{A}, Y, 900}, {{B}, Y, 100}};
	static const double executions[FUNCTIONS][2] = {{0, 1000}, {0, 100}, {1000, 0}, {1000, 0}};
	struct profile p;

	(void)state;
	begin(&p, paths, 3, executions);
	p.f.modules.at[0].code.at[1].target = BEGIN(X);
	solve(&p);
	assert_near(share(&p, A, X), 1, 0);
	assert_near(share(&p, A, Y), 0, 0);
	assert_near(procedure(&p, X)->entered, 1000, 50);
	assert_near(procedure(&p, Y)->entered, 1000, 100);
	end(&p);
}

/* Without executions samples are all that is known. */
static void test_unknown(void **state)
{
	static const struct path paths[] = {{{A}, X, 300}, {{A}, Y, 100}};
	static const double executions[FUNCTIONS][2] = {{0}};
	struct profile p;

	(void)state;
	begin(&p, paths, 2, executions);
	solve(&p);
	assert_near(share(&p, A, X), 0.75, 0.001);
	assert_near(share(&p, A, Y), 0.25, 0.001);
	assert_true(procedure(&p, X)->entered_weight == 0);
	end(&p);
}

/* Nothing calls. */
static void test_nothing(void **state)
{
	static const struct path paths[] = {{{0}, A, 10}};
	static const double executions[FUNCTIONS][2] = {{10, 10}};
	struct profile p;

	(void)state;
	begin(&p, paths, 1, executions);
	solve(&p);
	assert_int_equal(p.f.modules.at[0].calls.len, 0);
	assert_true(procedure(&p, A)->entered_weight == 0);
	end(&p);
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
