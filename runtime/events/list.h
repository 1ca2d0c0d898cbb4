/* The events that can be sampled: a row each, the default first. A new event needs a row here; one
 * that no other is like, also a file that defines csprof_sampling_BY (sampling.h). The launcher
 * uses the rows only; the library also uses the definitions. Those that only perf can count have
 * the last row in common: the launcher knows their names (launcher/perf_names.h). */
#ifndef RUNTIME_EVENTS_LIST_H
#define RUNTIME_EVENTS_LIST_H

#include "formats/datafile.h"

#include <linux/perf_event.h>

/* EVENT(by, name, unit, type, config, per_second, text, details)
 *
 * Those without a text cannot be requested by name, but only as parts of another one.
 * by: csprof_sampling_BY. unit: of its values, "ns" or "count". type, config: of the performance
 * event that counts it (perf_event_open(2)); 0, 0: there is none. per_second: about how many come
 * per second of CPU time; a thread begins with that. text: for hpcrun -l. details: additional text
 * for -L, lines that end in newlines. */
#define CSPROF_EVENTS(EVENT)                                                                       \
	EVENT(cputime, CSP_CPUTIME, "ns", 0, 0, 1000000000,                                        \
	      "CPU time of each thread, user and kernel, in nanoseconds",                          \
	      "periods of 10 us (f100000) or more; default 1 ms (f1000). Source: perf\n"           \
	      "task-clock where perf_event_paranoid is 1 or less; else two\n"                      \
	      "timers per thread: exact while it keeps its CPU, at the kernel's\n"                 \
	      "tick (often 250 per second) while it blocks now and then.\n")                       \
	EVENT(realtime, CSPROF_REALTIME, "ns", 0, 0, 1000000000,                                   \
	      "elapsed time of each thread: CPUTIME, BLOCKED, and RUNNABLE",                       \
	      "BLOCKED: not on a CPU, nor waiting for one. RUNNABLE: waiting for a\n"              \
	      "CPU, by the scheduler's count. Their sum is the life of the thread.\n"              \
	      "A timer per thread looks where it is; a blocked thread is woken once\n"             \
	      "for each wait at most. With them comes BLAME: what other threads\n"                 \
	      "waited for this one. Needs no rights.\n")                                           \
	EVENT(blocked, CSP_BLOCKED, "ns", 0, 0, 1000000000, "", "")                                \
	EVENT(runnable, CSP_RUNNABLE, "ns", 0, 0, 1000000000, "", "")                              \
	CSPROF_USAGE(EVENT, page_faults, "page-faults", PERF_COUNT_SW_PAGE_FAULTS, 10000,          \
		     "page faults, minor and major")                                               \
	CSPROF_USAGE(EVENT, minor_faults, "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, 10000,    \
		     "page faults that needed no file to be read")                                 \
	CSPROF_USAGE(EVENT, major_faults, "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, 100,      \
		     "page faults that waited for a file to be read")                              \
	CSPROF_USAGE(EVENT, context_switches, "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES,  \
		     1000, "context switches: the thread waited, or another was to run")           \
	EVENT(perf, CSPROF_ANY_EVENT, "count", 0, 0, 0, "", "")

/* Elapsed time is measured by its parts: these, and the default event. */
#define CSPROF_REALTIME "REALTIME"

/* The row of all events that are requested with what perf is to count (request.h). */
#define CSPROF_ANY_EVENT "any"

/* What the kernel counts for every thread. */
#define CSPROF_USAGE(EVENT, by, name, config, per_second, text)                                    \
	EVENT(by, name, "count", PERF_TYPE_SOFTWARE, config, per_second, text,                     \
	      "the kernel's own count, as getrusage gives it; default: 1000 samples\n"             \
	      "per second of CPU time at most. Source: perf where it is permitted,\n"              \
	      "which sees where they happen; else timers, and what was counted\n"                  \
	      "since the last sample is charged to where the thread is then.\n")

#endif
