/* A monotonic timer, which expires once, whether or not the thread runs. When it was to expire is
 * in source.due: the thread may get the signal later, because it had no CPU, or waited in a way
 * that signals do not interrupt. */
#include "runtime/drivers/driver.h"
#include "runtime/os/os.h"

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	s->due = os_clock_mono() + next_ns;
	return os_timer_arm(s->mono_timer, next_ns);
}

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	s->mono_timer = os_timer_create(OS_CLOCK_MONOTONIC, sig, s);
	if (s->mono_timer < 0)
		return s->mono_timer;
	int r = arm(s, first_ns);
	if (r < 0)
		csprof_monotonic_end(s);
	return r;
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return os_timer_sent(info, s);
}

static void resume(struct csprof_source *s, uint64_t next_ns)
{
	arm(s, next_ns);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child) /* timers are not inherited */
		csprof_monotonic_end(s);
}

const struct csprof_driver csprof_driver_wall = {
    .name = "thread timers",
    .kernel = true,
    .counts = true,
    .replaces = true,
    .start = start,
    .arm = arm,
    .sent = sent,
    .quiet = csprof_monotonic_quiet,
    .hush = csprof_monotonic_hush,
    .resume = resume,
    .stop = stop,
    .needs = os_needs_timer_sample,
    .needs_setup = {os_needs_timer},
};
