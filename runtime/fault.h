/* A fault in our own handler: a module that another thread unmaps while its unwind
 * information is read, a broken stack. It must not end the program. */
#ifndef RUNTIME_FAULT_H
#define RUNTIME_FAULT_H

#include <signal.h>
#include <stdbool.h>

typedef struct csprof_state csprof_state_t;

/* Where a fault in a guarded piece of work goes on. */
struct csprof_guard {
	void *resume[5]; /* of __builtin_setjmp */
	bool on;
};

/* Do work(arg). False where it faulted in our code: what it began stays as it was then,
 * but our lock, if the work took it, is free again, and this thread is not measured any
 * more (one line on stderr says so): its source is quiet, and its time from now on is
 * "measuring off". Only in what has the thread's busy flag. Async-signal-safe. */
bool csprof_guarded(csprof_state_t *state, void (*work)(csprof_state_t *, void *), void *arg);

/* The handler of SIGSEGV and SIGBUS: what is not our fault is the program's. */
void csprof_fault_handler(int sig, siginfo_t *info, void *ucontext);

#endif
