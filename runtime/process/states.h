/* The memory of threads' states, and the list of those in use. The caller holds the process's lock;
 * async-signal-safe. */
#ifndef RUNTIME_PROCESS_STATES_H
#define RUNTIME_PROCESS_STATES_H

#include "runtime/process/state.h"

/* An empty state, with samplers for all events; NULL: there is no memory. */
csprof_state_t *csprof_state_new(void);
/* What it refers to is freed, too. The thread's marks have been ended, kept or forgotten. */
void csprof_state_free(csprof_state_t *state);

/* Put it into the list csprof_process.threads, and take it out. */
void csprof_state_link(csprof_state_t *state);
void csprof_state_unlink(csprof_state_t *state);

#endif
