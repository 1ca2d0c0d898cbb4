/* The runtime's classic interface: metrics, and the recording of call paths. What a
 * driver of samples or a wrapper of the program's functions is written against. */
#ifndef RUNTIME_CSPROF_H
#define RUNTIME_CSPROF_H

#include "formats/store.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- metrics: before the first sample, by one thread ------------------------------ */

/* How many columns there will be at the most; 0, or -EINVAL beyond
 * STORE_MAX_METRICS or after a first column was made. */
int csprof_set_max_metrics(uint32_t max);
/* The id of a new column, or -ENOSPC. */
int csprof_new_metric(void);
/* Describe a column. name is copied (63 bytes at the most); unit: "ns", "bytes",
 * "count"; flags: CSP_METRIC_*; period: events per unit of its values. event: which
 * clock accounts for it. 0 or -EINVAL. */
int csprof_set_metric_info_and_period(int id, const char *name, const char *unit, uint64_t flags,
				      uint64_t period, uint32_t event);
uint32_t csprof_num_metrics(void);
/* Copy the descriptions into the header of a new store. */
void csprof_metrics_to_store(struct store_header *h);

/* The columns of the CPU-time event: V and N. Made by csprof_metrics_init. */
enum { CSPROF_CPUTIME, CSPROF_CPUTIME_SAMPLES, CSPROF_CPUTIME_COLUMNS };
int csprof_metrics_init(uint64_t period_ns);

/* ---- recording ---------------------------------------------------------------------- */

/* May no sample be taken where a signal interrupted the code? If so *why is its
 * disposition (own code, load map changing, ...). Async-signal-safe. */
bool csprof_context_is_unsafe(const void *ucontext, enum csp_disposition *why);

/* Record the call path of the interrupted code with weight (and one sample) in event
 * metric's columns. Returns what became of it: CSP_RECORDED, CSP_PARTIAL or a
 * dropped disposition; the caller keeps the account. Async-signal-safe. */
enum csp_disposition csprof_sample_callstack(const void *ucontext, uint32_t metric,
					     uint64_t weight);

/* Record amount of a synchronous metric at the path of the caller. unwinds: how many
 * frames, from csprof_record_metric_with_unwind's own on, to leave out: 2 when a
 * wrapper calls it and its caller is to be blamed. (Frames of our own library never
 * show, however small unwinds is.) 0 or -ENOMEM; -ENOTSUP where the thread is not
 * measured. Not in a handler. */
int csprof_record_metric_with_unwind(uint32_t metric, uint64_t amount, uint32_t unwinds);

/* The recorded call at which a thread is being created: its tree and node in the
 * store, or 0, 0. Not in a handler. */
void csprof_record_creator(store_ref *tree, store_ref *node);

/* The handler of our signal. */
void csprof_signal_handler(int sig, siginfo_t *info, void *ucontext);
/* Is this a signal from the calling thread's source of samples? Async-signal-safe. */
bool csprof_sample_sent(const siginfo_t *info);
/* The calling thread's source is quiet, and its rest not CSP_TAIL: let the clock's advance
 * be of that disposition, and sampling go on. Async-signal-safe. */
void csprof_sample_resume(void);
/* Such a signal was taken in another way than by the handler: no sample, but the source
 * goes on. Async-signal-safe. */
void csprof_sample_put_off(void);

/* What measuring takes of a thread's time has a row of the account ("own code"), apart from
 * the program's. The handler takes care of its own; these are for what runs outside it.
 *
 * The thread has just begun: what its clock advanced since its last sample, if there was
 * one, was ours. Not in a handler. */
void csprof_own_start(void);
/* What it advances between these two is; a sample that comes meanwhile is put off to the
 * end. Where another such stretch is open the first returns false, and the second is not to
 * be called. Not in a handler. */
bool csprof_own_begin(void);
void csprof_own_end(void);

/* What a handler would make when the source needs it is made now, because later it may not be
 * allowed to, or its thread not be alone. Not in a handler. */
void csprof_sample_settle(void);

#endif
