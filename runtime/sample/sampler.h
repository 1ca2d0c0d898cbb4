/* What a thread has for each event by which it is sampled: a source that sends our signal, its
 * pace, and its part of the account. Async-signal-safe, unless it says otherwise; for the calling
 * thread and its state. */
#ifndef RUNTIME_SAMPLE_SAMPLER_H
#define RUNTIME_SAMPLE_SAMPLER_H

#include "runtime/process/samplers.h"
#include "runtime/process/state.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The current time of the thread: one reading if the event's clock is CPU time. */
struct csprof_instant csprof_sampler_now(struct csprof_sampler *p);

/* Uniform in [P/2, 3P/2): a fixed period would give wrong results for a program that runs in step
 * with it. In ns. */
uint64_t csprof_sampler_period(csprof_state_t *state, const struct csprof_sampler *p);

/* True once in n calls, at random. */
bool csprof_one_in(csprof_state_t *state, uint32_t n);

/* What the event's clock has advanced since the last call: the weight of a sample. */
uint64_t csprof_sampler_weight(csprof_state_t *state, struct csprof_sampler *p,
			       struct csprof_instant now);
/* Set the mean time between samples that is asked for: of a count it depends on how many come. */
void csprof_sampler_ask(struct csprof_sampler *p);
/* Count a sample of that weight in the account. */
void csprof_sampler_account(const csprof_state_t *state, const struct csprof_sampler *p,
			    enum csp_disposition d, uint64_t weight);

/* Measuring took the CPU time from `began` to `now`, and about `kernel` ns besides, for p's event.
 */
void csprof_sampler_own_cpu(csprof_state_t *state, struct csprof_sampler *p, uint64_t began,
			    uint64_t now, uint64_t kernel);
/* The same for CPU time between the instants `since` and `now` that was partly the program's:
 * `took` ns of it were ours, and of p's event in proportion. What is accounted for by now, by a
 * sample in between, is left out. Returns how much it is. */
uint64_t csprof_sampler_own_part(csprof_state_t *state, struct csprof_sampler *p,
				 struct csprof_instant since, struct csprof_instant now,
				 uint64_t took);

/* Arm the source; it was `now` just before. True if it sends exactly at that time. */
bool csprof_sampler_arm(csprof_state_t *state, struct csprof_sampler *p, struct csprof_instant now,
			uint64_t next_ns);
/* The signal came too early: arm the source for the rest. */
void csprof_sampler_arm_again(csprof_state_t *state, struct csprof_sampler *p,
			      struct csprof_instant now, uint64_t rest_ns);
/* A sample that began then is complete. Count its time and cost, and arm the source: the next
 * period begins now, so however long the sample took, the program runs in between, and signals
 * that were sent in the meantime are ignored. */
void csprof_sampler_end(csprof_state_t *state, struct csprof_sampler *p,
			struct csprof_instant began);

/* The sampler whose source sent the signal to this thread, or NULL. */
struct csprof_sampler *csprof_sampler_of(csprof_state_t *state, const siginfo_t *info);

#endif
