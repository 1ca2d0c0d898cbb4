/* Samples of the time that a thread does not run: BLOCKED and RUNNABLE (events/realtime.c).
 * Async-signal-safe; for the calling thread and its state, unless it says otherwise. */
#ifndef RUNTIME_SAMPLE_WALL_H
#define RUNTIME_SAMPLE_WALL_H

#include "runtime/process/state.h"

#include <stdbool.h>
#include <stdint.h>

/* In a forked child: nothing was spent yet. */
void csprof_wall_forget(void);

/* The thread begins: its record is made, and its samplers are not yet started. */
void csprof_wall_begin(csprof_state_t *state);

/* The mean time between looks at a thread now, and a random one with that mean. */
uint64_t csprof_wall_period(csprof_state_t *state, const struct csprof_sampler *p);

/* The timer has sent our signal. Returns whether it has interrupted a wait, which is then to be
 * continued, and csprof_wall_over to be called when that is done. */
bool csprof_wall_sample(csprof_state_t *state, struct csprof_sampler *p, const void *ucontext);

/* Whether a sample has found the thread in a wait that its handler is to continue. */
bool csprof_wall_quiet(const csprof_state_t *state);
bool csprof_wall_waits(const csprof_state_t *state);

/* The handler returns. ended: the wait has ended in it; else the thread will wait again. */
void csprof_wall_over(csprof_state_t *state, const void *ucontext, bool ended);

/* A handler that continued a wait was left by longjmp. */
void csprof_wall_abandoned(csprof_state_t *state);

/* The wait that a sample has found is left to the thread, and has a time limit that has just begun
 * again: there is no look at the thread until it has used CPU time. */
void csprof_wall_leave(csprof_state_t *state);

/* A sample of the thread's CPU time has taken that much. */
void csprof_wall_allow(csprof_state_t *state, uint64_t ns);

/* The thread is closed, maybe while it waits, by itself or another one, which holds the lock: the
 * clock of BLOCKED has ended. */
void csprof_wall_close(csprof_state_t *state, bool self);

#endif
