/* A module's procedures by the calls that led to them, for profiles that tell calling contexts
 * apart. Used by one thread.
 *
 * A context of a procedure is a list of calls, from the procedure outward: as far as they are in
 * procedures of the same module, of which none is there twice, and at most CONTEXT_MOST_CALLS. What
 * called the outermost one is not told apart. A context with few samples is counted as the one
 * without its outermost call, unless it is that of the caller of one with more: LLVM finds a
 * context only by those of its callers. */
#ifndef HPCPROF_EXPORT_FEEDBACK_CODE_CONTEXTS_H
#define HPCPROF_EXPORT_FEEDBACK_CODE_CONTEXTS_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/export/feedback/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CONTEXT_MOST_CALLS = 10,
	CONTEXT_LEAST_SAMPLES = 100, /* to have an error of a tenth by chance */
	CONTEXT_LEAST_PART = 2000    /* of the module's samples, one of so many */
};

struct code_context {
	uint32_t shorter;   /* that without the outermost call; CONTEXT_NONE: there is no call */
	uint32_t call;      /* the outermost call: in the module's code */
	uint32_t procedure; /* of the module */
	uint32_t calls;     /* how many */
	uint64_t samples;
	double near; /* also of what it called: see calls.h. 0: it is counted as shorter ones */
	bool needed; /* as the caller of one with samples */
};

/* Samples of an instruction in a context. */
struct context_samples {
	uint32_t context, instruction;
	uint64_t samples;
};

/* A call in a context. */
struct context_call {
	uint32_t context;
	struct feedback_call call; /* its share is 0 */
};

/* Where the address of a frame is in m; both are UINT32_MAX: nowhere. */
struct context_place {
	uint32_t instruction, procedure;
};

/* All zeros is empty. */
struct code_contexts {
	const struct feedback *f;
	const struct feedback_module *m;
	struct interner keys;
	double *near; /* [procedures] of all their contexts */
	/* of the module's frames, which begin with first_frame */
	struct context_place *places;
	uint32_t first_frame, num_places;
	VEC(struct code_context) all; /* each after the one that is shorter */
	/* by context, then by instruction or call */
	VEC(struct context_samples) samples;
	VEC(struct context_call) calls;
};

/* Find the contexts of m, which is f's. False if memory ran out. Deinit it either way. */
bool code_contexts_find(struct code_contexts *s, const struct feedback *f,
			const struct feedback_module *m);
void code_contexts_deinit(struct code_contexts *s); /* takes NULL */

/* The procedure, which has samples, as it ran in a context: a module with this procedure alone, its
 * samples, executions and calls. What else is in it is m's. False if memory ran out. Free it either
 * way. */
bool code_context_view(const struct code_contexts *s, uint32_t context,
		       struct feedback_module *view);
void code_context_free_view(struct feedback_module *view);

#endif
