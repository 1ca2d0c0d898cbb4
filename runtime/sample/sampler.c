#include "runtime/sample/sampler.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/base/random.h"
#include "runtime/base/scale.h"
#include "runtime/csprof.h"
#include "runtime/interception/masks.h"
#include "runtime/os/os.h"
#include "runtime/process/thread.h"
#include "runtime/sample/wall.h"
#include "runtime/sample/values.h"

#include <errno.h>

enum { NS_PER_S = 1000000000 };

static uint64_t read_clock(struct csprof_sampler *p, uint64_t cpu)
{
	const struct csprof_sampling *by = p->measured->by;
	return by->clock ? by->clock(&p->source) : cpu;
}

struct csprof_instant csprof_sampler_now(struct csprof_sampler *p)
{
	uint64_t cpu = os_clock_self();
	return (struct csprof_instant){read_clock(p, cpu), cpu};
}

bool csprof_one_in(csprof_state_t *state, uint32_t n)
{
	return csprof_random(&state->random) % n == 0;
}

uint64_t csprof_sampler_period(csprof_state_t *state, const struct csprof_sampler *p)
{
	uint64_t mean = csprof_pace_mean(&p->pace);
	return mean / 2 + (uint64_t)((unsigned __int128)csprof_random(&state->random) * mean >> 64);
}

struct csprof_sampler *csprof_sampler_of(csprof_state_t *state, const siginfo_t *info)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver && csprof_source_sent(&p->source, info))
			return p;
	return NULL;
}

/* ---- the account ---------------------------------------------------------------------- */

static void add_to(uint64_t *sum, uint64_t more)
{
	__atomic_store_n(sum, *sum + more, __ATOMIC_RELAXED);
}

void csprof_sampler_account(const csprof_state_t *state, const struct csprof_sampler *p,
			    enum csp_disposition d, uint64_t weight)
{
	struct store_count *row = &csprof_clock_of(state, p)->account[d];
	add_to(&row->weight, weight);
	add_to(&row->samples, 1);
}

static uint64_t advance(struct store_clock *clock, uint64_t now)
{
	uint64_t weight = now > clock->last ? now - clock->last : 0;
	clock->last += weight;
	return weight;
}

/* How many of a count come per second of CPU time: over the last samples, of which each counts an
 * eighth less than the one after it. The figure is also that of new threads. */
static void see(struct csprof_sampler *p, uint64_t weight, uint64_t cpu)
{
	enum { DECAY = 8, LEAST_NS = 1000 };
	struct csprof_seen *seen = &p->seen;
	uint64_t ns = cpu > seen->cpu ? cpu - seen->cpu : 0;
	seen->cpu = cpu;
	seen->events += weight - seen->events / DECAY;
	seen->ns += ns - seen->ns / DECAY;
	p->source.per_second = csprof_scale(seen->events, NS_PER_S, seen->ns + LEAST_NS);
	p->source.per_second += p->source.per_second == 0;
	atomic_store_explicit(&p->measured->per_second, p->source.per_second, memory_order_relaxed);
}

uint64_t csprof_sampler_weight(csprof_state_t *state, struct csprof_sampler *p,
			       struct csprof_instant now)
{
	uint64_t weight = advance(csprof_clock_of(state, p), now.event);
	if (p->measured->by->clock)
		see(p, weight, now.cpu);
	csprof_clock_turns(state, p);
	return weight;
}

void csprof_sampler_ask(struct csprof_sampler *p)
{
	const struct csprof_measured *m = p->measured;
	const struct csprof_driver *driver = p->source.driver;
	uint64_t usual = NS_PER_S / CSPROF_DEFAULT_RATE;
	if (!m->by->clock)
		p->pace.asked = m->period;
	else if (m->rate)
		p->pace.asked = NS_PER_S / m->rate;
	else if (driver && !driver->counts)
		p->pace.asked = usual; /* it does not know when a period is over */
	else
		p->pace.asked = csprof_scale(m->period, NS_PER_S, p->source.per_second);
}

/* What a clock advanced while we were measuring is our own. */
static void clock_own(struct store_clock *clock, uint64_t since, uint64_t now)
{
	uint64_t took = now > since ? now - since : 0;
	clock->last += took;
	add_to(&clock->account[CSP_OWN_CODE].weight, took);
}

