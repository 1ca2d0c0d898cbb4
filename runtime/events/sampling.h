/* How an event is sampled: the library's part of a row of list.h. Async-signal-safe. */
#ifndef RUNTIME_EVENTS_SAMPLING_H
#define RUNTIME_EVENTS_SAMPLING_H

#include "runtime/drivers/driver.h"
#include "runtime/events/list.h"
#include "runtime/events/request.h"

#include <stdint.h>

struct csprof_sampling {
	/* The drivers that can deliver it, best first; ends with NULL. */
	const struct csprof_driver *const *drivers;
	/* The event's clock, in its unit: of the calling thread, and of another one. The weight
	 * of a sample is what it has advanced in the thread since the last sample. */
	uint64_t (*clock)(void);
	uint64_t (*clock_of)(uint32_t tid);
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

#define CSPROF_DECLARE_SAMPLING(id, ...) extern const struct csprof_sampling csprof_sampling_##id;
CSPROF_EVENTS(CSPROF_DECLARE_SAMPLING)

/* An event that this process measures. */
struct csprof_measured {
	const struct csprof_event *event;
	const struct csprof_sampling *by;
	uint64_t period;  /* nominal mean, in the event's unit */
	uint64_t rate;    /* resulting samples per second, for the report */
	uint32_t column;  /* of its weights in the trees; the number of samples is in the next */
	uint32_t clock;   /* index in a thread's clocks */
	uint32_t sources; /* bit i: a thread has used driver i. Under the process's lock */
};

#endif
