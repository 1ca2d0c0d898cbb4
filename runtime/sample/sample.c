/* The sample path: sample -> unwind -> insert. Everything here except the synchronous recordings
 * at the end runs in a signal handler. */
#include "runtime/csprof.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/interception/masks.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sample/call.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/kernel.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/pace.h"
#include "runtime/sample/unwind.h"
#include "runtime/trees/cct.h"

#include <errno.h>

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators,
 * scrambled"): good enough to keep samples from running in step with the program. */
static uint64_t next_random(csprof_state_t *state)
{
	uint64_t x = state->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	state->random = x;
	return x * 0x2545F4914F6CDD1Dull;
}

/* Uniform in [P/2, 3P/2): a fixed period would give wrong results for a program that runs in
 * step with it. */
static uint64_t next_period(csprof_state_t *state)
{
	uint64_t p = csprof_pace_mean(&state->pace);
	return p / 2 + (uint64_t)((unsigned __int128)next_random(state) * p >> 64);
}

bool csprof_context_is_unsafe(const void *ucontext, enum csp_disposition *why)
{
	/* A walk and its insertion were seen to take 2200 bytes of stack. The program's
	 * alternate stack may be smaller, and has no guard page. */
	enum { STACK_NEEDED = 3072 };
	if (os_stack_room(ucontext) < STACK_NEEDED || !csprof_signal_faults_guarded()) {
		*why = CSP_UNSAFE_CODE;
		return true;
	}
	uintptr_t pc = csprof_cpu.context_pc(ucontext);
	/* our wrappers make the program's system calls; what they do for us is done under the lock
	 * or in user mode */
	if (csprof_own_code(pc) && (!csprof_cpu.in_call(ucontext) || csprof_lock_is_mine())) {
		*why = CSP_OWN_CODE;
		return true;
	}
	return false;
}

/* Whether a frame is at the address of an unloaded module, where another module may just be
 * mapped. */
static bool load_map_in_doubt(csprof_state_t *state, bool complete)
{
	if (complete && csprof_epoch_changing() && csprof_unwind_expand(state))
		csprof_epoch_change_look(state->frames, state->num_frames);
	if (!csprof_epoch_changing())
		return false;
	if (state->outer)
		return true; /* no memory to look at them */
	for (uint32_t i = 0; i < state->num_frames; i++)
		if (csprof_epoch_doubtful(state->frames[i].ip))
			return true;
	return false;
}

/* The innermost frame is then a caller of the kernel: after a system call its ip is a return
 * address. */
static bool add_kernel_frame(csprof_state_t *state, const void *ucontext, uint64_t ip)
{
	struct csprof_frame *caller = &state->frames[0];
	bool call = (ip & CSP_KERNEL_ACTIVITY) != CSP_KERNEL_FAULT;
	if (call && !csprof_cpu.call_restarts(ucontext))
		caller->exact = false;
	return csprof_unwind_prepend(
	    state, (struct csprof_frame){.ip = ip, .sp = caller->sp, .exact = true});
}

/* Mark the new frames of the path that was inserted last. */
static void mark(csprof_state_t *state)
{
	const struct csprof_cct *cct = &state->cct[CSP_TREE_COMPLETE];
	csprof_marks_put(&state->memo, cct->nodes, cct->len);
}

static enum csp_disposition sample_callstack(csprof_state_t *state, const void *ucontext,
					     uint32_t metric, uint64_t weight)
{
	enum csp_disposition why;
	if (csprof_context_is_unsafe(ucontext, &why))
		return why;
	uint64_t kernel = csprof_kernel_sample(state, ucontext, weight);
	bool complete = csprof_unwind_context(state, ucontext);
	if (state->num_frames == 0)
		return CSP_UNWIND_FAILED;
	if (load_map_in_doubt(state, complete))
		return CSP_LOAD_MAP_CHANGING;
	if (kernel && !add_kernel_frame(state, ucontext, kernel))
		return CSP_OUT_OF_MEMORY;
	uint32_t columns[CSPROF_EVENT_COLUMNS] = {metric, metric + 1};
	uint64_t amounts[CSPROF_EVENT_COLUMNS] = {weight, 1};
	uint32_t kind = complete ? CSP_TREE_COMPLETE : CSP_TREE_PARTIAL;
	store_ref node = csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts,
					   CSPROF_EVENT_COLUMNS);
	if (!node)
		return CSP_OUT_OF_MEMORY;
	if (complete)
		mark(state);
	enum csp_disposition became = complete ? CSP_RECORDED : CSP_PARTIAL;
	if (!state->first_node) {
		state->first_became = became;
		state->first_node = node;
	}
	return became;
}

