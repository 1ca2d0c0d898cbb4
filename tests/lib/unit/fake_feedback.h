/* A module of four functions, and samples of call paths through them, whose true numbers of calls a
 * test knows. Each function has four instructions, the second of which calls. */
#ifndef TESTS_LIB_UNIT_FAKE_FEEDBACK_H
#define TESTS_LIB_UNIT_FAKE_FEEDBACK_H

#include "hpcprof/export/feedback/code.h"
#include "tests/lib/unit/fake_code.h"

enum { FAKE_INSTRUCTIONS = 4, FAKE_INSTRUCTION_SIZE = 4, FAKE_CALLERS = 3 };
enum { A = 1, B, X, Y, FAKE_END };
#define FAKE_BEGIN(function) FAKE_CODE(function, 0, 0, 0)
#define FAKE_CALL(function) (FAKE_BEGIN(function) + FAKE_INSTRUCTION_SIZE)

/* Samples in the third instruction of a function, which was called by up to three others,
 * outermost first. */
struct fake_path {
	int callers[FAKE_CALLERS], in;
	uint64_t samples;
};

struct fake_feedback {
	struct model *m;
	struct symbolized code;
	struct feedback f;
	const struct fake_path *paths;
	size_t num_paths;
};

/* executions: of each function's entry and of its call. If memory runs out, the test ends. */
void fake_feedback_begin(struct fake_feedback *p, const struct fake_path *paths, size_t n,
			 const double executions[FAKE_END - 1][2]);
void fake_feedback_end(struct fake_feedback *p);

struct feedback_procedure *fake_procedure(struct fake_feedback *p, int function);

#endif
