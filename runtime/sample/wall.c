/* Where a thread is while it does not run.
 *
 * A timer looks at each thread at random instants, which depend on nothing that the thread does. If
 * the thread is blocked then, or waits for a CPU, such time that was not charged before is charged
 * to its path and to that of the look before. The gaps between the instants are exponential (a
 * Poisson process), so an instant after a look is as likely to be the next one as any other: every
 * place is charged, on average, with the time that the thread spends there, however long or short
 * its waits are, and whatever it does between them. Where the looks become rarer while what the
 * thread does changes, the change is seen as blurred as they are rare.
 *
 * A look at a blocked thread wakes it. So once a wait was seen, its handler continues it (call.c)
 * without a timer, and at its end is told how long it was. Looks would have come meanwhile: the
 * last of them at a random time before the end, which has the same exponential distribution. Up to
 * there the rest is charged at once; what is after it is left to the next look, as it would have
 * been. The same holds if the signal comes late: the thread could not take it, because it had no
 * CPU, or waited in the kernel for a disk.
 *
 * What it costs is bounded: looks become rarer when they have taken a part of what the samples of
 * CPU time take (looks.c). */
#include "runtime/sample/wall.h"

#include "runtime/base/random.h"
#include "runtime/base/scale.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/thread.h"
#include "runtime/sample/blame.h"
#include "runtime/sample/call.h"
#include "runtime/sample/looks.h"
#include "runtime/sample/sampler.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/upcalls.h"
#include "runtime/trees/cct.h"

#include <errno.h>

enum {
	/* A signal that comes later than that after its time has found the thread without a CPU, if
	 * it had none for so long. */
	LATE_NS = 100 * 1000,
	STAYS_NS = 50 * 1000, /* CPU time of a thread that stays where it is */
};
/* A wait that must be left to the thread is looked at after twice the time each time. */
enum { MOST_STAYS = 11 };
static const uint64_t longest_stay_ns = 2000000000;

static uint64_t mean_gap(const struct csprof_sampler *p)
{
	return csprof_looks_gap(p->measured->period);
}

uint64_t csprof_wall_period(csprof_state_t *state, const struct csprof_sampler *p)
{
	uint64_t gap = mean_gap(p);
	if (state->wall)
		state->wall->gap = gap;
	return csprof_random_gap(&state->random, gap) + 1;
}

void csprof_wall_forget(void)
{
	csprof_looks_in_child();
	csprof_blame_forget();
}

/* ---- a look ------------------------------------------------------------------------------- */

void csprof_wall_begin(csprof_state_t *state)
{
	struct csprof_wall w = {.last.cpu = state->began};
	CSPROF_EACH_SAMPLER (state, p) {
		if (!p->measured->by->elapses)
			continue;
		bool has_source = p->measured->by->drivers[0];
		*(has_source ? &w.blocked : &w.runnable) = p;
		*(has_source ? &w.last.blocked : &w.last.runnable) =
		    csprof_clock_of(state, p)->start;
	}
	if (!w.blocked)
		return;
	state->wall = (void *)(state->samplers + csprof_process.num_measured);
	*state->wall = w;
	csprof_blame_begin(state);
}

/* The time for which the thread has waited for a CPU changes only with its context switches. */
static struct csprof_look look_once(struct csprof_wall *w)
{
	struct os_usage u;
	os_usage(&u);
	struct csprof_look now = {
	    .waits = u.switches, .switches = u.switches + u.preempted, .faults = u.faults};
	now.runnable = w->last.runnable;
	if (u.switches == OS_NOT_KNOWN || now.switches != w->last.switches)
		now.runnable = w->runnable->measured->by->clock(&w->runnable->source);
	w->blocked->source.delay = now.runnable; /* its clock needs it, too */
	now.cpu = os_clock_self();
	now.mono = os_clock_mono();
	now.blocked = now.mono - now.cpu - now.runnable;
	return now;
}

/* If the thread loses the CPU while its clocks are read, that time is not BLOCKED. */
static struct csprof_look look(struct csprof_wall *w)
{
	enum { TRIES = 3 };
	struct csprof_look now = look_once(w);
	for (int i = 1; i < TRIES; i++) {
		struct os_usage after;
		os_usage(&after);
		if (after.switches == OS_NOT_KNOWN ||
		    after.switches + after.preempted == now.switches)
			break;
		now = look_once(w);
	}
	return now;
}

/* Whether the signal has interrupted a call that waited. */
static bool interrupted_wait(const void *ucontext)
{
	struct csprof_call call;
	return csprof_cpu.call_restarts(ucontext) ||
	       (csprof_cpu.last_call(ucontext, &call) && call.result == -EINTR);
}

