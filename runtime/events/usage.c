/* What the kernel counts for every thread, and tells every user (getrusage): page faults and
 * context switches. So the totals are exact, whatever the source of the samples is. Best is a
 * performance event, which sends the signal where they happen. Without one the thread is looked at
 * by a timer, and what was counted since the last time is charged to where it is then. */
#include "runtime/events/sampling.h"

#include "formats/datafile.h"
#include "runtime/os/os.h"

#define FAULT_DRIVERS(DRIVER) DRIVER(usage_counter) DRIVER(usage_user) DRIVER(timers)
FAULT_DRIVERS(CSPROF_DECLARE_DRIVER)
static const struct csprof_driver *const fault_drivers[] = {FAULT_DRIVERS(CSPROF_DRIVER_ROW) NULL};

/* They happen in the kernel. */
#define SWITCH_DRIVERS(DRIVER) DRIVER(switch_counter) DRIVER(timers)
SWITCH_DRIVERS(CSPROF_DECLARE_DRIVER)
static const struct csprof_driver *const switch_drivers[] = {SWITCH_DRIVERS(CSPROF_DRIVER_ROW)
								 NULL};

static uint64_t known(uint64_t count)
{
	return count == OS_NOT_KNOWN ? 0 : count;
}

static uint64_t all_faults(const struct os_usage *u)
{
	return known(u->faults);
}

static uint64_t minor_faults(const struct os_usage *u)
{
	return known(u->faults) - known(u->major);
}

static uint64_t major_faults(const struct os_usage *u)
{
	return known(u->major);
}

static uint64_t all_switches(const struct os_usage *u)
{
	return known(u->switches) + known(u->preempted);
}

/* csprof_sampling_ID, whose clock is what count returns. */
#define USAGE(id, count, which)                                                                    \
	static uint64_t id##_clock(struct csprof_source *s)                                        \
	{                                                                                          \
		struct os_usage u;                                                                 \
		(void)s;                                                                           \
		os_usage(&u);                                                                      \
		return count(&u);                                                                  \
	}                                                                                          \
	static uint64_t id##_clock_of(struct csprof_source *s, uint32_t tid)                       \
	{                                                                                          \
		struct os_usage u;                                                                 \
		(void)s;                                                                           \
		os_usage_of(tid, &u);                                                              \
		return count(&u);                                                                  \
	}                                                                                          \
	const struct csprof_sampling csprof_sampling_##id = {                                      \
	    .drivers = which,                                                                      \
	    .clock = id##_clock,                                                                   \
	    .clock_of = id##_clock_of,                                                             \
	    .flags = CSP_METRIC_ASYNC,                                                             \
	    .needs = os_needs_usage,                                                               \
	};

USAGE(page_faults, all_faults, fault_drivers)
USAGE(minor_faults, minor_faults, fault_drivers)
USAGE(major_faults, major_faults, fault_drivers)
USAGE(context_switches, all_switches, switch_drivers)
