/* The system call that a signal of ours has interrupted: the program must not notice. Called at the
 * end of the handler, in the interrupted thread, which need not be measured; async-signal-safe. */
#ifndef RUNTIME_SAMPLE_CALL_H
#define RUNTIME_SAMPLE_CALL_H

#include "runtime/process/state.h"

/* What is known of the calls of this thread, measured or not. A forked child goes on with them. */
struct csprof_calls {
	uint32_t parked;           /* handlers that continue a system call of the program */
	bool any;                  /* any handler of the program ends it, also with SA_RESTART */
	const void *outer_context; /* of the first of them */
	/* Where the program makes a call again after a sample (sp 0: nowhere), and which. A later
	 * one that begins there is another if its pc or number is. */
	struct csprof_again {
		uintptr_t sp, pc;
		int number;
		bool any; /* as any above */
	} again;
	/* When the last call with a time limit began (monotonic clock; 0: none), the frame of its
	 * wrapper, and libc's function. */
	uint64_t limited_since;
	uintptr_t limited_frame, limited_function;
};
extern __thread struct csprof_calls csprof_calls;

/* The calling thread is about to make a call that has a time limit, which would begin again if the
 * call was made again. For wrappers that end with a call of libc's function. */
void csprof_call_limited(const void *function);

/* Whether the call that the handler has continued ended because its time was over. */
bool csprof_call_timed_out(const void *ucontext);

/* For csprof_cpu_returned: a handler of the program is about to return to that context. */
void csprof_call_handler_returns(void *ucontext, bool restarts);

/* If a signal of the program came together with ours, sig, and its handler interrupts system calls,
 * let it not find the call that the kernel restarts because of ours. */
void csprof_call_end_restarted(int sig, void *ucontext);

/* Our handler continues a call of this thread, and the interrupted code is that of ours which makes
 * it: the context of the program's call; else ucontext. */
const void *csprof_call_context(const void *ucontext);

/* The program has left calls that were continued, by longjmp out of a handler of its own: the stack
 * pointer is above them now. Returns whether it has. */
bool csprof_call_forget_abandoned(const csprof_state_t *state, const void *ucontext);

/* Continue the interrupted call, or let the program make it again. It may end by a longjmp of a
 * handler of the program, and then does not return. state is that of the thread, or NULL. Returns
 * whether it has ended. If a look at the thread found it waiting (wall.h), that includes a call
 * that the kernel would restart. */
bool csprof_call_continue(csprof_state_t *state, int sig, void *ucontext);

#endif