/* The arguments of a sample for csprof_guarded. */
struct sample_work {
	const void *ucontext;
	uint32_t metric;
	uint64_t weight;
	enum csp_disposition became;
};

static void do_sample(csprof_state_t *state, void *arg)
{
	struct sample_work *w = arg;
	w->became = sample_callstack(state, w->ucontext, w->metric, w->weight);
}

enum csp_disposition csprof_sample_callstack(const void *ucontext, uint32_t metric, uint64_t weight)
{
	struct sample_work w = {ucontext, metric, weight, CSP_FAULT};
	return csprof_guarded(csprof_self, do_sample, &w) ? w.became : CSP_FAULT;
}

static void account(csprof_state_t *state, enum csp_disposition d, uint64_t weight)
{
	struct store_count *row = &csprof_clock_of(state)->account[d];
	__atomic_store_n(&row->weight, row->weight + weight, __ATOMIC_RELAXED);
	__atomic_store_n(&row->samples, row->samples + 1, __ATOMIC_RELAXED);
}

/* What the event's clock has advanced since the last call. */
static uint64_t take_weight(struct store_clock *clock, uint64_t now)
{
	uint64_t weight = now > clock->last ? now - clock->last : 0;
	clock->last += weight;
	return weight;
}

/* Whether samples are wanted: not while the process ends, and not after the thread's source was
 * stopped. */
static bool wanted(const csprof_state_t *state)
{
	return atomic_load(&csprof_process.measuring) &&
	       atomic_load_explicit(&state->rest, memory_order_relaxed) != CSP_MEASURING_OFF;
}

/* Count what the event's clock and the CPU time advanced while we were measuring as our own. */
static void add_own(csprof_state_t *state, uint64_t took, uint64_t cpu)
{
	uint64_t *own = &csprof_clock_of(state)->account[CSP_OWN_CODE].weight;
	__atomic_store_n(own, *own + took, __ATOMIC_RELAXED);
	state->own_cpu += cpu;
}

/* The same for all time since then. */
static void add_own_since(csprof_state_t *state, struct csprof_instant since)
{
	struct csprof_instant now = csprof_now(state);
	csprof_clock_of(state)->last += now.event - since.event;
	add_own(state, now.event - since.event, now.cpu - since.cpu);
}

/* Arm the source. If the program has closed what the source needs, another source replaces it.
 * True if the source sends exactly at that time. */
static bool arm_source(csprof_state_t *state, uint64_t next_ns, bool change)
{
	struct csprof_source *s = &state->source;
	int r = change ? -EAGAIN : s->driver->arm(s, next_ns);
	s->usage_read = false;
	csprof_pace_rearmed(&state->pace);
	if (r >= 0)
		return r == 0;
	r = change ? csprof_source_change(s, &state->driver, next_ns)
		   : csprof_source_replace(s, &state->driver, next_ns);
	if (r >= 0) {
		csprof_say(CSPROF_SAY_SOURCE, "now sampling by", s->driver->name, state->tid);
		return false;
	}
	atomic_store(&state->rest, CSP_MEASURING_OFF);
	csprof_say(CSPROF_SAY_SOURCE,
		   "sampling source closed by the program: no longer sampling thread", NULL,
		   state->tid);
	return false;
}

/* The source may be armed or made after the measurement has ended, and would send then; so check
 * again, and silence it. The time that it took to make a source is our own. */
static bool arm_or_change(csprof_state_t *state, struct csprof_instant now, uint64_t next_ns,
			  bool change)
{
	bool later = atomic_load(&state->source.later);
	bool exact = arm_source(state, next_ns, change);
	if (!wanted(state))
		state->source.driver->quiet(&state->source);
	if (change || (later && !atomic_load(&state->source.later)))
		add_own_since(state, now);
	return exact;
}

static bool arm(csprof_state_t *state, struct csprof_instant now, uint64_t next_ns)
{
	return arm_or_change(state, now, next_ns, false);
}

static uint64_t at_least(uint64_t ns, uint64_t least)
{
	return ns > least ? ns : least;
}

/* Set the share of the thread's time that its samples may take from here on: the budget less the
 * cost of its context switches, and three quarters of that while all measuring of the thread,
 * its start included, has taken more than the budget. */
