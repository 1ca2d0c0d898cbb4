/* The best source: the kernel's task clock as a performance event of each thread,
 * user and kernel time, at any rate. Needs perf_event_paranoid <= 1 or
 * CAP_PERFMON.
 *
 * Its price: whenever the thread gets a CPU and when it gives it up, the kernel sets and
 * cancels a timer of high resolution. Both were seen to take 3 us (a timer on the thread's
 * CPU clock: too little to be measured), and the event 50 us more at the thread's beginning and
 * end. Threads in great numbers are made to wait and to wake for little at a time. So
 * only so many at once have an event: the oldest ones, few beside a thousand, but not less
 * than twice as many as can run. */
#include "runtime/driver/driver.h"
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <stddef.h>

enum { ENOUGH = 64, ENOUGH_PER_CPU = 2 };
static atomic_uint events;
static uint32_t enough; /* events at once; 0: not known yet. Under the process's lock */

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	int fd = os_task_clock_open(first_ns, sig, &s->page, &s->id);
	if (fd < 0)
		return fd;
	s->fd = fd;
	int r = os_task_clock_enable(fd, true);
	if (r < 0) {
		os_task_clock_close(fd, s->page, s->id);
		s->fd = -1;
		s->page = NULL;
		return r;
	}
	atomic_fetch_add(&events, 1);
	return 0;
}

static void arm(struct csprof_source *s, uint64_t next_ns)
{
	os_task_clock_period(s->fd, next_ns);
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return os_task_clock_sent(info, s->fd);
}

static void quiet(struct csprof_source *s)
{
	os_task_clock_enable(s->fd, false);
}

static void resume(struct csprof_source *s)
{
	os_task_clock_enable(s->fd, true);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child)
		os_task_clock_enable(s->fd, false);
	os_task_clock_close(s->fd, s->page, s->id);
	s->fd = -1;
	s->page = NULL;
	atomic_fetch_sub(&events, 1);
}

static bool crowded(void)
{
	if (!enough) {
		uint32_t cpus = os_cpus() * ENOUGH_PER_CPU;
		enough = cpus > ENOUGH ? cpus : ENOUGH;
	}
	return atomic_load(&events) >= enough;
}

const struct csprof_driver csprof_driver_task_clock = {
    .name = "perf task-clock",
    .kernel = true,
    .start = start,
    .arm = arm,
    .sent = sent,
    .quiet = quiet,
    .resume = resume,
    .stop = stop,
    .crowded = crowded,
};
