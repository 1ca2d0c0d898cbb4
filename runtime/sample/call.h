/* The system call that a signal of ours has interrupted: the program must not notice. Called at the
 * end of the handler, in the interrupted thread; async-signal-safe. */
#ifndef RUNTIME_SAMPLE_CALL_H
#define RUNTIME_SAMPLE_CALL_H

#include "runtime/process/state.h"

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
/* Continue the interrupted call, or let the program make it again. It may end by a longjmp of a
 * handler of the program, and then does not return. state is that of the thread. Returns whether it
 * has ended. If a look at the thread found it waiting (wall.h), that includes a call that the
 * kernel would restart. */
bool csprof_call_continue(csprof_state_t *state, int sig, void *ucontext);

#endif