static void set_share(csprof_state_t *state, uint64_t cpu)
{
	uint32_t budget = csprof_options.budget, switches = state->source.review.share;
	uint64_t cost = csprof_clock_of(state)->cost + state->own_cpu + state->outside;
	uint32_t share = budget - (switches < budget / 2 ? switches : budget / 2);
	bool over = cost > (cpu - state->began) / CSPROF_WHOLE * budget;
	state->pace.share = over ? share - share / 4 : share;
	state->pace.said = csprof_source_cost(&state->source);
}

/* The cost of the sample besides the handler's own part, and of the context switches since the
 * last one. */
static void add_cost(csprof_state_t *state)
{
	struct store_clock *clock = csprof_clock_of(state);
	uint64_t cost = csprof_pace_kernel(&state->pace) + state->source.spent;
	state->source.spent = 0;
	__atomic_store_n(&clock->cost, clock->cost + cost, __ATOMIC_RELAXED);
}

/* The next period begins at the end of this sample: however long the sample took, the program
 * runs in between, and signals that were sent in the meantime are ignored. */
static void end_sample(csprof_state_t *state, struct csprof_instant began)
{
	struct csprof_instant now = csprof_now(state);
	add_own(state, take_weight(csprof_clock_of(state), now.event), now.cpu - began.cpu);
	csprof_pace_saw(&state->pace, began.cpu, now.cpu);
	add_cost(state);
	set_share(state, now.cpu);
	uint64_t least = csprof_pace_rest(&state->pace, now.cpu - began.cpu);
	uint64_t next = at_least(next_period(state), least);
	bool change = csprof_source_review(&state->source, now.cpu);
	uint64_t own = state->own_cpu;
	bool exact = arm_or_change(state, now, next, change);
	csprof_thread_name_source(state);
	csprof_pace_armed(&state->pace, now.cpu + (state->own_cpu - own), next, exact);
}

/* The thread has just unblocked our signal by a system call of its own, which our wrappers did not
 * see: what its clock advanced was not this code's, but anything that ran meanwhile. */
static bool was_blocked(const csprof_state_t *state, const void *ucontext, uint64_t weight)
{
	const struct csprof_measured *m = state->measured;
	struct csprof_call call;
	return weight > 2 * m->period + m->by->late && csprof_cpu.last_call(ucontext, &call) &&
	       os_sets_mask(call.number);
}

static void take_sample(csprof_state_t *state, const void *ucontext)
{
	struct csprof_instant now = csprof_now(state);
	uint64_t early = csprof_pace_early(&state->pace, now.cpu);
	if (early) {
		add_cost(state);
		arm(state, now, at_least(early, csprof_pace_floor(&state->pace)));
		return;
	}
	uint64_t weight = take_weight(csprof_clock_of(state), now.event);
	if (was_blocked(state, ucontext, weight)) {
		account(state, CSP_SIGNAL_TAKEN, weight);
		end_sample(state, now);
		return;
	}
	/* parked: the interrupted code is our handler, which continues a call for the program */
	const void *at = state->parked && csprof_own_code(csprof_cpu.context_pc(ucontext))
			     ? state->parked_context
			     : ucontext;
	enum csp_disposition became = csprof_sample_callstack(at, state->measured->column, weight);
	account(state, became, weight);
	if (became != CSP_FAULT)
		end_sample(state, now);
}

/* If a handler of the program interrupted a call that our handler continued, and left by
 * longjmp, the frame of our handler is gone: the stack pointer is above it now. */
static void forget_abandoned(csprof_state_t *state, const void *ucontext)
{
	uintptr_t parked = (uintptr_t)state->parked_context;
	uintptr_t sp = csprof_cpu.context_sp(ucontext);
	if (parked >= state->stack_low && parked < state->stack_high && sp > parked &&
	    sp < state->stack_high) {
		state->parked = 0;
		state->parked_context = NULL;
	}
}

bool csprof_sample_sent(const siginfo_t *info)
{
	const csprof_state_t *state = csprof_self;
	return state && state->source.driver && csprof_source_sent(&state->source, info);
}

void csprof_sample_resume(void)
{
	csprof_state_t *state = csprof_self;
	enum csp_disposition why = atomic_load(&state->rest);
	struct store_clock *clock = csprof_clock_of(state);
	atomic_store(&state->rest, CSP_TAIL);
	if (!atomic_load(&csprof_process.measuring))
		return; /* if an exec fails, csprof_process_resume resumes all such sources */
	clock->account[why].weight += take_weight(clock, csprof_now(state).event);
	state->source.driver->resume(&state->source);
	csprof_sample_defer();
}