static void add_own(csprof_state_t *state, const struct csprof_sampler *p,
		    struct csprof_instant since, struct csprof_instant now)
{
	struct store_clock *cpu = csprof_cpu_clock_of(state), *event = csprof_clock_of(state, p);
	clock_own(cpu, since.cpu, now.cpu);
	if (event != cpu)
		clock_own(event, since.event, now.event);
	state->own_cpu += now.cpu - since.cpu;
}

static void add_own_since(csprof_state_t *state, struct csprof_sampler *p,
			  struct csprof_instant since)
{
	add_own(state, p, since, csprof_sampler_now(p));
}

/* The cost of the sample besides the handler's own part, and of the context switches since the
 * last one. */
static void add_cost(csprof_state_t *state, struct csprof_sampler *p)
{
	uint64_t cost = csprof_pace_kernel(&p->pace) + p->source.spent;
	p->source.spent = 0;
	p->cost += cost;
	add_to(&csprof_cpu_clock_of(state)->cost, cost);
}

void csprof_sampler_own_cpu(csprof_state_t *state, struct csprof_sampler *p, uint64_t began,
			    uint64_t now, uint64_t kernel)
{
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	clock_own(cpu, began, now);
	add_to(&cpu->cost, kernel);
	state->own_cpu += now - began;
	p->cost += now - began + kernel;
}

/* Of what the clock advanced since it was last read, at most so much is our own. */
static uint64_t own_at_most(struct store_clock *clock, uint64_t now, uint64_t took)
{
	uint64_t left = now > clock->last ? now - clock->last : 0;
	took = took < left ? took : left;
	clock_own(clock, now - took, now);
	return took;
}

uint64_t csprof_sampler_own_part(csprof_state_t *state, struct csprof_sampler *p,
				 struct csprof_instant since, struct csprof_instant now,
				 uint64_t took)
{
	struct store_clock *cpu = csprof_cpu_clock_of(state), *event = csprof_clock_of(state, p);
	uint64_t passed = now.cpu > since.cpu ? now.cpu - since.cpu : 0;
	uint64_t events = now.event > since.event ? now.event - since.event : 0;
	took = own_at_most(cpu, now.cpu, took);
	if (event != cpu && passed)
		own_at_most(event, now.event, csprof_scale(events, took, passed));
	state->own_cpu += took;
	p->cost += took;
	return took;
}

/* If CPU time is not among the events, nothing else says how far its clock is. */
static void keep_cpu_clock(csprof_state_t *state, uint64_t now)
{
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	if (!csprof_process.samples_cpu)
		add_to(&cpu->account[CSP_TAIL].weight, advance(cpu, now));
}

/* ---- the source ------------------------------------------------------------------------- */

/* If the program has closed what the source needs, another source replaces it. True if the source
 * sends exactly at that time. */
static bool arm_source(csprof_state_t *state, struct csprof_sampler *p, uint64_t next_ns,
		       bool change)
{
	struct csprof_source *s = &p->source;
	int r = change ? -EAGAIN : s->driver->arm(s, next_ns);
	s->usage_read = false;
	csprof_pace_rearmed(&p->pace);
	if (r >= 0)
		return r == 0;
	r = change ? csprof_source_change(s, &p->driver, next_ns)
		   : csprof_source_replace(s, &p->driver, next_ns);
	if (r >= 0) {
		csprof_say(CSPROF_SAY_SOURCE, "now sampling by", s->driver->name, state->tid);
		return false;
	}
	atomic_store(&p->rest, CSP_MEASURING_OFF);
	csprof_say(CSPROF_SAY_SOURCE,
		   "sampling source closed by the program: no longer sampling thread", NULL,
		   state->tid);
	return false;
}

/* The source may be armed or made after the measurement has ended, and would send then; so check
 * again, and silence it. The time that it took to make a source is our own. */
static bool arm_or_change(csprof_state_t *state, struct csprof_sampler *p,
			  struct csprof_instant now, uint64_t next_ns, bool change)
{
	bool later = atomic_load(&p->source.later);
	bool exact = arm_source(state, p, next_ns, change);
	if (!csprof_sampler_wanted(p))
		p->source.driver->quiet(&p->source);
	if (change || (later && !atomic_load(&p->source.later)))
		add_own_since(state, p, now);
	return exact;
}

bool csprof_sampler_arm(csprof_state_t *state, struct csprof_sampler *p, struct csprof_instant now,
			uint64_t next_ns)
{
	return arm_or_change(state, p, now, next_ns, false);
}

