#include "runtime/sample/upcalls.h"

#include "formats/identity/notes.h"
#include "runtime/base/message.h"
#include "runtime/base/scale.h"
#include "runtime/csprof.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/thread.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/sampler.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static const double percent = 100;
enum {
	MOST = 8,
	/* The function has that much of the stack, or is not called. */
	STACK_NEEDED = 16 * 1024,
	/* Before that time, nothing is said of its share. */
	GRACE_NS = 2 * 1000 * 1000,
};

struct upcall {
	_Atomic(uint32_t) state; /* enum hpcrun_upcall_state */
	uint32_t times;          /* that the place was used: part of the upcall's number */
	const struct csprof_measured *measured;
	hpcrun_upcall *function;
	void *arg;
	struct hpcrun_upcall_options options;
	uint32_t share; /* of the CPU time, hundredths of a percent */
	/* CPU clock of the process and ns at the start, or at that of a forked child */
	uint64_t since, ns_before;
	_Atomic(uint64_t) calls, ns, dropped;
};
static CSPROF_TOGETHER struct upcall upcalls[MOST];
static CSPROF_TOGETHER _Atomic(uint32_t) num_on;

/* ---- start and stop --------------------------------------------------------------------- */

static const char *name_of(const struct csprof_measured *m)
{
	return csprof_store_header()->metrics[m->column].name;
}

static const struct csprof_measured *find_event(const char *event)
{
	for (uint32_t e = 0; e < csprof_process.num_measured; e++) {
		const struct csprof_measured *m = &csprof_process.measured[e];
		if (!event || strcmp(name_of(m), event) == 0)
			return m;
	}
	return NULL;
}

static int number_of(const struct upcall *u)
{
	return (int)(u->times * MOST + (uint32_t)(u - upcalls));
}

/* One that nobody needs any more: its statistics are kept as long as possible. */
static struct upcall *find_free(void)
{
	struct upcall *oldest = NULL;
	for (uint32_t i = 0; i < MOST; i++)
		if (atomic_load(&upcalls[i].state) != HPCRUN_UPCALL_ON &&
		    (!oldest || upcalls[i].times < oldest->times))
			oldest = &upcalls[i];
	return oldest;
}

static void wait_until_left(void)
{
	uint64_t until = os_clock_mono() + CSPROF_WAIT_NS;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		csprof_thread_wait_idle(s, until);
}

static void begin_share(struct upcall *u)
{
	u->since = os_clock_process();
	u->ns_before = atomic_load(&u->ns);
}

void csprof_upcalls_in_child(void)
{
	for (uint32_t i = 0; atomic_load(&num_on) && i < MOST; i++)
		begin_share(&upcalls[i]);
}

/* The caller has the lock. */
static int make(const char *event, hpcrun_upcall *function, void *arg,
		const struct hpcrun_upcall_options *options)
{
	const struct csprof_measured *m = find_event(event);
	struct upcall *u = find_free();
	if (!m)
		return -ENOENT;
	if (!u)
		return -ENOSPC;
	if (u->state == HPCRUN_UPCALL_NONE)
		u->times = 0;
	else {
		wait_until_left(); /* it may have been switched off just now */
		u->times = (u->times + 1) % (INT_MAX / MOST);
	}
	u->calls = u->ns = u->dropped = 0;
	u->options = (struct hpcrun_upcall_options){0};
	u->measured = m;
	u->function = function;
	u->arg = arg;
	if (options)
		memcpy(&u->options, options,
		       options->size < sizeof u->options ? options->size : sizeof u->options);
	if (u->options.one_in == 0)
		u->options.one_in = 1;
	double budget = u->options.budget > 0 ? u->options.budget : HPCRUN_UPCALL_BUDGET;
	u->share = budget < percent ? (uint32_t)(budget * CSPROF_WHOLE / percent) : CSPROF_WHOLE;
	begin_share(u);
	atomic_store(&u->state, HPCRUN_UPCALL_ON);
	atomic_fetch_add(&num_on, 1);
	return number_of(u);
}

int csprof_upcall_start(const char *event, hpcrun_upcall *function, void *arg,
			const struct hpcrun_upcall_options *options)
{
	if (!function || (options && options->size < sizeof options->size))
		return -EINVAL;
	if (!csprof_process_measured() || csprof_upcalls_running())
		return -ENOTSUP;
	csprof_signal_install_deaths(); /* it may also divide by zero */
	csprof_lock();
	int id = make(event, function, arg, options);
	csprof_unlock();
	return id;
}

static struct upcall *upcall_at(int id)
{
	struct upcall *u = id >= 0 ? &upcalls[id % MOST] : NULL;
	return u && atomic_load(&u->state) != HPCRUN_UPCALL_NONE && number_of(u) == id ? u : NULL;
}

/* Returns false if it is not on. Async-signal-safe. */
static bool end(struct upcall *u, enum hpcrun_upcall_state how)
{
	uint32_t on = HPCRUN_UPCALL_ON;
	bool was = atomic_compare_exchange_strong(&u->state, &on, (uint32_t)how);
	if (was)
		atomic_fetch_sub(&num_on, 1);
	return was;
}

void csprof_upcalls_end(void)
{
	for (uint32_t i = 0; atomic_load(&num_on) && i < MOST; i++)
		end(&upcalls[i], HPCRUN_UPCALL_STOPPED);
}