/* A sample that comes during this only sets `sampled`. Handlers of the program, which may leave
 * by longjmp or fork, do not run. */
void csprof_sample_defer(void)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	state->sampled = true;
	while (state->sampled && !atomic_exchange(&state->busy, true)) {
		state->sampled = false;
		if (wanted(state))
			arm(state, csprof_now(state), next_period(state));
		atomic_store(&state->busy, false);
	}
	os_release_signals(mask);
}

static void leave_own(csprof_state_t *state)
{
	atomic_store(&state->busy, false);
	if (state->sampled)
		csprof_sample_defer();
}

static bool enter_own(csprof_state_t *state)
{
	return state && wanted(state) && !atomic_exchange(&state->busy, true);
}

bool csprof_sample_by(int sig)
{
	csprof_state_t *state = csprof_self;
	if (!state || !state->source.driver || atomic_load(&state->rest) != CSP_TAIL ||
	    csprof_sources_frozen() || !enter_own(state))
		return false;
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	struct csprof_instant now = csprof_now(state);
	uint64_t next = next_period(state);
	bool ok = csprof_source_signal(&state->source, &state->driver, sig, next) >= 0;
	if (!ok)
		atomic_store(&state->rest, CSP_MEASURING_OFF);
	if (!wanted(state))
		state->source.driver->quiet(&state->source);
	add_own_since(state, now);
	csprof_pace_armed(&state->pace, csprof_now(state).cpu, next, false);
	os_release_signals(mask);
	leave_own(state);
	return ok;
}

void csprof_own_start(void)
{
	csprof_state_t *state = csprof_self;
	if (!enter_own(state))
		return;
	struct csprof_instant now = csprof_now(state);
	add_own(state, take_weight(csprof_clock_of(state), now.event),
		now.cpu - state->began - state->own_cpu);
	leave_own(state);
}

bool csprof_own_begin(void)
{
	csprof_state_t *state = csprof_self;
	if (!enter_own(state))
		return false;
	state->own_since = csprof_now(state);
	return true;
}

/* What the clock advanced before csprof_own_begin belongs to the next sample, as usual. */
void csprof_own_end(void)
{
	csprof_state_t *state = csprof_self;
	add_own_since(state, state->own_since);
	leave_own(state);
}

void csprof_sample_settle(void)
{
	csprof_state_t *state = csprof_self;
	if (!state || !state->source.driver || !state->source.driver->settle || !csprof_own_begin())
		return;
	state->source.driver->settle(&state->source, csprof_pace_mean(&state->pace));
	csprof_own_end();
}

void csprof_signal_handler(int sig, siginfo_t *info, void *ucontext)
{
	enum { AGAIN_NS = 4 * 1000 * 1000 };
	if (csprof_cpu.is_foreign(ucontext)) { /* errno and csprof_self cannot be found */
		os_timer_again(info, AGAIN_NS);
		return;
	}
	int saved = errno;
	csprof_state_t *state = csprof_self;
	if (!csprof_sample_sent(info)) {
		if (state)
			state->left_call = 0; /* its handler ends the call */
		if (csprof_signal_pass_on(sig, info, ucontext) && state &&
		    !atomic_load(&state->busy))
			csprof_call_continue(state, sig, ucontext);
	} else if (atomic_exchange(&state->busy, true)) {
		/* in a synchronous walk: delayed until its end, see leave() */
		state->sampled = true;
	} else {
		if (state->parked)
			forget_abandoned(state, ucontext);
		if (wanted(state))
			take_sample(state, ucontext);
		atomic_store(&state->busy, false);
		csprof_call_end_restarted(sig, ucontext);
		csprof_call_continue(state, sig, ucontext);
	}
	errno = saved;
}

/* ---- synchronous recordings ------------------------------------------------------- */

/* Until leave no handler of the program runs: it might leave by longjmp, or fork. */
static bool enter(csprof_state_t *state, uint64_t *mask)
{
	if (!state || !wanted(state))
		return false;
	*mask = os_hold_signals(csprof_mask_virtual());
	if (!atomic_exchange(&state->busy, true)) {
		/* check again: the end of the measurement looks at busy after that */
		if (wanted(state))
			return true;
		atomic_store(&state->busy, false);
	}
	os_release_signals(*mask);
	return false;
}

/* A sample that came during the recording is taken now, at the recorded path: dropping it would
 * hide time of programs that record much. */
