/* How an event is sampled: the library's part of a row of list.h. Async-signal-safe. */
#ifndef RUNTIME_EVENTS_SAMPLING_H
#define RUNTIME_EVENTS_SAMPLING_H

#include "runtime/drivers/driver.h"
#include "runtime/events/list.h"
#include "runtime/events/request.h"

#include <stdatomic.h>
#include <stdint.h>

struct csprof_sampling {
	/* The drivers that can deliver it, best first; ends with NULL. */
	const struct csprof_driver *const *drivers;
	/* The event's clock, in its unit: of the calling thread, and of another one. The weight
	 * of a sample is what it has advanced in the thread since the last sample. NULL: CPU
	 * time. */
	uint64_t (*clock)(struct csprof_source *s);
	uint64_t (*clock_of)(struct csprof_source *s, uint32_t tid);
	/* It passes while the thread does not run: sample/wall.c takes the samples. If it has no
	 * drivers, it is sampled with the other such event. */
	bool elapses;
	/* How late a sample may come after its period with the worst driver, in the event's
	 * unit. */
	uint64_t late;
	/* CSP_METRIC_* of its two columns: the weight of the samples, and their number. */
	uint64_t flags;
	/* The system calls that clock makes. Drivers list their own. */
	const struct os_need *needs;
};

/* Indexed by the row of list.h. */
extern const struct csprof_sampling *const csprof_samplings[];

#define CSPROF_DECLARE_SAMPLING(by, ...) extern const struct csprof_sampling csprof_sampling_##by;
CSPROF_EVENTS(CSPROF_DECLARE_SAMPLING)

/* The clock of CPU time, which every thread has: whether or not it is sampled. */
enum { CSPROF_CPU_CLOCK = 0 };

/* An event that this process measures. */
struct csprof_measured {
	const struct csprof_sampling *by;
	struct os_perf_kind kind; /* what perf counts, if it does */
	uint64_t period;          /* see csprof_event_request */
	uint64_t rate;
	/* of counts: how many come per second of CPU time, as the last thread has seen */
	_Atomic(uint64_t) per_second;
	uint32_t column;  /* of its weights in the trees; the number of samples is in the next */
	uint32_t clock;   /* index in a thread's clocks: CSPROF_CPU_CLOCK, or another */
	uint32_t sources; /* bit i: a thread has used driver i. Under the process's lock */
};

#endif