static uint64_t at_least(uint64_t ns, uint64_t least)
{
	return ns > least ? ns : least;
}

void csprof_sampler_arm_again(csprof_state_t *state, struct csprof_sampler *p,
			      struct csprof_instant now, uint64_t rest_ns)
{
	add_cost(state, p);
	csprof_sampler_arm(state, p, now, at_least(rest_ns, csprof_pace_floor(&p->pace)));
}

/* Of that share of the thread's time, what the other events leave, but at least an equal part. */
static uint32_t part_of(const csprof_state_t *state, const struct csprof_sampler *self,
			uint32_t share, uint64_t ran)
{
	uint64_t others = 0;
	uint32_t n = csprof_process.num_measured, part = share / n + (share < n);
	CSPROF_EACH_SAMPLER (state, p)
		if (p != self)
			others += p->cost;
	uint64_t used = others / (ran / CSPROF_WHOLE + 1);
	return used + part < share ? share - (uint32_t)used : part;
}

/* Set the share of the thread's time that its samples may take from here on: the budget less the
 * cost of its context switches and of other events, and three quarters of that while all measuring
 * of the thread, its start included, has taken more than the budget. */
static void set_share(csprof_state_t *state, struct csprof_sampler *p, uint64_t cpu)
{
	uint32_t budget = csprof_options.budget, switches = p->source.review.share;
	uint64_t cost = csprof_cpu_clock_of(state)->cost + state->own_cpu + state->outside;
	uint32_t share = budget - (switches < budget / 2 ? switches : budget / 2);
	uint32_t values = csprof_values_share(state, cpu - state->began);
	share -= values < share ? values : 0;
	bool over = cost > (cpu - state->began) / CSPROF_WHOLE * budget;
	share = part_of(state, p, share, cpu - state->began);
	p->pace.share = over ? share - share / 4 : share;
	p->pace.said = csprof_source_cost(&p->source);
}

void csprof_sampler_end(csprof_state_t *state, struct csprof_sampler *p,
			struct csprof_instant began)
{
	struct csprof_instant now = csprof_sampler_now(p);
	keep_cpu_clock(state, began.cpu);
	add_own(state, p, began, now);
	p->cost += now.cpu - began.cpu;
	if (state->wall)
		csprof_wall_allow(state, now.cpu - began.cpu + csprof_pace_kernel(&p->pace) +
					     p->source.spent);
	csprof_pace_saw(&p->pace, began.cpu, now.cpu);
	if (p->measured->by->clock)
		csprof_sampler_ask(p);
	add_cost(state, p);
	set_share(state, p, now.cpu);
	uint64_t least = csprof_pace_rest(&p->pace, now.cpu - began.cpu);
	uint64_t next = at_least(csprof_sampler_period(state, p), least);
	bool change = csprof_source_review(&p->source, now.cpu);
	uint64_t own = state->own_cpu;
	bool exact = arm_or_change(state, p, now, next, change);
	csprof_thread_name_source(p);
	/* a count's signals come when the period is over, not when that time is */
	if (p->source.driver->counts)
		csprof_pace_armed(&p->pace, 0, 0, false);
	else
		csprof_pace_armed(&p->pace, now.cpu + (state->own_cpu - own), next, exact);
}

/* ---- outside the handler: see csprof.h -------------------------------------------------- */

bool csprof_sample_sent(const siginfo_t *info)
{
	return csprof_self && csprof_sampler_of(csprof_self, info);
}

void csprof_sample_resume(void)
{
	csprof_state_t *state = csprof_self;
	bool measuring = atomic_load(&csprof_process.measuring);
	CSPROF_EACH_SAMPLER (state, p) {
		enum csp_disposition why = atomic_load(&p->rest);
		if (!p->source.driver || why == CSP_TAIL || why == CSP_MEASURING_OFF)
			continue;
		atomic_store(&p->rest, CSP_TAIL);
		if (!measuring)
			continue; /* if an exec fails, csprof_process_resume resumes all sources */
		add_to(&csprof_clock_of(state, p)->account[why].weight,
		       csprof_sampler_weight(state, p, csprof_sampler_now(p)));
		if (!csprof_sampler_wanted(p))
			continue; /* measuring is stopped */
		p->source.driver->resume(&p->source, csprof_sampler_period(state, p));
		atomic_store(&p->sampled, true);
	}
	if (measuring)
		csprof_sample_defer(NULL);
}

