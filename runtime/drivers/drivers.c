#include "runtime/drivers/driver.h"

#include <errno.h>

static int start(struct csprof_source *s, const struct csprof_driver *driver, int sig,
		 uint64_t period_ns, uint64_t first_ns)
{
	struct os_usage usage;

	os_usage(&usage);
	*s = (struct csprof_source){
	    .driver = driver, /* its first signal may come before start returns */
	    .drivers = s->drivers,
	    .period = period_ns,
	    .floor = s->floor,
	    .kind = s->kind,
	    .per_second = s->per_second,
	    .delay = s->delay,
	    .counted = s->closed,
	    .closed = s->closed,
	    .review = s->review,
	    .switches = usage.switches,
	    .sig = sig,
	    .perf.fd = -1,
	    .cpu_timer = -1,
	    .mono_timer = -1,
	    .lost = -1,
	};
	return driver->start(s, sig, first_ns);
}

static bool crowded(const struct csprof_driver *driver)
{
	return driver->crowded && driver->crowded();
}

/* ---- threads that switch often --------------------------------------------------------
 *
 * A driver may make each context switch of a thread more expensive, as an event does
 * (task_clock.c): sending a byte back and forth between two processes took up to four times as
 * long. If the switches cost more than half of the budget, or a sixteenth of the thread's time,
 * a cheaper driver is used. A thread that changes its behaviour must wait longer each time
 * before it is changed back. */

enum {
	REVIEWED = 4,
	SWITCH_NS = 3000,
	FEW_SWITCHES = 8,
	MOST_PATIENCE = 256,
	MOST_DEAR = CSPROF_WHOLE / 16
};

static struct csprof_cost costs = {.change = SWITCH_NS};
static uint32_t allowed = CSPROF_DEFAULT_BUDGET;

void csprof_sources_setup(const struct csprof_cost *cost, uint32_t budget)
{
	costs = *cost;
	if (!costs.change)
		costs.change = SWITCH_NS;
	allowed = budget;
}

uint32_t csprof_source_cost(const struct csprof_source *s)
{
	return s->driver->perf && !s->by_timer ? costs.event : costs.timer;
}

const struct os_usage *csprof_source_usage(struct csprof_source *s)
{
	if (!s->usage_read)
		os_usage(&s->usage);
	s->usage_read = true;
	return &s->usage;
}

bool csprof_ran_on(struct csprof_source *s)
{
	uint64_t before = s->switches;
	s->switches = csprof_source_usage(s)->switches;
	if (s->switches == OS_NOT_KNOWN || before == OS_NOT_KNOWN)
		return false;
	s->review.switches += s->switches - before;
	if (s->driver->perf && !s->by_timer)
		s->spent += (s->switches - before) * costs.change;
	return s->switches == before;
}

static atomic_bool frozen;

void csprof_sources_freeze(void)
{
	atomic_store(&frozen, true);
}

bool csprof_sources_frozen(void)
{
	return atomic_load_explicit(&frozen, memory_order_relaxed);
}

int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns)
{
	int r = -ENODEV;
	s->review = (struct csprof_review){.samples = 0};
	for (uint32_t i = *from; s->drivers[i]; i++) {
		uint32_t best = s->drivers[i + 1] && crowded(s->drivers[i]) ? i + 1 : i;
		r = start(s, s->drivers[best], sig, period_ns, first_ns);
		if (r < 0 && best != i) {
			best = i;
			r = start(s, s->drivers[best], sig, period_ns, first_ns);
		}
		if (r >= 0) {
			*from = best;
			return r;
		}
	}
	s->driver = NULL;
	return r;
}

/* s->driver is always set, because another thread may be about to call it. */
static int start_next(struct csprof_source *s, uint32_t *which, uint64_t next_ns)
{
	int lost = s->lost, r = -ENODEV;
	for (uint32_t i = 0; r < 0 && s->drivers[i]; i++) {
		if (!s->drivers[i]->replaces)
			continue;
		r = start(s, s->drivers[i], s->sig, s->period, next_ns);
		*which = i;
	}
	s->lost = lost;
	return r;
}

static void stop(struct csprof_source *s)
{
	if (s->perf.fd >= 0)
		s->lost = s->perf.fd;
	s->driver->stop(s, false);
}

int csprof_source_replace(struct csprof_source *s, uint32_t *which, uint64_t next_ns)
{
	stop(s);
	return start_next(s, which, next_ns);
}

bool csprof_source_review(struct csprof_source *s, uint64_t clock)
{
	struct csprof_review *r = &s->review;
	bool dear_one = s->driver->perf;
	if (csprof_sources_frozen() || (!dear_one && !r->yielded) || r->samples++ % REVIEWED)
		return false;
	uint64_t ran = clock - r->clock + 1, cost = r->switches * costs.change;
	uint64_t share = cost < ran ? cost * CSPROF_WHOLE / ran : CSPROF_WHOLE;
	bool dear = share > (allowed / 2 < MOST_DEAR ? allowed / 2 : MOST_DEAR) &&
		    r->switches >= FEW_SWITCHES;
	r->clock = clock;
	r->switches = 0;
	r->share = dear_one ? (uint32_t)share : 0;
	r->calm = dear ? 0 : r->calm + 1;
	return dear_one ? dear && s->driver->cheaper : r->calm > r->patience;
}

int csprof_source_change(struct csprof_source *s, uint32_t *which, uint64_t next_ns)
{
	struct csprof_review *r = &s->review;
	const struct csprof_driver *to = r->yielded;
	r->samples = 0;
	r->calm = 0;
	r->share = 0;
	r->yielded = NULL;
	if (s->driver->cheaper) {
		to = s->driver->cheaper;
		r->yielded = s->driver;
		r->patience = r->patience < MOST_PATIENCE ? 2 * r->patience + 1 : MOST_PATIENCE;
	}
	stop(s);
	int lost = s->lost, result = start(s, to, s->sig, s->period, next_ns);
	s->lost = lost;
	if (result < 0)
		return start_next(s, which, next_ns);
	for (*which = 0; s->drivers[*which] != to;)
		++*which;
	return 0;
}

int csprof_source_signal(struct csprof_source *s, uint32_t *which, int sig, uint64_t next_ns)
{
	const struct csprof_driver *same = s->driver;
	stop(s);
	int lost = s->lost, result = start(s, same, sig, s->period, next_ns);
	s->lost = lost;
	s->sig = sig;
	return result < 0 ? start_next(s, which, next_ns) : result;
}

bool csprof_source_sent(const struct csprof_source *s, const siginfo_t *info)
{
	return s->driver->sent(s, info) || (s->lost >= 0 && os_perf_sent(info, s->lost));
}
