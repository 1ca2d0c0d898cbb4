#include "runtime/interception/stacks.h"

#include "runtime/interception/signals.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A sample takes up to 6 KB, and while it continues a call of the program, others may come on top
 * of it: CSPROF_MAX_PARKED. Pages are touched when they are used. */
enum { OURS_BYTES = 64 * 1024, SMALL_STACK = 128 * 1024 };

/* Of this thread. Kept over fork. */
static __thread struct {
	void *ours;    /* an alternate stack of ours, or NULL */
	bool in_use;   /* the kernel has it */
	bool tiny;     /* the thread's own stack has no room for our handler */
	stack_t asked; /* then: what the program wants, SS_DISABLE: nothing */
} alternate;

/* Give the kernel our stack. 0 or -errno. */
static int use_ours(const stack_t *asked)
{
	if (!alternate.ours)
		alternate.ours = os_map(OURS_BYTES);
	if (!alternate.ours)
		return -ENOMEM;
	stack_t ours = {.ss_sp = alternate.ours,
			.ss_size = OURS_BYTES,
			.ss_flags = asked->ss_flags & ~(SS_DISABLE | SS_ONSTACK)};
	int r = os_alternate_stack(&ours, NULL);
	if (r == 0) {
		alternate.in_use = true;
		alternate.asked = *asked;
	}
	return r;
}

/* What the program would be told of the kernel's stack. */
static void tell(stack_t *old)
{
	if (!alternate.in_use || old->ss_sp != alternate.ours)
		return;
	int on = old->ss_flags & SS_ONSTACK;
	*old = alternate.asked;
	if (!(old->ss_flags & SS_DISABLE))
		old->ss_flags |= on;
}

int csprof_stacks_alternate(const stack_t *stack, stack_t *old)
{
	stack_t before;
	uint64_t mask = csprof_signal_hold();
	int r = os_alternate_stack(stack, &before);
	if (r == 0 && old) {
		*old = before;
		tell(old);
	}
	if (r == 0 && stack) {
		alternate.in_use = false;
		/* if there is no memory, it stays as it is */
		if (os_is_small_stack(stack) || (alternate.tiny && stack->ss_flags & SS_DISABLE))
			use_ours(stack);
	}
	csprof_signal_release(mask);
	return r;
}

static const stack_t none = {.ss_flags = SS_DISABLE};

void csprof_stacks_main_begin(char *const *environment)
{
	static const char name[] = "HEAPCHECK=";
	for (; *environment; environment++)
		if (strncmp(*environment, name, sizeof name - 1) == 0 &&
		    (*environment)[sizeof name - 1]) {
			stack_t before;
			uint64_t mask = csprof_signal_hold();
			alternate.tiny = true;
			if (os_alternate_stack(NULL, &before) == 0 && before.ss_flags & SS_DISABLE)
				use_ours(&none);
			csprof_signal_release(mask);
			return;
		}
}

void csprof_stacks_thread_begin(size_t size)
{
	alternate.tiny = size && size < SMALL_STACK;
	if (alternate.tiny)
		use_ours(&none);
}

void csprof_stacks_thread_end(void)
{
	if (!alternate.ours)
		return;
	if (alternate.in_use && os_alternate_stack(&none, NULL) != 0)
		return; /* it runs there */
	os_unmap(alternate.ours, OURS_BYTES);
	alternate.ours = NULL;
	alternate.in_use = false;
}