static void take_deferred(csprof_state_t *state, uint32_t kind)
{
	if (!state->sampled)
		return;
	state->sampled = false;
	if (!wanted(state))
		return;
	struct csprof_instant now = csprof_now(state);
	uint64_t weight = take_weight(csprof_clock_of(state), now.event);
	uint32_t metric = state->measured->column;
	uint32_t columns[CSPROF_EVENT_COLUMNS] = {metric, metric + 1};
	uint64_t amounts[CSPROF_EVENT_COLUMNS] = {weight, 1};
	enum csp_disposition d = kind == CSP_TREE_COMPLETE ? CSP_RECORDED : CSP_PARTIAL;
	if (!csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts,
			       CSPROF_EVENT_COLUMNS))
		d = CSP_OWN_CODE;
	account(state, d, weight);
	arm(state, now, next_period(state));
}

/* A sample that comes just before busy is cleared is handled after that: nothing else would arm
 * its source again. */
static void leave(csprof_state_t *state, uint32_t kind, uint64_t mask)
{
	do {
		take_deferred(state, kind);
		atomic_store(&state->busy, false);
	} while (state->sampled && !atomic_exchange(&state->busy, true));
	os_release_signals(mask);
}

static void drop_frames(csprof_state_t *state, uint32_t n)
{
	if (n >= state->num_frames)
		n = state->num_frames ? state->num_frames - 1 : 0;
	for (uint32_t i = n; i < state->num_frames; i++)
		state->frames[i - n] = state->frames[i];
	state->num_frames -= n;
}

/* The arguments of a synchronous recording for csprof_guarded. */
struct record_work {
	uint32_t drop; /* frames */
	const uint32_t *column;
	const uint64_t *amount;
	uint32_t n;
	uint32_t kind;
	store_ref node; /* result; 0: no memory, or a fault */
};

/* Insert the path of our caller's caller, without our own frames, as a recorded call. */
static void do_record(csprof_state_t *state, void *arg)
{
	struct record_work *w = arg;
	if (csprof_unwind_here(state, w->drop))
		w->kind = CSP_TREE_COMPLETE;
	drop_frames(state, w->drop);
	w->node =
	    csprof_cct_insert(state, w->kind, CSPROF_LEAF_RECORDED, w->column, w->amount, w->n);
	if (w->node && w->kind == CSP_TREE_COMPLETE)
		mark(state);
}

static void record_here(csprof_state_t *state, struct record_work *w, uint64_t mask)
{
	w->kind = CSP_TREE_PARTIAL;
	if (!csprof_guarded(state, do_record, w))
		w->node = 0;
	leave(state, w->kind, mask);
}

/* reading: what that of the clock takes, or 0. */
static void add_cost_since(csprof_state_t *state, uint64_t began, uint64_t reading, uint64_t times)
{
	struct store_clock *clock = csprof_clock_of(state);
	uint64_t took = os_clock_self() - began;
	took = took > reading ? (took - reading) * times : 0;
	__atomic_store_n(&clock->cost, clock->cost + took, __ATOMIC_RELAXED);
}

int csprof_record_metric_with_unwind(uint32_t metric, uint64_t amount, uint32_t unwinds)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask;
	if (!csprof_metric_is_of_program(metric))
		return -EINVAL;
	/* reading the clock takes as long as a short recording: one in so many stands for others */
	enum { TIMED = 16 };
	bool timed = state && next_random(state) % TIMED == 0;
	uint64_t before = timed ? os_clock_self() : 0, began = timed ? os_clock_self() : 0;
	if (!enter(state, &mask))
		return -ENOTSUP;
	/* the walk has already left out our own frames: this one, and the wrapper's if it is
	 * ours */
	uint32_t own = csprof_own_code((uintptr_t)__builtin_return_address(0)) ? 2 : 1;
	uint32_t drop = unwinds > own ? unwinds - own : 0;
	const uint32_t columns[] = {metric, metric + 1};
	const uint64_t amounts[] = {amount, 1};
	struct record_work w = {.drop = drop, .column = columns, .amount = amounts, .n = 2};
	record_here(state, &w, mask);
	if (timed)
		add_cost_since(state, began, began - before, TIMED);
	return w.node ? 0 : -ENOMEM;
}

void csprof_record_creator(store_ref *tree, store_ref *node)
{
	csprof_state_t *state = csprof_self;
	struct record_work w = {.drop = 0};
	uint64_t mask;
	*tree = *node = 0;
	if (!enter(state, &mask))
		return;
	uint64_t began = os_clock_self();
	record_here(state, &w, mask);
	add_cost_since(state, began, 0, 1);
	*node = w.node;
	if (*node)
		*tree = state->cct[w.kind].tree;
}
