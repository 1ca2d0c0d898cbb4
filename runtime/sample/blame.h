/* Who makes other threads wait: see blame.c. Measured with BLOCKED. Async-signal-safe, for the
 * calling thread and its state, unless it says otherwise. */
#ifndef RUNTIME_SAMPLE_BLAME_H
#define RUNTIME_SAMPLE_BLAME_H

#include "runtime/process/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In a forked child: nobody waits. */
void csprof_blame_forget(void);

/* The thread begins; it has this timer, which a thread that waits for it lets expire, negative: no
 * more; and ends. */
void csprof_blame_begin(csprof_state_t *state);
void csprof_blame_timer(csprof_state_t *state, int timer);
/* From now on the timer must not expire for others, because a call of the thread would last longer;
 * or it may again. */
void csprof_blame_quiet(csprof_state_t *state, bool quiet);
void csprof_blame_end(csprof_state_t *state);

/* Whether it is a thread of this process that can be charged. */
bool csprof_blame_knows(uint32_t tid);

/* Whether another thread has let the thread's timer expire, because it waits for it. Once. */
bool csprof_blame_asked(csprof_state_t *state);

/* A sample of the thread: charge it with what others have waited for the thread. */
struct csprof_place {
	store_ref node;
	uint64_t weight; /* ns for which it stands */
	uint64_t cpu;    /* CPU clock */
	bool waits;      /* it is of a wait */
	bool asked;      /* see above */
};
void csprof_blame_at(csprof_state_t *state, const struct csprof_place *at);

/* A look has found the thread in a wait (ucontext), at that node, and charged `waited` ns to it.
 * now: monotonic clock. */
void csprof_blame_wait(csprof_state_t *state, const void *ucontext, store_ref node, uint64_t waited,
		       uint64_t now);

/* The wait is over (monotonic clock), and as BLOCKED charged up to `left` ns before that. came:
 * what it waited for did. */
void csprof_blame_over(csprof_state_t *state, uint64_t end, uint64_t left, bool came);

/* Charge the thread with what is known. It is called by the thread (self), or by another one that
 * holds the lock. Its trees may be moved after that. */
void csprof_blame_close(csprof_state_t *state, bool self);

/* ---- for wrappers of functions that end the waits of other threads ---- */

/* ONE: the function has ended the wait of one thread for the object; ALL: of all. ARRIVES: the
 * calling thread may be the last one for which they wait. */
enum csprof_release { CSPROF_RELEASES_ONE, CSPROF_RELEASES_ALL, CSPROF_ARRIVES };

void csprof_blame_release(const void *object, size_t bytes, enum csprof_release how);

#endif
