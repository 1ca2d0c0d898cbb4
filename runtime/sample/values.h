/* Value profiles: after a sample the next instructions are single-stepped, and the values that they
 * produce are recorded (trees/values.h). DCPI's libuvprof interpreted them; here the CPU executes
 * them and sends SIGTRAP after each, so that nothing has to be imitated.
 *
 * A window is open from a sample until its last step. None is opened where SIGTRAP would not come
 * to us, or where somebody else would see it: see enum csp_value_refusal. */
#ifndef RUNTIME_SAMPLE_VALUES_H
#define RUNTIME_SAMPLE_VALUES_H

#include "runtime/process/state.h"

#include <signal.h>
#include <stdbool.h>

/* At the start. filtered: whether the calling thread is under a filter of system calls;
 * async-signal-safe. */
void csprof_values_begin(bool (*filtered)(void));

/* A sample of p was recorded, and its handler is about to return to the context: open a window,
 * which changes the context's flags. Async-signal-safe. */
void csprof_values_sample(csprof_state_t *state, struct csprof_sampler *p, void *ucontext);

/* A sample is about to be taken in a window, perhaps: what the window took until now is not the
 * program's. Async-signal-safe. */
void csprof_values_interrupted(csprof_state_t *state, const void *ucontext);

/* The thread is no longer measured: the same, and end the window. Async-signal-safe. */
void csprof_values_leave(csprof_state_t *state, void *ucontext);

/* A SIGTRAP: if it is a step of a window, record what the instruction did and return true. Returns
 * false for what others have caused. Async-signal-safe. */
bool csprof_values_trap(csprof_state_t *state, const siginfo_t *info, void *ucontext);

/* The part of the CPU time since its start, ran, that the thread's windows took: hundredths of a
 * percent, at most half of the budget. Async-signal-safe. */
uint32_t csprof_values_share(const csprof_state_t *state, uint64_t ran);

/* The thread's state is no longer used. */
void csprof_values_deinit(csprof_state_t *state);

#endif
