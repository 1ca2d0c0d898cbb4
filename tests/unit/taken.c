/* Where in machine code samples were taken that are in functions of an interpreter. */
#include "hpcprof/export/feedback/taken.h"

#include "formats/identity/sources.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define NATIVE 0x1000 /* of the interpreter's function */

static struct reader_text text(const char *s)
{
	return (struct reader_text){s, strlen(s)};
}

static uint32_t script(struct model *m, const char *source, const char *name, enum frame_role role)
{
	uint32_t module = model_module(m, text(source), text(""));
	struct model_function f = {.name = name, .module = module};

	m->modules.at[module].is_source = true;
	return model_named_frame(m, model_function(m, &f), 1, role);
}

/* A finished model of paths: the interpreter runs outer, which calls inner; inner calls a library
 * function; the interpreter does something of its own; and the interpreter without a function. */
struct fixture {
	struct feedback f;
	struct model *m;
	uint64_t samples[32]; /* of each context another number */
};

static void begin(struct fixture *t)
{
	struct model *m = model_create();
	uint32_t native = model_module(m, text("/it"), text(""));
	uint32_t call = model_frame(m, native, NATIVE, FRAME_CALL);
	uint32_t run = model_context(m, MODEL_ROOT, call);
	uint32_t outer = model_context(m, run, script(m, "/a.py", "outer", FRAME_NAMED_CALL));
	uint32_t inner = model_context(m, outer, script(m, "/a.py", "inner", FRAME_NAMED_CALL));
	struct error e;

	model_context(m, outer, script(m, "/a.py", "inner", FRAME_NAMED_POINT));
	model_context(m, inner, model_frame(m, native, NATIVE + 0x100, FRAME_POINT));
	model_context(m, run,
		      script(m, CSP_SOURCE_INTERPRETER, CSP_WAITS_FOR_GIL, FRAME_NAMED_POINT));
	model_context(m, MODEL_ROOT, model_frame(m, native, NATIVE, FRAME_POINT));
	model_context(m, MODEL_ROOT, script(m, "/a.py", "alone", FRAME_NAMED_POINT));
	assert_int_equal(model_finish(m, &e), 0);
	*t = (struct fixture){.m = m, .f.m = m};
	assert_true(model_num_contexts(m) <= 32);
	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(m); i++)
		t->samples[i] = UINT64_C(1) << i;
	assert_true(taken_find(&t->f, t->samples));
}

static void end(struct fixture *t)
{
	free(t->f.taken);
	free(t->f.exact);
	model_destroy(t->m);
}

/* The context of the frame with this address and role, or of the function with this name. */
static uint32_t find(const struct fixture *t, uint64_t address, const char *name,
		     enum frame_role role)
{
	for (uint32_t i = MODEL_ROOTS; i < model_num_contexts(t->m); i++) {
		const struct model_frame *f = &t->m->frames.at[model_frame_of(t->m, i)];
		if (f->role != role)
			continue;
		if (name ? strcmp(t->m->functions.at[f->address >> 32].name, name) == 0
			 : f->address == address)
			return i;
	}
	fail_msg("no such context");
	return 0;
}

static void test_samples(void **state)
{
	struct fixture t;
	uint32_t run, inner, library, waits, bare, alone;

	(void)state;
	begin(&t);
	run = find(&t, NATIVE, NULL, FRAME_CALL);
	inner = find(&t, 0, "inner", FRAME_NAMED_POINT);
	library = find(&t, NATIVE + 0x100, NULL, FRAME_POINT);
	waits = find(&t, 0, CSP_WAITS_FOR_GIL, FRAME_NAMED_POINT);
	bare = find(&t, NATIVE, NULL, FRAME_POINT);
	alone = find(&t, 0, "alone", FRAME_NAMED_POINT);
	/* also those that are given to frames with others inside, as they are here */
	assert_int_equal(t.f.exact[run], t.samples[inner] |
					     t.samples[find(&t, 0, "inner", FRAME_NAMED_CALL)] |
					     t.samples[find(&t, 0, "outer", FRAME_NAMED_CALL)]);
	assert_int_equal(t.f.taken[run], t.samples[run]);
	assert_int_equal(t.f.taken[inner], 0);
	assert_int_equal(t.f.taken[library], t.samples[library]);
	assert_int_equal(t.f.exact[library], 0);
	assert_int_equal(t.f.taken[waits], t.samples[waits]);
	assert_int_equal(t.f.taken[bare], t.samples[bare]);
	assert_int_equal(t.f.taken[alone], t.samples[alone]);
	end(&t);
}

static void test_callers(void **state)
{
	struct fixture t;
	uint32_t run, inner, library;

	(void)state;
	begin(&t);
	run = find(&t, NATIVE, NULL, FRAME_CALL);
	inner = find(&t, 0, "inner", FRAME_NAMED_POINT);
	library = find(&t, NATIVE + 0x100, NULL, FRAME_POINT);
	assert_true(taken_in_script(&t.f, inner));
	assert_false(taken_in_script(&t.f, run));
	assert_false(taken_in_script(&t.f, MODEL_ROOT));
	assert_int_equal(taken_caller(&t.f, library), run);
	assert_int_equal(taken_caller(&t.f, inner), run);
	assert_true(taken_caller(&t.f, run) < MODEL_ROOTS);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