/* What a look has found: whose time it is, and how much of it was after the timer's time. */
struct found {
	struct csprof_sampler *of; /* NULL: the thread ran */
	uint64_t after;
	bool waits;
};

static struct found find(const struct csprof_wall *w, const struct csprof_look *now, uint64_t due,
			 const void *ucontext)
{
	uint64_t late = now->mono - due, ran = now->cpu - w->last.cpu;
	uint64_t blocked = now->blocked > w->last.blocked ? now->blocked - w->last.blocked : 0;
	uint64_t runnable = now->runnable - w->last.runnable;
	bool without = late > LATE_NS, was_ready = without && runnable >= late / 2;
	if (interrupted_wait(ucontext)) /* it may also have been stopped */
		return (struct found){
		    w->blocked, without && !was_ready ? csprof_smaller(late, blocked) : 0, true};
	if (!without)
		return (struct found){NULL, 0, false};
	if (was_ready)
		return (struct found){w->runnable, csprof_smaller(late, runnable), false};
	/* the kernel may also have run for so long before it returned from a call */
	bool stopped = csprof_cpu.kernel_entry(ucontext) == CSPROF_ENTRY_NONE;
	if (blocked >= late / 2 && (stopped || ran < late || ran < blocked))
		return (struct found){w->blocked, csprof_smaller(late, blocked), false};
	return (struct found){NULL, 0, false};
}

/* Of `after` ns that end now: what came after the last look that would have been. */
static uint64_t left_over(csprof_state_t *state, const struct csprof_sampler *p, uint64_t after)
{
	return after ? csprof_smaller(after, csprof_random_gap(&state->random, mean_gap(p))) : 0;
}

static uint64_t take_clock(csprof_state_t *state, const struct csprof_sampler *p, uint64_t until)
{
	struct store_clock *c = csprof_clock_of(state, p);
	uint64_t weight = until > c->last ? until - c->last : 0;
	c->last += weight;
	return weight;
}

static uint64_t clock_in(const struct csprof_wall *w, const struct csprof_look *now,
			 const struct csprof_sampler *p)
{
	return p == w->blocked ? now->blocked : now->runnable;
}

/* More of the time of a wait that was charged to a node. */
static void add_to_node(csprof_state_t *state, const struct csprof_sampler *p,
			const struct csprof_wait *wait, uint64_t weight)
{
	uint64_t *at =
	    &((struct store_node *)csprof_store_at(wait->node))->metrics[p->measured->column];
	struct store_count *row = &csprof_clock_of(state, p)->account[wait->became];
	__atomic_store_n(at, *at + weight, __ATOMIC_RELAXED);
	__atomic_store_n(&row->weight, row->weight + weight, __ATOMIC_RELAXED);
}

/* A look stands for as much time as gaps between looks were long on average, and for as much of it
 * before as after. Charge to where the last one was its share of the time since then. Returns how
 * much that is. */
static uint64_t share_gap(csprof_state_t *state, const struct csprof_sampler *p, uint64_t time)
{
	struct csprof_wall *w = state->wall;
	const struct csprof_wait before = {.node = p->rest_node, .became = p->rest_became};
	uint64_t part = csprof_smaller(time, csprof_scale(time, w->stood, w->stood + w->gap));
	w->stood = w->gap;
	if (!before.node)
		return 0;
	add_to_node(state, p, &before, part);
	return part;
}

/* Returns how much that is. */
static uint64_t charge_rest(csprof_state_t *state, const struct csprof_wait *wait,
			    const struct csprof_look *now, uint64_t after)
{
	struct csprof_sampler *p = state->wall->blocked;
	uint64_t until = now->blocked - left_over(state, p, after);
	uint64_t rest = take_clock(state, p, until);
	add_to_node(state, p, wait, rest);
	return rest;
}

/* The wait that the handler continued has ended. If the next look would not have come before that,
 * which needs no reading of the clocks to know, only what the last one left is charged. */
static uint64_t charge_end(csprof_state_t *state, const struct csprof_wait *wait)
{
	struct csprof_wall *w = state->wall;
	struct csprof_sampler *p = w->blocked;
	uint64_t until = w->last.blocked, gap = csprof_random_gap(&state->random, mean_gap(p));
	if (gap < os_clock_mono() - w->last.mono) {
		struct csprof_look now = look(w);
		w->stood = mean_gap(p);
		until = now.blocked - csprof_smaller(now.blocked - w->last.blocked, gap);
		w->last = now;
	}
	uint64_t rest = take_clock(state, p, until);
	add_to_node(state, p, wait, rest);
	return rest;
}

/* A wait that was left to the thread has ended if the thread is elsewhere now, and was its last one
 * if it has not waited again. */