void csprof_upcall_stop(int id)
{
	struct upcall *u = upcall_at(id);
	if (u && csprof_upcalls_running()) {
		end(u, HPCRUN_UPCALL_STOPPED);
		return;
	}
	csprof_lock();
	u = upcall_at(id);
	if (u) {
		end(u, HPCRUN_UPCALL_STOPPED);
		wait_until_left();
	}
	csprof_unlock();
}

int csprof_upcall_stats(int id, struct hpcrun_upcall_stats *stats)
{
	const struct upcall *u = upcall_at(id);
	if (!u || !stats || stats->size < sizeof stats->size)
		return -EINVAL;
	struct hpcrun_upcall_stats now = {.size = stats->size,
					  .state = (int)atomic_load(&u->state),
					  .calls = atomic_load(&u->calls),
					  .ns = atomic_load(&u->ns),
					  .dropped = atomic_load(&u->dropped)};
	memcpy(stats, &now, now.size < sizeof now ? now.size : sizeof now);
	return 0;
}

/* ---- the sample ------------------------------------------------------------------------- */

/* Regions and labels are no calls, nor is what the kernel does; and an interpreter's functions have
 * no addresses that a program could use. */
static bool is_code(uint64_t ip)
{
	return ip < CSP_SOURCE_BASE;
}

/* What hpcrun_sample.path does: the frames are the state's, and the outer ones in its memo. */
static uint32_t path_of(const struct hpcrun_sample *s, uintptr_t *ips, uint32_t most)
{
	const csprof_state_t *state = s->internal;
	uint32_t n = 0;
	for (uint32_t i = 0; i < state->num_frames && n < most; i++)
		if (is_code(state->frames[i].ip))
			ips[n++] = state->frames[i].ip;
	for (uint32_t i = state->outer; i > 0 && n < most; i--)
		ips[n++] = state->memo.frames[i - 1].ip;
	return n;
}

static uint32_t depth_of(const csprof_state_t *state)
{
	uint32_t n = state->outer;
	for (uint32_t i = 0; i < state->num_frames; i++)
		n += is_code(state->frames[i].ip);
	return n;
}

/* The arguments of a call for csprof_attempt. */
struct calling {
	const struct upcall *upcall;
	const struct hpcrun_sample *sample;
};

static void call(csprof_state_t *state, void *arg)
{
	const struct calling *c = arg;
	state->guard.foreign = true;
	c->upcall->function(c->sample, c->upcall->arg);
	state->guard.foreign = false;
}

static void switch_off(struct upcall *u, enum hpcrun_upcall_state why, const char *text)
{
	if (end(u, why))
		csprof_say(CSPROF_SAY_ALWAYS, "an upcall is switched off:", text, INT64_MIN);
}

/* Of the CPU time of the process. */
static bool takes_too_much(const struct upcall *u)
{
	uint64_t ns = atomic_load_explicit(&u->ns, memory_order_relaxed) - u->ns_before;
	if (ns < GRACE_NS)
		return false;
	uint64_t now = os_clock_process(), all = now > u->since ? now - u->since : 0;
	return ns > all / CSPROF_WHOLE * u->share;
}

static void drop(struct upcall *u)
{
	atomic_fetch_add_explicit(&u->dropped, 1, memory_order_relaxed);
}

static void call_one(csprof_state_t *state, struct upcall *u, const struct hpcrun_sample *s)
{
	struct calling c = {u, s};
	if ((u->options.disabled && *u->options.disabled) ||
	    os_stack_room(s->context) < STACK_NEEDED) {
		drop(u);
		return;
	}
	if (u->options.one_in > 1 && !csprof_one_in(state, u->options.one_in))
		return;
	uint64_t began = os_clock_self();
	bool whole = csprof_attempt(state, call, &c);
	state->guard.foreign = false;
	atomic_fetch_add_explicit(&u->ns, os_clock_self() - began, memory_order_relaxed);
	atomic_fetch_add_explicit(&u->calls, 1, memory_order_relaxed);
	if (!whole)
		switch_off(u, HPCRUN_UPCALL_FAULTED, "it has faulted");
	else if (takes_too_much(u))
		switch_off(u, HPCRUN_UPCALL_TOO_SLOW, "it takes more than its share of the time");
}

static void call_all(csprof_state_t *state, const struct csprof_sampler *p, const void *ucontext,
		     uint64_t weight, bool complete)
{
	const struct hpcrun_sample s = {.size = sizeof s,
					.thread = state->tid,
					.event = name_of(p->measured),
					.weight = weight,
					.context = (void *)ucontext,
					.depth = depth_of(state),
					.complete = complete,
					.path = path_of,
					.internal = state};
	for (uint32_t i = 0; i < MOST; i++)
		if (atomic_load(&upcalls[i].state) == HPCRUN_UPCALL_ON &&
		    upcalls[i].measured == p->measured)
			call_one(state, &upcalls[i], &s);
}

void csprof_upcalls_sample(csprof_state_t *state, const struct csprof_sampler *p,
			   const void *ucontext, uint64_t weight, bool complete)
{
	if (atomic_load_explicit(&num_on, memory_order_relaxed))
		call_all(state, p, ucontext, weight, complete);
}

bool csprof_upcalls_running(void)
{
	const csprof_state_t *state = csprof_self;
	return state && state->guard.foreign;
}
