/* The samplers of a thread, one for each event, as a whole. Async-signal-safe; any thread may call
 * what only reads or silences. */
#ifndef RUNTIME_PROCESS_SAMPLERS_H
#define RUNTIME_PROCESS_SAMPLERS_H

#include "runtime/process/state.h"

#include <stdbool.h>

/* The samplers of a state, in the order of csprof_process.measured. */
#define CSPROF_EACH_SAMPLER(state, p)                                                              \
	for (struct csprof_sampler *p = (state)->samplers;                                         \
	     p < (state)->samplers + csprof_process.num_measured; p++)

/* Whether samples are wanted: not while the process ends, and not after the source was stopped, nor
 * while measuring is. */
bool csprof_sampler_wanted(const struct csprof_sampler *p);

/* Whether any of them has a source; is wanted (see above); has a sample that came while the thread
 * was busy. */
bool csprof_samplers_any(const csprof_state_t *state);
bool csprof_samplers_wanted(const csprof_state_t *state);
/* Whether any is, or will be when measuring is started again. */
bool csprof_samplers_measured(const csprof_state_t *state);
bool csprof_samplers_pending(const csprof_state_t *state);
/* Stop sending. Any thread may call it. */
void csprof_samplers_quiet(csprof_state_t *state);
/* The same for an event of a thread, perhaps another one, whose handlers return at once from now
 * on: one more signal may come (runtime/drivers/driver.h). */
void csprof_sampler_hush(const csprof_state_t *state, struct csprof_sampler *p);
/* From now on no samples come, and the account says why. Only those that still come are affected.
 */
void csprof_samplers_rest(csprof_state_t *state, enum csp_disposition why);
/* Whether any rests for that reason. */
bool csprof_samplers_resting(const csprof_state_t *state, enum csp_disposition why);
/* Release the sources. in_child: see csprof_driver. */
void csprof_samplers_stop(csprof_state_t *state, bool in_child);

#endif
