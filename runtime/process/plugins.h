/* Drivers that are loaded with the program (runtime/hpcrun_driver.h). */
#ifndef RUNTIME_PROCESS_PLUGINS_H
#define RUNTIME_PROCESS_PLUGINS_H

#ifndef HPCRUN_INTERFACE_ONLY
#define HPCRUN_INTERFACE_ONLY
#endif
#include "runtime/hpcrun_driver.h"
#include "runtime/process/state.h"

/* Start a driver, unless it was started before. file: where it is, as in LD_PRELOAD. Returns what
 * it is told, or NULL: it is off. Not for handlers. */
const struct hpcrun_driver_host *csprof_plugin_start(const struct hpcrun_driver *driver,
						     const char *file);

/* The calling thread, which is measured, begins or ends. Not for handlers. */
void csprof_plugins_thread_start(void);
void csprof_plugins_thread_stop(void);

/* In a forked child, which is measured. */
void csprof_plugins_in_child(void);

/* All destructors have run. */
void csprof_plugins_exiting(void);

/* The measurement ends, or (again) an exec may follow, after which it goes on if that fails. */
void csprof_plugins_stop(bool again);

/* Our signal has come: whether the source of a driver has sent it. Then its sample is taken, if one
 * can be. state: of the thread, may be NULL. Async-signal-safe, if the drivers are. */
bool csprof_plugins_signal(csprof_state_t *state, const siginfo_t *info, void *ucontext);

/* The program is about to restrict its system calls: find out whether the drivers' are still
 * allowed. The caller holds the lock. */
void csprof_plugins_restrict(bool (*allowed)(const void *filter, int number), const void *filter);

#endif
