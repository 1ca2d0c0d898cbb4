/* The best source: user and kernel time, at any rate. A thread that has run on since its last
 * sample has the next one from a monotonic timer (monotonic.c); one that has waited for
 * something, from the kernel's task clock as a performance event of its own, which stands
 * still meanwhile. Needs perf_event_paranoid <= 1 or CAP_PERFMON.
 *
 * Both are exact; a sample by the timer was seen to cost half as much. An event repeats by
 * itself, so that each sample sets the kernel's timer three times: it starts again, and is
 * stopped and started for the next period. And whenever the thread gets a CPU and when it
 * gives it up, the kernel sets and cancels that timer: 3 us (for a timer on the thread's CPU
 * clock: too little to be measured). Threads in great numbers are made to wait and to wake for
 * little at a time. So only so many at once may have an event: the oldest ones, few beside a
 * thousand, but not less than twice as many as can run. */
#include "runtime/driver/driver.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ENOUGH = 64, ENOUGH_PER_CPU = 2 };
static CSPROF_TOGETHER atomic_uint events; /* there, or to be made */
static uint32_t enough;                    /* of them; 0: not known yet. Under the process's lock */

/* Their descriptors, for csprof_source_descriptor: where there are more, whatever closes
 * descriptors in rows closes them. */
enum { PLACES = 1024, BEING_SET = -1 };
static struct {
	_Atomic(int) taken; /* the descriptor and 1, BEING_SET, or 0 */
	uint64_t id;
} places[PLACES] CSPROF_LARGE;
static CSPROF_TOGETHER _Atomic(int) places_used; /* none behind these ever was */

static void take_place(const struct os_task_clock *c)
{
	for (int i = 0; i < PLACES; i++) {
		int is_free = 0;
		if (!atomic_compare_exchange_strong(&places[i].taken, &is_free, BEING_SET))
			continue;
		places[i].id = c->id;
		atomic_store(&places[i].taken, c->fd + 1);
		int used = atomic_load(&places_used);
		while (used <= i && !atomic_compare_exchange_weak(&places_used, &used, i + 1))
			;
		return;
	}
}

static void give_place(const struct os_task_clock *c)
{
	int n = atomic_load(&places_used);
	for (int i = 0; i < n; i++)
		if (atomic_load(&places[i].taken) == c->fd + 1 && places[i].id == c->id) {
			atomic_store(&places[i].taken, 0);
			return;
		}
}

int csprof_source_descriptor(unsigned from)
{
	int lowest = -1, n = atomic_load(&places_used);
	for (int i = 0; i < n; i++) {
		struct os_task_clock c = {.fd = atomic_load(&places[i].taken) - 1};
		if (c.fd < 0 || (unsigned)c.fd < from || (lowest >= 0 && c.fd > lowest))
			continue;
		c.id = places[i].id;
		if (os_task_clock_is_open(&c)) /* else it is the program's own by now */
			lowest = c.fd;
	}
	return lowest;
}

/* ---- the first sample ------------------------------------------------------------------
 *
 * An event takes 50 us to make and to end, more than many threads live; and it repeats by
 * itself until the first sample's handler gives it another period: with one too short for an
 * interrupt, for ever. So the first sample comes from a timer, which expires once, and a
 * thread that never waits has no event at all. A monotonic timer is exact, but may find the
 * thread waiting. Where there is time until then for two ticks of the slowest kernel, one on
 * the thread's CPU clock takes its place, which leaves it alone: it expires too early, and
 * what follows it does the rest. */

enum { TWO_TICKS_NS = 20 * 1000 * 1000 };

/* Events are refused here, for ever. */
static atomic_bool refused;

static int open_event(struct csprof_source *s, int sig, uint64_t first_ns)
{
	struct os_task_clock *c = &s->clock;
	int r = os_task_clock_open(c, first_ns, sig, !csprof_process.threaded);
	if (r == -EACCES || r == -EPERM || r == -ENOSYS)
		atomic_store(&refused, true);
	if (r < 0) {
		c->fd = -1;
		return r;
	}
	take_place(c);
	atomic_store(&s->later, false);
	return 0;
}

static void close_event(struct csprof_source *s, bool in_child)
{
	struct os_task_clock *c = &s->clock;
	if (c->fd < 0)
		return;
	if (!in_child)
		os_task_clock_enable(c, false);
	give_place(c);
	os_task_clock_close(c, in_child);
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
	uint64_t early = first_ns - first_ns / 4; /* early enough for csprof_pace_early */
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
			r = os_task_clock_enable(&s->clock, true);
	}
	if (r < 0)
		close_event(s, false);
	else
		atomic_fetch_add(&events, 1);
	return r;
}

/* ---- the others ------------------------------------------------------------------------
 *
 * Where the timer finds the thread waiting after all, a call of the program's is interrupted
 * (and goes on), for nothing. A thread to which this happens has to run on for longer each
 * time before it has the timer again. */

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
		os_task_clock_enable(&s->clock, false);
	s->by_timer = true;
	end_first_timer(s);
	return 0;
}

/* An event that begins again goes on with what was left of its period, so its next one is set
 * after that. */
static int arm_event(struct csprof_source *s, uint64_t next_ns)
{
	struct os_task_clock *c = &s->clock;
	bool made = atomic_load(&s->later);
	int r = made ? open_event(s, s->sig, next_ns) : 0;
	if (r == 0 && s->by_timer)
		r = os_task_clock_enable(c, true);
	if (r == 0 && !made)
		r = os_task_clock_period(c, next_ns);
	if (s->by_timer)
		csprof_monotonic_quiet(s); /* it may be armed where no signal brought us here */
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
		open_event(s, s->sig, next_ns); /* else as late as need be, or not at all */
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return (s->clock.fd >= 0 && os_task_clock_sent(info, s->clock.fd)) ||
	       os_timer_sent(info, s);
}

static void quiet(struct csprof_source *s)
{
	csprof_monotonic_quiet(s);
	if (s->cpu_timer >= 0)
		os_timer_arm(s->cpu_timer, 0);
	if (!atomic_load(&s->later))
		os_task_clock_enable(&s->clock, false);
}

static void resume(struct csprof_source *s)
{
	if (!s->by_timer)
		os_task_clock_enable(&s->clock, true);
	else if (s->cpu_timer >= 0)
		os_timer_arm(s->cpu_timer, s->period);
	else
		csprof_monotonic_arm(s, s->period);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child) { /* which has no timers */
		end_first_timer(s);
		csprof_monotonic_end(s);
	}
	close_event(s, in_child);
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
    .settle = settle,
    .sent = sent,
    .quiet = quiet,
    .resume = resume,
    .stop = stop,
    .crowded = crowded,
};
