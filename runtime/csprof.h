/* The classic interface of the runtime: metrics, and the recording of call paths. Drivers and
 * the wrappers of the program's functions use it. */
#ifndef RUNTIME_CSPROF_H
#define RUNTIME_CSPROF_H

#include "formats/store/store.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- metrics: before the first sample, by one thread ------------------------------ */

/* Set the maximum number of columns. Returns 0, or -EINVAL if max is above STORE_MAX_METRICS or
 * a column already exists. */
int csprof_set_max_metrics(uint32_t max);
/* Returns the id of a new column, or -ENOSPC. */
int csprof_new_metric(void);
/* Describe a column. name is copied, at most 63 bytes. unit: "ns", "bytes" or "count". flags:
 * CSP_METRIC_*. period: events per unit of its values. event: the clock that accounts for it.
 * Returns 0 or -EINVAL. */
int csprof_set_metric_info_and_period(int id, const char *name, const char *unit, uint64_t flags,
				      uint64_t period, uint32_t event);
uint32_t csprof_num_metrics(void);
/* Those that all nodes have room for: all but the program's. */
uint32_t csprof_num_common_metrics(void);
/* The number of clocks of a thread: that of CPU time, and one per other event. */
uint32_t csprof_num_clocks(void);
/* Copy the descriptions into the header of a new store. */
void csprof_metrics_to_store(struct store_header *h);

/* The columns of an event: the weight of its samples, and their number. Those of counts of marked
 * activations: see csprof_counts. */
enum { CSPROF_EVENT_COLUMNS = 2, CSPROF_COUNT_COLUMNS = 3 };
struct csprof_event_request;
/* Remove all columns and make those of the requested events, which are then in
 * csprof_process.measured, and those of the counts, if the options ask for them. Returns 0 or a
 * negative errno. */
int csprof_metrics_init(const struct csprof_event_request *requests, uint32_t n);

/* Make the two columns of a metric of the program's own: the sum of the amounts, and how often it
 * was recorded. Returns the id of the first; if there is one of this name, its id. -EINVAL: the
 * name is empty, too long, or that of another column; -ENOSPC: there are too many; -ENOTSUP:
 * nothing is measured. At any time, by any thread, but not in handlers. */
int csprof_metric_of_program(const char *name, const char *unit);
/* The number by which programs and drivers know such a metric, and the other way round: the columns
 * before theirs are others in another measurement of the same process. */
int csprof_metric_number(int metric);
uint32_t csprof_metric_of_number(int number);
/* Whether it has made that one. */
bool csprof_metric_is_of_program(uint32_t metric);

/* ---- recording ---------------------------------------------------------------------- */

/* Whether a sample must not be taken where a signal interrupted the code. If so, *why is its
 * disposition (own code, unsafe code). Async-signal-safe. */
bool csprof_context_is_unsafe(const void *ucontext, enum csp_disposition *why);

/* Record the call path of the interrupted code: add weight to the column of p's event and 1 to the
 * next column of its node, which is *node (may be NULL). Returns the outcome: CSP_RECORDED,
 * CSP_PARTIAL, or the disposition of a dropped sample. The caller updates the account.
 * Async-signal-safe. */
struct csprof_sampler;
enum csp_disposition csprof_sample_callstack(struct csprof_sampler *p, const void *ucontext,
					     uint64_t weight, store_ref *node);

/* The same, but nothing is added. Returns false after a fault; *node is 0 if there is no path. */
bool csprof_sample_place(struct csprof_sampler *p, const void *ucontext, store_ref *node);

/* What a recording adds: amounts of metrics of the program's own, and for each 1 to the next
 * column. */
enum { CSPROF_RECORDED_METRICS = 8 };
struct csprof_recording {
	uint32_t columns[2 * CSPROF_RECORDED_METRICS];
	uint64_t amounts[2 * CSPROF_RECORDED_METRICS];
	uint32_t n;               /* columns */
	uint32_t unwinds;         /* see below */
	uint64_t label;           /* that this path has besides, as an ip; 0: none */
	uintptr_t code, code_end; /* inner frames that are in this code are left out, too; */
	uint32_t
	    nth; /* not 0: instead those inside of the nth frame that is in it, if there is one */
};
/* Add a metric. Returns false if it is none of the program's own, or there are too many. */
bool csprof_recording_add(struct csprof_recording *r, uint32_t metric, uint64_t amount);

