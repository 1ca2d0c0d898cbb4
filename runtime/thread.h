/* Threads that come and go. But for what says so nothing here runs in a handler. */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

#include "runtime/thread_record.h"

/* Begin measuring this thread. promise: of who made it, which is dropped, or NULL;
 * [low, high): where its own stack lies. Where that fails (no memory, no source)
 * the thread runs on unmeasured. */
void csprof_thread_start(struct csprof_promise *promise, uintptr_t low, uintptr_t high);

/* See to it that csprof_thread_end runs when this thread ends, however it does. */
void csprof_thread_end_later(void);

/* The source that this thread has got in its handler is named to the report. Async-signal-safe;
 * where the lock is held, csprof_thread_close does it. */
void csprof_thread_name_source(const csprof_state_t *state);

/* This thread's source has been given back: give it another, and go on. With the lock
 * held. */
void csprof_thread_resample(csprof_state_t *state);

/* The thread's function has returned: no more samples. What runs now are destructors, and
 * one of them may free a signal stack that is still in use, as nobody expects a signal
 * any more. What they take is in the tail. */
void csprof_thread_returning(void);

/* End it: the account is closed, what the thread held besides the store is freed. */
void csprof_thread_end(void);

/* How long to wait for other threads' handlers, in all. */
enum { CSPROF_WAIT_NS = 1000 * 1000 * 1000 };
/* Wait until no handler of a thread is at work, but not beyond until (monotonic clock):
 * whether none is. Of the calling thread none is. With the lock held, for threads whose
 * handlers find that they have nothing to do. */
bool csprof_thread_wait_idle(const csprof_state_t *state, uint64_t until);

/* Close the account of a thread whose sampling has stopped: its clock now, its tail,
 * its name. After csprof_thread_reopen it goes on from there. */
void csprof_thread_close(csprof_state_t *state);
void csprof_thread_reopen(csprof_state_t *state);

/* In a forked child: drop what the parent's threads left in our memory. Returns the
 * bounds of this thread's stack. */
void csprof_threads_forget(uintptr_t *low, uintptr_t *high);

#endif