static void end_stay(csprof_state_t *state, const struct csprof_look *now, const void *ucontext)
{
	struct csprof_wall *w = state->wall;
	struct csprof_wait *stay = &w->stay;
	bool there = csprof_cpu.context_pc(ucontext) == w->pc &&
		     csprof_cpu.context_sp(ucontext) == w->sp && now->cpu - w->last.cpu < STAYS_NS;
	w->stays = !there ? 0 : w->stays < MOST_STAYS ? w->stays + 1 : w->stays;
	if (stay->node && !there && now->waits - w->last.waits <= 1)
		charge_rest(state, stay, now, now->blocked - w->last.blocked);
	stay->node = 0;
}

static void arm(csprof_state_t *state, struct csprof_sampler *p)
{
	uint64_t mean = mean_gap(p), longer = mean << state->wall->stays;
	state->wall->gap = mean;
	mean = longer > longest_stay_ns ? csprof_larger(mean, longest_stay_ns) : longer;
	csprof_sampler_arm(state, p, (struct csprof_instant){0, 0},
			   csprof_random_gap(&state->random, mean) + 1);
}

/* Our own part, and the kernel's: the interrupt, the signal, and if the thread waited, waking it.
 */
static void add_cost(csprof_state_t *state, struct csprof_sampler *p, uint64_t began,
		     uint64_t kernel)
{
	uint64_t cpu = os_clock_self();
	csprof_sampler_own_cpu(state, p, began, cpu, kernel);
	csprof_looks_spent(cpu - began + kernel);
}

static void charge_others(csprof_state_t *state, store_ref node, uint64_t weight, bool waits,
			  bool asked)
{
	const struct csprof_place at = {.node = node,
					.weight = weight,
					.cpu = state->wall->last.cpu,
					.waits = waits,
					.asked = asked};
	csprof_blame_at(state, &at);
}

/* Another thread waits for this one: where is it? The timer's own time is still to come. */
static void look_for_others(csprof_state_t *state, struct csprof_sampler *p, uint64_t now,
			    uint64_t due, const void *ucontext)
{
	store_ref node;
	uint64_t began = os_clock_self();
	if (!csprof_sample_place(state->wall->runnable, ucontext, &node))
		return;
	if (node)
		charge_others(state, node, 0, interrupted_wait(ucontext), true);
	add_cost(state, p, began, csprof_looks_signal());
	csprof_sampler_arm(state, p, (struct csprof_instant){0, 0}, due - now);
}

/* Let a reader of the store know of a wait whose end we may never be told. */
static void note_wait(csprof_state_t *state, const struct csprof_look *now)
{
	struct store_thread *t = csprof_store_at(state->thread);
	t->wait_clock = state->wall->blocked->measured->clock;
	t->wait_ahead = now->mono - now->blocked;
	__atomic_store_n(&t->wait_node, state->wall->wait.node, __ATOMIC_RELEASE);
}

/* Its end is known: what it was that was not charged. */
static struct csprof_wait take_wait(csprof_state_t *state)
{
	struct csprof_wait wait = state->wall->wait;
	struct store_thread *t = csprof_store_at(state->thread);
	__atomic_store_n(&t->wait_node, 0, __ATOMIC_RELEASE);
	wait.node = __atomic_exchange_n(&state->wall->wait.node, 0, __ATOMIC_RELAXED);
	return wait;
}

bool csprof_wall_sample(csprof_state_t *state, struct csprof_sampler *p, const void *ucontext)
{
	struct csprof_wall *w = state->wall;
	uint64_t began = os_clock_self(), due = p->source.due, kernel = csprof_looks_signal();
	struct csprof_look now = look(w);
	bool asked = csprof_blame_asked(state);
	if (!due || now.mono < due) { /* it was armed again meanwhile */
		if (due && asked)
			look_for_others(state, p, now.mono, due, ucontext);
		return false;
	}
	p->source.due = 0;
	end_stay(state, &now, ucontext);
	struct found f = find(w, &now, due, ucontext);
	enum csp_disposition became = CSP_RECORDED;
	w->faulted = now.faults != w->last.faults;
	w->last = now;
	w->wait.node = 0;
	if (f.of) {
		uint64_t seen = f.after - left_over(state, f.of, f.after); /* of this wait alone */
		uint64_t until = clock_in(w, &now, f.of) - f.after + seen;
		uint64_t weight = take_clock(state, f.of, until);
		uint64_t shared = share_gap(state, f.of, weight > seen ? weight - seen : 0);
		/* another one: a signal that was late */
		const void *at = csprof_call_context(ucontext);
		became = csprof_sample_callstack(f.of, at, weight - shared, &w->wait.node);
		csprof_sampler_account(state, f.of, became, weight - shared);
		if (became <= CSP_PARTIAL)
			csprof_upcalls_sample(state, f.of, at, weight, became == CSP_RECORDED);
		w->wait.became = became;
		if (w->wait.node)
			charge_others(state, w->wait.node, weight, true, asked);
		if (w->wait.node && f.waits)
			csprof_blame_wait(state, ucontext, w->wait.node, weight, now.mono);
	} else if (asked && csprof_sample_place(w->runnable, ucontext, &w->wait.node) &&
		   w->wait.node) {
		charge_others(state, w->wait.node, 0, false, true);
	}
	add_cost(state, p, began, f.waits ? 2 * kernel : kernel);
	csprof_thread_name_source(p);
	if (became == CSP_FAULT)
		return false;
	if (!f.waits)
		w->wait.node = 0;
	else if (w->wait.node) {
		note_wait(state, &now);
		return true;
	}
	arm(state, p);
	return false;
}

