/* A performance event that counts what is measured, and sends the signal after each period.
 *
 * Unlike a clock it cannot be sent by a timer for a part of the time: it must count all. So there
 * is one per thread from the beginning. It repeats by itself until the sample's handler gives it
 * another period. */
#include "runtime/drivers/driver.h"

#include "runtime/base/scale.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"

#include <errno.h>
#include <linux/perf_event.h>

/* How many events come in that time of the thread, at least one. */
static uint64_t events_in(const struct csprof_source *s, uint64_t ns)
{
	enum { NS_PER_S = 1000000000 };
	uint64_t n = csprof_scale(ns, s->per_second, NS_PER_S);
	return n == 0 ? 1 : n > INT64_MAX ? INT64_MAX : n;
}

/* What was lost while events took turns is taken to have been like the rest. */
static uint64_t estimate(const struct os_perf_count *c)
{
	bool turns = c->running && c->running < c->enabled;
	return turns ? csprof_scale(c->value, c->enabled, c->running) : c->value;
}

uint64_t csprof_source_count(struct csprof_source *s)
{
	struct os_perf_count now;
	if (s->driver && s->perf.fd >= 0 && os_perf_is_open(&s->perf) &&
	    os_perf_read(&s->perf, &now) == 0) {
		now.value = estimate(&now);
		s->counted.value = s->closed.value + now.value;
		s->counted.enabled = s->closed.enabled + now.enabled;
		s->counted.running = s->closed.running + now.running;
	}
	return s->counted.value;
}

static void close_event(struct csprof_source *s, bool in_child)
{
	if (s->perf.fd < 0)
		return;
	if (!in_child) {
		os_perf_enable(&s->perf, false);
		if (s->driver->is_clock) {
			csprof_source_count(s);
			s->closed = s->counted;
		}
	}
	csprof_descriptor_forget(&s->perf);
	os_perf_close(&s->perf, in_child);
	s->perf.fd = -1;
	s->perf.page = NULL;
	csprof_perf_counted(-1);
}

static int start_kind(struct csprof_source *s, const struct os_perf_kind *kind, int sig,
		      uint64_t first_ns)
{
	int r = os_perf_open(&s->perf, kind, events_in(s, first_ns), sig, !csprof_process.threaded);
	if (r < 0) {
		s->perf.fd = -1;
		return r;
	}
	csprof_perf_counted(1);
	csprof_descriptor_keep(&s->perf);
	r = os_perf_enable(&s->perf, true);
	if (r < 0)
		close_event(s, false);
	return r < 0 ? r : 0;
}

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	return start_kind(s, s->kind, sig, first_ns);
}

/* Each for its kind: the report says which it was. */
static int start_counter(struct csprof_source *s, int sig, uint64_t first_ns)
{
	return s->kind->no_kernel ? -EINVAL : start_kind(s, s->kind, sig, first_ns);
}

static int start_user_counter(struct csprof_source *s, int sig, uint64_t first_ns)
{
	return s->kind->no_kernel ? start_kind(s, s->kind, sig, first_ns) : -EINVAL;
}

/* perf_event_paranoid 2 permits an ordinary user to count what happens outside the kernel. */
static int start_user(struct csprof_source *s, int sig, uint64_t first_ns)
{
	struct os_perf_kind kind = *s->kind;
	kind.no_kernel = true;
	return start_kind(s, &kind, sig, first_ns);
}

/* An event that the kernel counts by software would send at the next occurrence after its period
 * was changed, unless it is enabled again (perf_swevent_add, perf_swevent_set_period). */
static bool is_software(const struct os_perf_kind *kind)
{
	return kind->type == PERF_TYPE_SOFTWARE || kind->type == PERF_TYPE_TRACEPOINT;
}

static int arm(struct csprof_source *s, uint64_t next_ns)
{
	bool again = is_software(s->kind);
	int r = again ? os_perf_enable(&s->perf, false) : 0;
	csprof_ran_on(s);
	if (r >= 0)
		r = os_perf_period(&s->perf, events_in(s, next_ns));
	if (r >= 0 && again)
		r = os_perf_enable(&s->perf, true);
	return r;
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return s->perf.fd >= 0 && os_perf_sent(info, s->perf.fd);
}

static void quiet(struct csprof_source *s)
{
	os_perf_enable(&s->perf, false);
}

static void resume(struct csprof_source *s, uint64_t next_ns)
{
	(void)next_ns;
	os_perf_enable(&s->perf, true);
}

static void stop(struct csprof_source *s, bool in_child)
{
	close_event(s, in_child);
}

#define COUNTER                                                                                    \
	.counts = true, .perf = true, .arm = arm, .sent = sent, .quiet = quiet, .resume = resume,  \
	.stop = stop, .needs = os_needs_perf_sample, .needs_setup = {os_needs_perf}

/* For events that perf alone counts: there is no other driver. */
const struct csprof_driver csprof_driver_counter = {
    .name = "perf",
    .kernel = true,
    .is_clock = true,
    .start = start_counter,
    COUNTER,
};
const struct csprof_driver csprof_driver_user_counter = {
    .name = "perf, of user code",
    .is_clock = true,
    .start = start_user_counter,
    COUNTER,
};

CSPROF_DECLARE_DRIVER(timers)

/* For events that the kernel also counts in other ways (events/usage.c): another driver can take
 * over if there are too many threads, or if they wait too often. The latter not for context
 * switches: it would lose what they are asked for. */
const struct csprof_driver csprof_driver_switch_counter = {
    .name = "perf",
    .kernel = true,
    .start = start,
    .crowded = csprof_perf_crowded,
    COUNTER,
};
const struct csprof_driver csprof_driver_usage_counter = {
    .name = "perf",
    .kernel = true,
    .start = start,
    .crowded = csprof_perf_crowded,
    .cheaper = &csprof_driver_timers,
    COUNTER,
};
const struct csprof_driver csprof_driver_usage_user = {
    .name = "perf, of user code",
    .kernel = true, /* it decides when samples come; all is counted */
    .start = start_user,
    .crowded = csprof_perf_crowded,
    .cheaper = &csprof_driver_timers,
    COUNTER,
};
