/* The best source: user and kernel time, at any rate. If a thread has run without blocking since
 * its last sample, the next one comes from a monotonic timer (monotonic.c); if it has blocked,
 * from the kernel's task clock, a performance event of the thread, which stops while the thread
 * waits. Needs perf_event_paranoid <= 1 or CAP_PERFMON.
 *
 * Both are exact; a sample by the timer was seen to cost half as much. An event repeats by
 * itself, so each sample sets the kernel's timer three times: it restarts, and is stopped and
 * started for the next period. And whenever the thread gets or gives up a CPU, the kernel sets
 * or cancels that timer: 3 us (for a timer on the thread's CPU clock: too little to be
 * measured). Programs with very many threads make them wait, and wake for a short time. So the
 * number of threads with an event is limited: the oldest ones have one, few compared with a
 * thousand, but at least twice as many as can run. */
#include "runtime/drivers/driver.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ENOUGH = 64, ENOUGH_PER_CPU = 2 };
static CSPROF_TOGETHER atomic_uint events; /* existing, or made later */
static uint32_t enough;                    /* limit; 0: not known yet. Under the process's lock */

/* ---- the first sample ------------------------------------------------------------------
 *
 * Making and closing an event takes 50 us, longer than many threads live. An event also repeats
 * until the first sample's handler gives it another period: if that is too short for an
 * interrupt, for ever. So the first sample comes from a timer, which expires once, and a thread
 * that never waits has no event at all. A monotonic timer is exact, but may find the thread
 * waiting. If there is time for two ticks of the slowest kernel, a timer on the thread's CPU
 * clock is used instead, which does not wake the thread: it expires too early, and the source
 * that is armed next waits for the rest. */

enum { TWO_TICKS_NS = 20 * 1000 * 1000 };

/* The kernel does not permit events; this will not change. */
static atomic_bool refused;

static const struct os_perf_kind task_clock = {
    .type = PERF_TYPE_SOFTWARE,
    .config = PERF_COUNT_SW_TASK_CLOCK,
};

static int open_event(struct csprof_source *s, int sig, uint64_t first_ns)
{
	struct os_perf *c = &s->perf;
	int r = os_perf_open(c, &task_clock, first_ns, sig, !csprof_process.threaded);
	if (r == -EACCES || r == -EPERM || r == -ENOSYS)
		atomic_store(&refused, true);
	if (r < 0) {
		c->fd = -1;
		return r;
	}
	csprof_descriptor_keep(c);
	atomic_store(&s->later, false);
	return 0;
}

static void close_event(struct csprof_source *s, bool in_child)
{
	struct os_perf *c = &s->perf;
	if (c->fd < 0)
		return;
	if (!in_child)
		os_perf_enable(c, false);
	csprof_descriptor_forget(c);
	os_perf_close(c, in_child);
	c->fd = -1;
	c->page = NULL;
}

static void end_first_timer(struct csprof_source *s)
{
	if (s->cpu_timer >= 0)
		os_timer_delete(s->cpu_timer);
	s->cpu_timer = -1;
}

static bool start_timer(struct csprof_source *s, int sig, uint64_t first_ns)
{
	bool soon = first_ns <= 2 * TWO_TICKS_NS;
	uint64_t early = first_ns - first_ns / 4; /* so that it is armed again
						     (csprof_pace_early) */
	atomic_store(&s->later, true);
	s->by_timer = true;
	int r;
	if (soon) {
		r = csprof_monotonic_arm(s, first_ns);
	} else {
		r = s->cpu_timer = os_timer_create(OS_CLOCK_THREAD_CPU, sig, s);
		if (r >= 0)
			r = os_timer_arm(r, early - TWO_TICKS_NS);
	}
	if (r >= 0)
		return true;
	end_first_timer(s);
	csprof_monotonic_end(s);
	s->by_timer = false;
	atomic_store(&s->later, false);
	return false;
}

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	if (atomic_load(&refused))
		return -EACCES;
	int r = 0;
	if (csprof_sources_frozen() || !start_timer(s, sig, first_ns)) {
		r = open_event(s, sig, first_ns < s->floor ? first_ns + s->floor : first_ns);
		if (r == 0)
			r = os_perf_enable(&s->perf, true);
	}
	if (r < 0)
		close_event(s, false);
	else
		csprof_perf_counted(1);
	return r;
}

