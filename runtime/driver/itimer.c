/* The last resort: the process's profiling timer. One for all threads, at most
 * CONFIG_HZ signals a second, sent to whichever thread runs; the weights still come
 * from each thread's own clock. */
#include "runtime/driver/driver.h"
#include "runtime/os/os.h"
#include "runtime/signals.h"

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	(void)sig, (void)first_ns; /* it has a signal of its own, which kills by default */
	int r = csprof_signal_install(SIGPROF);
	return r < 0 ? r : os_profile_timer(s->period);
}

static void arm(struct csprof_source *s, uint64_t next_ns)
{
	(void)s, (void)next_ns; /* it goes on by itself */
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	(void)s;
	return info->si_signo == SIGPROF && info->si_code == SI_KERNEL;
}

static void quiet(struct csprof_source *s)
{
	(void)s; /* of all threads, which are silenced together */
	os_profile_timer(0);
}

static void resume(struct csprof_source *s)
{
	os_profile_timer(s->period);
}

static void stop(struct csprof_source *s, bool in_child)
{
	(void)s, (void)in_child; /* other threads use it; a child does not inherit it */
}

const struct csprof_driver csprof_driver_itimer = {
    .name = "itimer",
    .kernel = true,
    .start = start,
    .arm = arm,
    .sent = sent,
    .quiet = quiet,
    .resume = resume,
    .stop = stop,
};
