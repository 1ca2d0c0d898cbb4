/* Where the time of a thread goes: on a CPU (CPUTIME), waiting for one (RUNNABLE), and all else
 * (BLOCKED). The scheduler counts the second, so the three add up to the time that passed.
 *
 * They are looked at together, by a timer that runs while the thread does not (sample/wall.c),
 * which is BLOCKED's source. RUNNABLE has none. */
#include "runtime/events/sampling.h"

#include "formats/datafile.h"
#include "runtime/os/os.h"

CSPROF_DECLARE_DRIVER(wall)
static const struct csprof_driver *const drivers[] = {&csprof_driver_wall, NULL};
static const struct csprof_driver *const none[] = {NULL};

/* The last sample of a thread may have been that long before its end. */
enum { LATE_NS = 1000 * 1000 * 1000 };

/* If the program can no longer read /proc, the time has not begun again. */
static uint64_t run_delay(struct csprof_source *s, uint32_t tid)
{
	uint64_t delay = os_run_delay(tid);
	if (delay != OS_NOT_KNOWN)
		s->delay = delay;
	return s->delay;
}

static uint64_t blocked_clock(struct csprof_source *s)
{
	enum { TRIES = 3 };
	for (int i = 1;; i++) { /* again if the thread has lost the CPU meanwhile */
		struct os_usage before, after;
		os_usage(&before);
		uint64_t delay = run_delay(s, 0), cpu = os_clock_self(), mono = os_clock_mono();
		os_usage(&after);
		if (i == TRIES ||
		    (before.switches == after.switches && before.preempted == after.preempted))
			return mono - cpu - delay;
	}
}

static uint64_t blocked_clock_of(struct csprof_source *s, uint32_t tid)
{
	uint64_t delay = run_delay(s, tid), cpu = os_clock_thread(tid);
	return cpu ? os_clock_mono() - cpu - delay : 0;
}

static uint64_t runnable_clock(struct csprof_source *s)
{
	return run_delay(s, 0);
}

static uint64_t runnable_clock_of(struct csprof_source *s, uint32_t tid)
{
	return run_delay(s, tid);
}

const struct csprof_sampling csprof_sampling_blocked = {
    .drivers = drivers,
    .clock = blocked_clock,
    .clock_of = blocked_clock_of,
    .elapses = true,
    .late = LATE_NS,
    .flags = CSP_METRIC_ASYNC,
    .needs = os_needs_waits,
};

const struct csprof_sampling csprof_sampling_runnable = {
    .drivers = none,
    .clock = runnable_clock,
    .clock_of = runnable_clock_of,
    .elapses = true,
    .late = LATE_NS,
    .flags = CSP_METRIC_ASYNC,
    .needs = os_needs_waits,
};

/* A request for it is one for its parts. */
const struct csprof_sampling csprof_sampling_realtime = {.drivers = none};
