/* CPU time, user and kernel. */
#include "runtime/events/sampling.h"

#include "formats/datafile.h"
#include "runtime/os/os.h"

/* Some drivers send at the kernel's tick. Two ticks at the slowest rate that Linux has, 100 per
 * second. */
enum { TWO_TICKS_NS = 20 * 1000 * 1000 };

/* Best first. */
#define DRIVERS(DRIVER) DRIVER(task_clock) DRIVER(timers) DRIVER(itimer)
DRIVERS(CSPROF_DECLARE_DRIVER)
static const struct csprof_driver *const drivers[] = {DRIVERS(CSPROF_DRIVER_ROW) NULL};

const struct csprof_sampling csprof_sampling_cputime = {
    .drivers = drivers,
    .late = TWO_TICKS_NS,
    .flags = CSP_METRIC_ASYNC,
    .needs = os_needs_clock_self,
};
