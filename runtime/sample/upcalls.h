/* Upcalls: functions of the program, or of a plug-in, that are called for samples
 * (runtime/hpcrun.h).
 *
 * They run in our handler. If one faults, or takes more than its part of the time, it is switched
 * off, and the program goes on. */
#ifndef RUNTIME_SAMPLE_UPCALLS_H
#define RUNTIME_SAMPLE_UPCALLS_H

#ifndef HPCRUN_INTERFACE_ONLY
#define HPCRUN_INTERFACE_ONLY
#endif
#include "runtime/hpcrun.h"
#include "runtime/process/state.h"

/* See hpcrun_upcall_start; event NULL: the first one. Returns its number, or a negative errno:
 * -ENOENT, -ENOSPC, -EINVAL, -ENOTSUP (the process is not measured). Not for handlers. */
int csprof_upcall_start(const char *event, hpcrun_upcall *function, void *arg,
			const struct hpcrun_upcall_options *options);
/* When it returns, no thread is in the function any more, but if the caller is in an upcall. Not
 * for handlers otherwise. */
void csprof_upcall_stop(int id);
/* Returns -EINVAL if there was never such an upcall. */
int csprof_upcall_stats(int id, struct hpcrun_upcall_stats *stats);

/* In a forked child, whose CPU time begins at 0. */
void csprof_upcalls_in_child(void);

/* The measurement ends, and the program goes on: call none any more. Async-signal-safe. */
void csprof_upcalls_end(void);

/* A sample was recorded: call the functions that want it. The state's frames are its path.
 * Async-signal-safe, if they are. */
void csprof_upcalls_sample(csprof_state_t *state, const struct csprof_sampler *p,
			   const void *ucontext, uint64_t weight, bool complete);
/* Whether the calling thread is in one. Async-signal-safe. */
bool csprof_upcalls_running(void);

#endif
