/* The source of an ordinary user: two timers per thread, one at a time.
 *
 * A timer on the thread's CPU clock never disturbs a blocked thread, but expires only at the
 * kernel's tick (CONFIG_HZ, often 250 per second). So if a thread has run without blocking since
 * its last sample, the next one comes from a monotonic timer (monotonic.c); after the thread has
 * blocked, the CPU timer is used again. So a thread that was already blocked when a period began
 * is never woken. Weights come from the CPU clock, so delays of the timers do not distort
 * shares. */
#include "runtime/drivers/driver.h"
#include "runtime/os/os.h"

#include <errno.h>

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	int timer = os_timer_create(OS_CLOCK_THREAD_CPU, sig, s);
	if (timer < 0)
		return timer;
	s->cpu_timer = timer;
	int r = os_timer_arm(timer, first_ns);
	if (r < 0) {
		os_timer_delete(timer);
		s->cpu_timer = -1;
	}
	return r < 0 ? r : 1;
}

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	int r = -ENOTSUP;
	if (csprof_ran_on(s))
		r = csprof_monotonic_arm(s, next_ns);
	if (r == 0)
		return 0;
	r = os_timer_arm(s->cpu_timer, next_ns);
	return r < 0 ? r : 1;
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return os_timer_sent(info, s);
}

static void quiet(struct csprof_source *s)
{
	os_timer_arm(s->cpu_timer, 0);
	csprof_monotonic_quiet(s);
}

static void resume(struct csprof_source *s, uint64_t next_ns)
{
	os_timer_arm(s->cpu_timer, next_ns);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (in_child)
		return; /* timers are not inherited */
	os_timer_delete(s->cpu_timer);
	s->cpu_timer = -1;
	csprof_monotonic_end(s);
}

const struct csprof_driver csprof_driver_timers = {
    .name = "thread timers",
    .kernel = true,
    .replaces = true,
    .start = start,
    .arm = arm,
    .sent = sent,
    .quiet = quiet,
    .hush = csprof_monotonic_hush,
    .resume = resume,
    .stop = stop,
    .needs = os_needs_timer_sample,
    .needs_setup = {os_needs_timer},
};
