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
#include "runtime/state.h"

#include <stdatomic.h>
#include <stddef.h>

enum { ENOUGH = 64, ENOUGH_PER_CPU = 2 };
static CSPROF_TOGETHER atomic_uint events;
static uint32_t enough; /* events at once; 0: not known yet. Under the process's lock */

/* Their descriptors, for csprof_source_descriptor: where there are more, whatever closes
 * descriptors in rows closes them. */
enum { PLACES = 1024, BEING_SET = -1 };
static struct {
	_Atomic(int) taken; /* the descriptor and 1, BEING_SET, or 0 */
	uint64_t id;
} places[PLACES];
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

/* The event repeats by itself until the first sample's handler gives it another period: with
 * one too short for an interrupt, for ever. So a first sample that is due before the floor
 * is left to a timer, which expires once. Should the thread wait then, or have no timer, the
 * event is what it gets. */
static void start_timer(struct csprof_source *s, uint64_t first_ns)
{
	int timer = os_timer_create(OS_CLOCK_MONOTONIC, s->sig, s);
	if (timer < 0)
		return;
	s->mono_timer = timer;
	os_timer_arm(timer, first_ns);
}

static void end_timer(struct csprof_source *s)
{
	if (s->mono_timer >= 0)
		os_timer_delete(s->mono_timer);
	s->mono_timer = -1;
}

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	struct os_task_clock *c = &s->clock;
	bool soon = first_ns < s->floor;
	int r = os_task_clock_open(c, soon ? first_ns + s->floor : first_ns, sig);
	if (r < 0)
		return r;
	r = os_task_clock_enable(c, true);
	if (r < 0) {
		os_task_clock_close(c, false);
		c->fd = -1;
		c->page = NULL;
		return r;
	}
	take_place(c);
	atomic_fetch_add(&events, 1);
	if (soon)
		start_timer(s, first_ns);
	return 0;
}

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	end_timer(s);
	return os_task_clock_period(&s->clock, next_ns);
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return os_task_clock_sent(info, s->clock.fd) || os_timer_sent(info, s);
}

static void quiet(struct csprof_source *s)
{
	os_task_clock_enable(&s->clock, false);
	if (s->mono_timer >= 0)
		os_timer_arm(s->mono_timer, 0);
}

static void resume(struct csprof_source *s)
{
	os_task_clock_enable(&s->clock, true);
}

static void stop(struct csprof_source *s, bool in_child)
{
	struct os_task_clock *c = &s->clock;
	if (!in_child) { /* which has no timers */
		os_task_clock_enable(c, false);
		end_timer(s);
	}
	give_place(c);
	os_task_clock_close(c, in_child);
	c->fd = -1;
	c->page = NULL;
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
