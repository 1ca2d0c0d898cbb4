/* Measuring is stopped, and started again: of the process by the program, or from outside, and of a
 * thread by itself. What a stopped thread does is not sampled, and its clocks' time is "stopped" in
 * the account.
 *
 * From outside: another process writes what it wants to the store's header, and sends the process
 * our signal with STORE_CONTROL_VALUE. One of its threads answers, in its handler. */
#ifndef RUNTIME_PROCESS_CONTROL_H
#define RUNTIME_PROCESS_CONTROL_H

#include "runtime/process/state.h"

#include <signal.h>

/* A new store was made: begin stopped if the measurement is. in_child: as the parent was. */
void csprof_control_begin(bool in_child);
/* The same for a thread that begins. The caller holds the lock. */
void csprof_control_begin_thread(csprof_state_t *state);
/* A forked child: its only thread is this one, which was stopped if the state says so. */
void csprof_control_forget(const csprof_state_t *self);
/* A thread's clocks have ended: what they advanced while it was stopped. */
void csprof_control_close(csprof_state_t *state, const struct csprof_sampler *p);

/* Stop or start measuring, the process or the calling thread. Not for handlers. */
void csprof_control_process(bool stop);
void csprof_control_thread(bool stop);

/* If the signal asks for it, do what the header says, now or when the lock is free. Returns whether
 * it does. Async-signal-safe. */
bool csprof_control_signal(const siginfo_t *info);
/* The lock is free. Async-signal-safe. */
void csprof_control_unlocked(void);

#endif
