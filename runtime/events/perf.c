/* What only perf can count: of hardware, of caches, tracepoints, and other events of the kernel
 * with or without what happens in it. Its count is the clock. Where perf is refused, the launcher
 * refuses the event. */
#include "runtime/events/sampling.h"

#include "formats/datafile.h"
#include "runtime/os/os.h"

/* The kind says which it is. */
#define DRIVERS(DRIVER) DRIVER(counter) DRIVER(user_counter)
DRIVERS(CSPROF_DECLARE_DRIVER)
static const struct csprof_driver *const drivers[] = {DRIVERS(CSPROF_DRIVER_ROW) NULL};

/* The threads' sources have events of their own. */
static uint64_t count_of(struct csprof_source *s, uint32_t tid)
{
	(void)tid;
	return csprof_source_count(s);
}

const struct csprof_sampling csprof_sampling_perf = {
    .drivers = drivers,
    .clock = csprof_source_count,
    .clock_of = count_of,
    .flags = CSP_METRIC_ASYNC,
    .needs = os_needs_perf_count,
};
