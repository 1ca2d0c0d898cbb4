/* The last driver: the process's profiling timer. One for all threads, at most CONFIG_HZ signals
 * per second, sent to the thread that runs; the weights still come from each thread's own clock. */
#include "runtime/drivers/driver.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"

#include <stdatomic.h>

/* The number of threads that it samples. */
static atomic_uint sampled;

static bool set_sampled(struct csprof_source *s, bool on)
{
	return __atomic_exchange_n(&s->shares, on, __ATOMIC_SEQ_CST) != on;
}

/* The first thread sets the timer: if each did, threads that begin faster than it expires would
 * delay it for ever. */
static int go_on(struct csprof_source *s)
{
	if (!set_sampled(s, true) || atomic_fetch_add(&sampled, 1) > 0)
		return 0;
	return os_profile_timer(s->period);
}

/* The last thread stops it, unless another one begins just now. */
static void quiet(struct csprof_source *s)
{
	if (!set_sampled(s, false) || atomic_fetch_sub(&sampled, 1) > 1)
		return;
	os_profile_timer(0);
	if (atomic_load(&sampled) > 0)
		os_profile_timer(s->period);
}

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	(void)sig, (void)first_ns; /* it sends SIGPROF, which kills by default */
	int r = csprof_signal_install(SIGPROF);
	r = r < 0 ? r : go_on(s);
	if (r < 0 && set_sampled(s, false))
		atomic_fetch_sub(&sampled, 1);
	return r < 0 ? r : 1;
}

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	(void)s, (void)next_ns; /* it repeats by itself */
	return 1;
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	(void)s;
	return info->si_signo == SIGPROF && info->si_code == SI_KERNEL;
}

static void resume(struct csprof_source *s, uint64_t next_ns)
{
	(void)next_ns;
	go_on(s);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child)
		quiet(s);
	else if (set_sampled(s, false))
		atomic_fetch_sub(&sampled, 1); /* a child does not inherit the timer */
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
    .needs_setup = {os_needs_profile_timer},
};