/* A sample that comes during this only sets `sampled`. Handlers of the program, which may leave
 * by longjmp or fork, do not run. */
void csprof_sample_defer(const siginfo_t *info)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	struct csprof_sampler *sender = info ? csprof_sampler_of(state, info) : NULL;
	if (sender)
		atomic_store(&sender->sampled, true);
	while (csprof_samplers_pending(state) && !atomic_exchange(&state->busy, true)) {
		CSPROF_EACH_SAMPLER (state, p)
			if (atomic_exchange(&p->sampled, false) && csprof_sampler_wanted(p))
				csprof_sampler_arm(state, p, csprof_sampler_now(p),
						   csprof_sampler_period(state, p));
		atomic_store(&state->busy, false);
	}
	os_release_signals(mask);
}

static void leave_own(csprof_state_t *state)
{
	atomic_store(&state->busy, false);
	if (csprof_samplers_pending(state))
		csprof_sample_defer(NULL);
}

static bool enter_own(csprof_state_t *state)
{
	return state && csprof_samplers_wanted(state) && !atomic_exchange(&state->busy, true);
}

static bool begin_own(csprof_state_t *state, bool (*wanted)(const csprof_state_t *state))
{
	if (!state || !wanted(state) || atomic_exchange(&state->busy, true))
		return false;
	state->own_since = os_clock_self();
	CSPROF_EACH_SAMPLER (state, p)
		p->own_since = read_clock(p, state->own_since);
	return true;
}

static void send_by(csprof_state_t *state, struct csprof_sampler *p, int sig)
{
	struct csprof_instant now = csprof_sampler_now(p);
	uint64_t next = csprof_sampler_period(state, p);
	if (csprof_source_signal(&p->source, &p->driver, sig, next) < 0)
		atomic_store(&p->rest, CSP_MEASURING_OFF);
	if (!csprof_sampler_wanted(p))
		p->source.driver->quiet(&p->source);
	add_own_since(state, p, now);
	csprof_pace_armed(&p->pace, os_clock_self(), next, false);
}

bool csprof_sample_by(int sig)
{
	csprof_state_t *state = csprof_self;
	if (!state || !csprof_samplers_resting(state, CSP_TAIL) || csprof_sources_frozen() ||
	    !enter_own(state))
		return false;
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver && atomic_load(&p->rest) == CSP_TAIL)
			send_by(state, p, sig);
	bool ok = csprof_samplers_resting(state, CSP_TAIL);
	os_release_signals(mask);
	leave_own(state);
	return ok;
}

bool csprof_samples_by(int sig)
{
	const csprof_state_t *state = csprof_self;
	return state && csprof_samplers_any(state) && state->samplers[0].source.sig == sig;
}

void csprof_own_start(void)
{
	csprof_state_t *state = csprof_self;
	if (!enter_own(state))
		return;
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	uint64_t now = os_clock_self();
	state->own_cpu = now - state->began;
	clock_own(cpu, cpu->last, now);
	CSPROF_EACH_SAMPLER (state, p) {
		struct store_clock *clock = csprof_clock_of(state, p);
		if (clock != cpu)
			clock_own(clock, clock->last, read_clock(p, now));
	}
	leave_own(state);
}

bool csprof_own_begin(void)
{
	return begin_own(csprof_self, csprof_samplers_wanted);
}

/* What the clocks advanced before csprof_own_begin belongs to the next sample, as usual. */
void csprof_own_end(void)
{
	csprof_state_t *state = csprof_self;
	struct store_clock *cpu = csprof_cpu_clock_of(state);
	uint64_t now = os_clock_self();
	CSPROF_EACH_SAMPLER (state, p) {
		struct store_clock *clock = csprof_clock_of(state, p);
		if (clock != cpu)
			clock_own(clock, p->own_since, read_clock(p, now));
	}
	clock_own(cpu, state->own_since, now);
	state->own_cpu += now - state->own_since;
	leave_own(state);
}

void csprof_sample_settle(void)
{
	csprof_state_t *state = csprof_self;
	if (!begin_own(state, csprof_samplers_measured))
		return;
	CSPROF_EACH_SAMPLER (state, p) {
		if (p->source.driver && p->source.driver->settle)
			p->source.driver->settle(&p->source, csprof_pace_mean(&p->pace));
		if (p->source.driver && !csprof_sampler_wanted(p))
			p->source.driver->quiet(&p->source);
	}
	csprof_own_end();
}
