/* The events that can be sampled: a row each, the default first. A new event needs a row here
 * and a file that defines csprof_sampling_ID (sampling.h). The launcher uses the rows only; the
 * library also uses the definitions. */
#ifndef RUNTIME_EVENTS_LIST_H
#define RUNTIME_EVENTS_LIST_H

/* EVENT(ID, name, unit, text, details)
 *
 * unit: of its values; only times so far: "ns". text: for hpcrun -l. details: additional text
 * for -L, lines that end in newlines. */
#define CSPROF_EVENTS(EVENT)                                                                       \
	EVENT(cputime, "CPUTIME", "ns",                                                            \
	      "CPU time of each thread, user and kernel, in nanoseconds",                          \
	      "periods of 10 us (f100000) or more; default 1 ms (f1000). Source: perf\n"           \
	      "task-clock where perf_event_paranoid is 1 or less; else two\n"                      \
	      "timers per thread: exact while it keeps its CPU, at the kernel's\n"                 \
	      "tick (often 250 per second) while it blocks now and then.\n")

#endif
