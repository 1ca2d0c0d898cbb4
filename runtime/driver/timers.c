/* The source of an ordinary user: two timers a thread, one at a time.
 *
 * A timer on the thread's CPU clock never disturbs a blocked thread, but expires
 * only at the kernel's tick (CONFIG_HZ, often 250 a second). So a thread that has run on
 * since its last sample has the next one from a monotonic timer (monotonic.c); the first
 * sample after it blocked goes back to the CPU timer.
 * A thread that was already blocked when a period began is thus never woken.
 * Weights come from the CPU clock, so neither timer's lateness distorts shares. */
#include "runtime/driver/driver.h"
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

static void resume(struct csprof_source *s)
{
	os_timer_arm(s->cpu_timer, s->period);
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
    .resume = resume,
    .stop = stop,
};
