/* The start and end of threads. Nothing here runs in a handler unless it says so. */
#ifndef RUNTIME_PROCESS_THREAD_H
#define RUNTIME_PROCESS_THREAD_H

#include "runtime/trees/thread_record.h"

/* Begin to measure this thread. promise: from its creator, or NULL; it is dropped. [low, high):
 * the thread's own stack. If that fails (no memory, no source), the thread is not measured. */
void csprof_thread_start(struct csprof_promise *promise, uintptr_t low, uintptr_t high);

/* The same in a thread that runs already, which our signal has interrupted. Returns false if that
 * is to be tried again. Async-signal-safe. */
bool csprof_thread_adopt(uintptr_t low, uintptr_t high, void *ucontext);

/* Have csprof_thread_end called when this thread ends, in whatever way. */
void csprof_thread_end_later(void);

/* Add the name of the source that this thread got in its handler to the report of the event.
 * Async-signal-safe; if the lock is held, csprof_thread_close does it later. */
struct csprof_sampler;
void csprof_thread_name_source(const struct csprof_sampler *p);

/* The time to the first sample of a thread whose samples have been coming for ever, at any instant.
 * The caller holds the lock, and the thread does not use its state. */
uint64_t csprof_thread_first(csprof_state_t *state, struct csprof_sampler *p);

/* This thread's sources have been stopped: start others and continue. The caller holds the
 * lock. */
void csprof_thread_resample(csprof_state_t *state);

/* The thread's function has returned: take no more samples. From here on destructors run, and
 * one of them may free a signal stack that is still in use, because the program expects no
 * signals any more. Their time is counted in the tail. */
void csprof_thread_returning(void);

/* This thread may have a new name: keep it, in case that the thread's end is not seen, as when the
 * process is killed or ends by a system call. Leaves errno as it is. Async-signal-safe. */
void csprof_thread_named(void);

/* End the measurement of the thread: close its account and free its memory outside the store. */
void csprof_thread_end(void);

/* The process is no longer measured: give back all that this thread has, which our signal has
 * interrupted. Returns false if that is to be tried again. Async-signal-safe. */
bool csprof_thread_let_go(void *ucontext);
/* The same for threads that have ended without csprof_thread_end: by a system call of their own, or
 * because they were asked to be measured when libc had already called what is to be called at a
 * thread's end. Async-signal-safe. */
void csprof_threads_bury(void);

/* The longest wait for other threads' handlers, in total. */
enum { CSPROF_WAIT_NS = 1000 * 1000 * 1000 };
/* Wait until no handler of the thread runs, but not beyond until (monotonic clock). Returns
 * whether none runs; for the calling thread that is always true. The caller holds the lock and
 * has made sure that handlers return at once. */
bool csprof_thread_wait_idle(const csprof_state_t *state, uint64_t until);

/* Close the account of a thread whose sampling has stopped: its clock, its tail, its name.
 * csprof_thread_reopen continues from there. */
void csprof_thread_close(csprof_state_t *state);
void csprof_thread_reopen(csprof_state_t *state);

/* In a forked child: drop what the parent's threads left in our memory. Returns the bounds of
 * this thread's stack. */
void csprof_threads_forget(uintptr_t *low, uintptr_t *high);

/* The process is about to be killed: restore the return addresses of all threads, as far as none of
 * them is in a handler of ours. Async-signal-safe. */
void csprof_threads_restore(void);
/* Take away the marks of all threads, and mark nothing more. Not for handlers. */
void csprof_threads_unmark(void);

#endif
