#include "tests/lib/unit/fake_feedback.h"

#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>

static uint32_t frame(struct model *m, int function, bool calls)
{
	return model_frame(
	    m, 0, calls ? FAKE_CALL(function) : FAKE_BEGIN(function) + 2 * FAKE_INSTRUCTION_SIZE,
	    calls ? FRAME_CALL : FRAME_POINT);
}

static void add_path(struct model *m, const struct fake_path *p)
{
	uint32_t at = MODEL_ROOT;

	for (int i = 0; i < FAKE_CALLERS && p->callers[i]; i++)
		at = model_context(m, at, frame(m, p->callers[i], true));
	model_context(m, at, frame(m, p->in, false));
}

/* The finished model's context. */
static uint32_t find_path(const struct model *m, const struct fake_path *p)
{
	for (uint32_t c = MODEL_ROOTS; c < model_num_contexts(m); c++) {
		uint32_t at = c;
		int n = 0;
		const struct model_frame *f = &m->frames.at[model_frame_of(m, c)];
		while (n < FAKE_CALLERS && p->callers[n])
			n++;
		if (f->role != FRAME_POINT ||
		    f->address != FAKE_BEGIN(p->in) + 2 * FAKE_INSTRUCTION_SIZE)
			continue;
		for (at = model_parent(m, at); n && at >= MODEL_ROOTS;
		     at = model_parent(m, at), n--)
			if (m->frames.at[model_frame_of(m, at)].address !=
			    FAKE_CALL(p->callers[n - 1]))
				break;
		if (!n && at < MODEL_ROOTS)
			return c;
	}
	fail_msg("no such path");
	return 0;
}

static uint64_t samples_in(const struct fake_feedback *p, int function)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->num_paths; i++)
		n += p->paths[i].in == function ? p->paths[i].samples : 0;
	return n;
}

void fake_feedback_begin(struct fake_feedback *p, const struct fake_path *paths, size_t n,
			 const double executions[FAKE_END - 1][2])
{
	static const char *const names[FAKE_FUNCTIONS] = {"a", "b", "x", "y"};
	struct feedback_module mod = {0};
	struct error e = {0};

	*p = (struct fake_feedback){.m = model_create(), .paths = paths, .num_paths = n};
	model_module(p->m, (struct reader_text){"it", 2}, (struct reader_text){"", 0});
	for (size_t i = 0; i < n; i++)
		add_path(p->m, &paths[i]);
	assert_int_equal(model_finish(p->m, &e), 0);
	fake_code(p->m, names, &p->code);
	p->f.taken = calloc(model_num_contexts(p->m), sizeof *p->f.taken);
	p->f.exact = calloc(model_num_contexts(p->m), sizeof *p->f.exact);
	for (size_t i = 0; i < n; i++)
		p->f.taken[find_path(p->m, &paths[i])] = paths[i].samples;
	for (size_t i = 0; i < p->code.functions.len; i++) {
		struct code_function *of = &p->code.functions.at[i];
		for (int k = 0; k < FAKE_END - 1; k++)
			if (of->name == names[k])
				of->low = FAKE_BEGIN(k + 1);
	}
	for (int k = 0; k < FAKE_END - 1; k++) {
		struct feedback_procedure in = {.low = FAKE_BEGIN(k + 1),
						.high = FAKE_BEGIN(k + 1) +
							FAKE_INSTRUCTIONS * FAKE_INSTRUCTION_SIZE,
						.first = mod.code.len,
						.num = FAKE_INSTRUCTIONS,
						.samples = samples_in(p, k + 1),
						.has_lines = true};
		mod.samples += in.samples;
		assert_true(vec_push(&mod.procedures, in));
		for (int i = 0; i < FAKE_INSTRUCTIONS; i++) {
			struct feedback_instruction one = {
			    .address = FAKE_BEGIN(k + 1) + (uint64_t)i * FAKE_INSTRUCTION_SIZE,
			    .flow = i == 1 ? INSTRUCTION_CALL : INSTRUCTION_NEXT,
			    .samples = i == 2 ? in.samples : 0,
			    .executions = executions[k][i == 1]};
			assert_true(vec_push(&mod.code, one));
		}
	}
	p->f.m = p->m;
	p->f.c = &p->code;
	p->f.index = calloc(1, sizeof *p->f.index);
	assert_true(vec_push(&p->f.modules, mod));
}

void fake_feedback_end(struct fake_feedback *p)
{
	vec_free(&p->f.modules.at[0].procedures);
	vec_free(&p->f.modules.at[0].code);
	vec_free(&p->f.modules.at[0].calls);
	vec_free(&p->f.modules);
	free(p->f.index);
	free(p->f.taken);
	free(p->f.exact);
	symbolized_deinit(&p->code);
	model_destroy(p->m);
}

struct feedback_procedure *fake_procedure(struct fake_feedback *p, int function)
{
	return &p->f.modules.at[0].procedures.at[function - 1];
}