void csprof_wall_leave(csprof_state_t *state)
{
	if (state->wall)
		state->wall->left = true;
}

void csprof_wall_allow(csprof_state_t *state, uint64_t ns)
{
	enum { MUCH = 4 };
	struct csprof_wall *w = state->wall;
	csprof_looks_allow(ns);
	if (w->left)
		csprof_blame_quiet(state, false);
	/* an exponential gap may be drawn anew at any time that does not depend on it */
	if (w->left || (!w->wait.node && w->gap / MUCH > mean_gap(w->blocked)))
		arm(state, w->blocked);
	w->left = false;
}

bool csprof_wall_quiet(const csprof_state_t *state)
{
	return csprof_wall_waits(state) || (state->wall && state->wall->left);
}

bool csprof_wall_waits(const csprof_state_t *state)
{
	return state->wall && __atomic_load_n(&state->wall->wait.node, __ATOMIC_RELAXED);
}

/* A wait ends while measuring is stopped: it has what it lasted before that. */
static void end_stopped(csprof_state_t *state)
{
	struct csprof_sampler *p = state->wall->blocked;
	uint64_t stopped = csprof_clock_of(state, p)->stopped;
	struct csprof_wait wait = take_wait(state);
	if (wait.node && stopped)
		add_to_node(state, p, &wait, take_clock(state, p, stopped - 1));
	csprof_blame_over(state, state->wall->last.mono, 0, false);
}

void csprof_wall_over(csprof_state_t *state, const void *ucontext, bool ended)
{
	struct csprof_wall *w = state->wall;
	struct csprof_sampler *p = w->blocked;
	os_hold_signals(0); /* until the handler returns */
	atomic_store(&state->busy, true);
	if (!csprof_sampler_wanted(p)) { /* the process ends, and may have closed the thread */
		if (atomic_load(&csprof_process.measuring) && atomic_load(&p->stopped))
			end_stopped(state);
		atomic_store(&state->busy, false);
		return;
	}
	uint64_t began = os_clock_self(), rest = 0, left = 0;
	uint64_t looked = w->last.mono, end = looked;
	struct csprof_wait wait = take_wait(state);
	if (ended && wait.node) {
		rest = charge_end(state, &wait);
		end = os_clock_mono();
		left = end - looked;
		left -= csprof_smaller(rest, left);
	} else if (!ended) {
		w->stay = wait;
		w->pc = csprof_cpu.context_pc(ucontext);
		w->sp = csprof_cpu.context_sp(ucontext);
	}
	csprof_blame_over(state, end, left, !ended || !csprof_call_timed_out(ucontext));
	if (wait.node)
		charge_others(state, wait.node, rest, true, false);
	if (w->left)
		csprof_blame_quiet(state, true);
	else
		arm(state, p);
	add_cost(state, p, began, 0);
	atomic_store(&state->busy, false);
}

void csprof_wall_abandoned(csprof_state_t *state)
{
	struct csprof_wall *w = state->wall;
	if (!w || !w->wait.node)
		return;
	take_wait(state);
	csprof_blame_over(state, w->last.mono, 0, false);
	arm(state, w->blocked);
}

void csprof_wall_close(csprof_state_t *state, bool self)
{
	struct csprof_wall *w = state->wall;
	struct os_usage u;
	if (!w)
		return;
	struct csprof_wait wait = take_wait(state);
	csprof_blame_over(state, w->last.mono, 0, false);
	csprof_blame_close(state, self);
	if (!wait.node && w->stay.node) {
		if (self)
			os_usage(&u);
		else
			os_usage_of(state->tid, &u);
		if (u.switches - w->last.waits <= 1)
			wait = w->stay;
	}
	w->stay.node = 0;
	if (wait.node)
		add_to_node(state, w->blocked, &wait,
			    take_clock(state, w->blocked, csprof_clock_of(state, w->blocked)->end));
}