/* ---- the other samples -----------------------------------------------------------------
 *
 * If the timer finds the thread waiting after all, a system call of the program is interrupted
 * (and continued) for nothing. A thread to which this happens must run without blocking for
 * longer each time before the timer is used again. */

enum { MOST_CAREFUL = 256, CAREFUL = 4 };

static bool runs_on(struct csprof_source *s)
{
	if (csprof_ran_on(s))
		return s->by_timer || ++s->ran_on > s->careful;
	if (s->by_timer && s->careful < MOST_CAREFUL)
		s->careful = s->careful ? 2 * s->careful : CAREFUL;
	s->ran_on = 0;
	return false;
}

static int arm_timer(struct csprof_source *s, uint64_t next_ns)
{
	int r = csprof_monotonic_arm(s, next_ns);
	if (r < 0)
		return r;
	if (!s->by_timer)
		os_perf_enable(&s->perf, false);
	s->by_timer = true;
	end_first_timer(s);
	return 0;
}

/* An event that is enabled again continues with the rest of its period, so its next period is
 * set after that. */
static int arm_event(struct csprof_source *s, uint64_t next_ns)
{
	struct os_perf *c = &s->perf;
	bool made = atomic_load(&s->later);
	int r = made ? open_event(s, s->sig, next_ns) : 0;
	if (r == 0 && s->by_timer)
		r = os_perf_enable(c, true);
	if (r == 0 && !made)
		r = os_perf_period(c, next_ns);
	if (s->by_timer)
		csprof_monotonic_quiet(s); /* it may be armed if no signal brought us here */
	s->by_timer = false;
	end_first_timer(s);
	return r;
}

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	if (runs_on(s) && arm_timer(s, next_ns) == 0)
		return 0;
	return arm_event(s, next_ns);
}

static void settle(struct csprof_source *s, uint64_t next_ns)
{
	if (atomic_load(&s->later))
		open_event(s, s->sig, next_ns); /* if this fails, it is made when it is needed */
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return (s->perf.fd >= 0 && os_perf_sent(info, s->perf.fd)) || os_timer_sent(info, s);
}

static void quiet(struct csprof_source *s)
{
	csprof_monotonic_quiet(s);
	if (s->cpu_timer >= 0)
		os_timer_arm(s->cpu_timer, 0);
	if (!atomic_load(&s->later))
		os_perf_enable(&s->perf, false);
}

static void hush(struct csprof_source *s)
{
	if (!atomic_load(&s->later))
		os_perf_enable(&s->perf, false);
}

static void resume(struct csprof_source *s, uint64_t next_ns)
{
	if (!s->by_timer)
		os_perf_enable(&s->perf, true);
	else if (s->cpu_timer >= 0)
		os_timer_arm(s->cpu_timer, next_ns);
	else
		csprof_monotonic_arm(s, next_ns);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child) { /* a child has no timers */
		end_first_timer(s);
		csprof_monotonic_end(s);
	}
	close_event(s, in_child);
	csprof_perf_counted(-1);
}

static bool was_refused(void)
{
	return atomic_load(&refused);
}

void csprof_perf_counted(int more)
{
	atomic_fetch_add(&events, (unsigned)more);
}

bool csprof_perf_crowded(void)
{
	if (!enough) {
		uint32_t cpus = os_cpus() * ENOUGH_PER_CPU;
		enough = cpus > ENOUGH ? cpus : ENOUGH;
	}
	return atomic_load(&events) >= enough;
}

CSPROF_DECLARE_DRIVER(timers)

const struct csprof_driver csprof_driver_task_clock = {
    .name = "perf task-clock",
    .kernel = true,
    .start = start,
    .arm = arm,
    .settle = settle,
    .sent = sent,
    .quiet = quiet,
    .hush = hush,
    .resume = resume,
    .stop = stop,
    .crowded = csprof_perf_crowded,
    .refused = was_refused,
    .perf = true,
    .cheaper = &csprof_driver_timers,
    .needs = os_needs_perf_sample,
    .needs_later = os_needs_perf_open,
    .needs_setup = {os_needs_perf, os_needs_timer},
};
