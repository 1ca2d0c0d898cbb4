/*
 * Walks stacks in the signal handlers of tests: our unwinder with the bounds of the stacks that a
 * test uses. Header only; included once per program.
 */
#ifndef TESTS_LIB_UNIT_WALK_H
#define TESTS_LIB_UNIT_WALK_H

#include <pthread.h>
#include <stdlib.h>

#include "runtime/cpu/cpu.h"

struct walk_stack {
	uintptr_t low, high;
};

/* Up to two stacks: the thread's own and an alternate one. */
static struct walk_stack walk_stacks[2];

/* Find the calling thread's stack. 0, or -1. */
static inline int walk_learn_stack(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return -1;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	walk_stacks[0] = (struct walk_stack){(uintptr_t)low, (uintptr_t)low + size};
	return 0;
}

/*
 * Continue the walk from `cur`. Stores at most `max` frames and their number. Returns the result of
 * the last step (OK: there are more frames than max).
 */
static inline int walk_from(struct csprof_cursor *cur, struct csprof_frame *frames, int max, int *n)
{
	int rc = CSPROF_STEP_OK;

	for (*n = 0; *n < max && rc == CSPROF_STEP_OK;) {
		const struct walk_stack *stack = &walk_stacks[0];
		/* The main thread's stack grows: only memory above a stack pointer, and the red
		 * zone below it, certainly exists. */
		uintptr_t low;

		if (cur->sp < stack->low || cur->sp > stack->high)
			stack = &walk_stacks[1];
		low = (*n == 0 || cur->exact) ? cur->sp - 128 : cur->sp;
		frames[(*n)++] =
		    (struct csprof_frame){.ip = cur->ip, .sp = cur->sp, .exact = cur->exact};
		rc = csprof_cpu.step(cur, low, stack->high);
	}
	return rc;
}

static inline int walk_context(const void *context, struct csprof_frame *frames, int max, int *n)
{
	struct csprof_cursor cur;

	csprof_cpu.from_context(&cur, context);
	return walk_from(&cur, frames, max, n);
}

#endif