/* Record at the path of the caller. unwinds: the number of frames to leave out, starting with that
 * of csprof_record: 2 if a wrapper calls it and the wrapper's caller is to be charged. Frames of
 * our own library are never recorded. Returns 0, -ENOMEM, or -ENOTSUP if the thread is not
 * measured. In handlers only of the program. */
int csprof_record(const struct csprof_recording *r);
/* The same of one metric. -EINVAL: there is none of the program's own in that column. */
int csprof_record_metric_with_unwind(uint32_t metric, uint64_t amount, uint32_t unwinds);

/* A frame of the caller's path: the nth in this code, from 1 and the innermost one on. cfa: what
 * the stack pointer is when it has returned, and to: where that is; 0: there is no such frame. */
struct csprof_found {
	uint32_t frames; /* in this code, on all of the path; nth 0: these are counted */
	uintptr_t cfa, to;
	/* Of an interpreter the function that called, and not the code that is in its file: its
	 * number among the path's frames of the interpreter, from 1 and the outermost one on; 0:
	 * there is none.
	 */
	uint32_t script;
};
/* Not for handlers. */
struct csprof_found csprof_find_frame(uintptr_t code, uintptr_t code_end, uint32_t nth);

/* Record at the path of code that our signal has interrupted. The caller has set busy, and the
 * context is safe. Returns false if nothing was recorded. Async-signal-safe. */
bool csprof_record_interrupted(const void *ucontext, const struct csprof_recording *r);

/* Find or make the nodes with these keys, each below the one before it and the first below the
 * root, in the calling thread's tree of complete paths. Returns false, and nothing is made, if
 * there is no memory or the thread is not measured. Not for handlers. */
bool csprof_record_path(const uint64_t *keys, uint32_t n, store_ref *tree, store_ref *nodes);

/* Record the call that creates a thread. *tree and *node are its tree and node in the store, or
 * 0, 0. Not for handlers. */
void csprof_record_creator(store_ref *tree, store_ref *node);

/* The handler of our signal. */
void csprof_signal_handler(int sig, siginfo_t *info, void *ucontext);
/* Whether a source of the calling thread's samples sent the signal. Async-signal-safe. */
bool csprof_sample_sent(const siginfo_t *info);
/* The calling thread's sources are silent, each with a reason (its sampler's `rest`): count what
 * their clocks have advanced under it, and sample again. Async-signal-safe. */
void csprof_sample_resume(void);
/* Let the calling thread's sources send another signal, for which csprof_signal_install was called.
 * False if the thread is not sampled, or is being sampled just now. Async-signal-safe. */
bool csprof_sample_by(int sig);
/* Whether they send that one. Async-signal-safe. */
bool csprof_samples_by(int sig);
/* A signal of a source was received by other means than the handler: take no sample, but arm the
 * source again. NULL: those of which samples came while the thread was busy. Async-signal-safe. */
void csprof_sample_defer(const siginfo_t *info);

/* The time that measuring takes from a thread has a row of its own in the account ("own code").
 * The handler accounts for its own time. These functions are for code outside the handler.
 *
 * The thread has just begun: count the time since its last sample, or since its start if there
 * was none, as ours. Not for handlers. */
void csprof_own_start(void);
/* The time between these two calls is ours, too. A sample that comes between them is delayed
 * until csprof_own_end. csprof_own_begin returns false if the thread is not sampled or another
 * such section is open; then csprof_own_end must not be called. Not for handlers. */
bool csprof_own_begin(void);
void csprof_own_end(void);

/* Make now what a handler would make when the source needs it: later the program may forbid it,
 * or have other threads. Not for handlers. */
void csprof_sample_settle(void);

#endif
