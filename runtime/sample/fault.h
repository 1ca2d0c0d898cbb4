/* Faults in our own handler, because another thread unmaps a module while its unwind information
 * is read, or because of a broken stack. They must not end the program. */
#ifndef RUNTIME_SAMPLE_FAULT_H
#define RUNTIME_SAMPLE_FAULT_H

#include <signal.h>
#include <stdbool.h>

typedef struct csprof_state csprof_state_t;

/* Where execution continues after a fault in guarded work. */
struct csprof_guard {
	void *resume[5]; /* of __builtin_setjmp */
	bool on;
	bool foreign; /* the work is code of others (upcalls.c), and its faults are meant, too */
};

/* Do work(arg). Returns false if it faulted in our code: its unfinished changes remain, but if
 * it took our lock, the lock is free again. The thread is then no longer measured (a line on
 * stderr says so): its source is silent, and its time from now on is "measuring off". The caller
 * has set the thread's busy flag. Async-signal-safe. */
bool csprof_guarded(csprof_state_t *state, void (*work)(csprof_state_t *, void *), void *arg);

/* The same, but the thread remains measured: a fault has no consequences. May be called by such
 * work. */
bool csprof_attempt(csprof_state_t *state, void (*work)(csprof_state_t *, void *), void *arg);

/* The handler of SIGSEGV and SIGBUS. Faults outside our code are passed to the program. */
void csprof_fault_handler(int sig, siginfo_t *info, void *ucontext);

#endif
