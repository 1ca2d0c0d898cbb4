/* The sample path: sample -> unwind -> insert. Everything here but the synchronous
 * recordings at the end runs in a signal handler. */
#include "runtime/csprof.h"

#include "runtime/cct.h"
#include "runtime/epoch.h"
#include "runtime/fault.h"
#include "runtime/masks.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/os/os.h"
#include "runtime/pace.h"
#include "runtime/signals.h"
#include "runtime/state.h"
#include "runtime/thread.h"
#include "runtime/unwind.h"

#include <errno.h>

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled"): enough to keep the period from meeting the program's. */
static uint64_t next_random(csprof_state_t *state)
{
	uint64_t x = state->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	state->random = x;
	return x * 0x2545F4914F6CDD1Dull;
}

/* Uniform in [P/2, 3P/2): a program in step with a fixed period would be misread. */
static uint64_t next_period(csprof_state_t *state)
{
	uint64_t p = csprof_pace_mean(&state->pace);
	return p / 2 + (uint64_t)((unsigned __int128)next_random(state) * p >> 64);
}

bool csprof_context_is_unsafe(const void *ucontext, enum csp_disposition *why)
{
	/* A walk and its insertion were seen to take 2200 bytes of stack. The program's
	 * alternate stack may be made for less, and nothing guards its end. */
	enum { STACK_NEEDED = 3072 };
	if (os_stack_room(ucontext) < STACK_NEEDED) {
		*why = CSP_UNSAFE_CODE;
		return true;
	}
	uintptr_t pc = csprof_cpu.context_pc(ucontext);
	if (csprof_own_code(pc)) {
		*why = CSP_OWN_CODE;
		return true;
	}
	return false;
}

/* A frame lies where one module has gone and another may just be coming. */
static bool load_map_in_doubt(const csprof_state_t *state, bool complete)
{
	if (complete && csprof_epoch_changing())
		csprof_epoch_change_look(state->frames, state->num_frames);
	if (!csprof_epoch_changing())
		return false;
	for (uint32_t i = 0; i < state->num_frames; i++)
		if (csprof_epoch_doubtful(state->frames[i].ip))
			return true;
	return false;
}

static enum csp_disposition sample_callstack(csprof_state_t *state, const void *ucontext,
					     uint32_t metric, uint64_t weight)
{
	enum csp_disposition why;
	if (csprof_context_is_unsafe(ucontext, &why))
		return why;
	bool complete = csprof_unwind_context(state, ucontext);
	if (state->num_frames == 0)
		return CSP_UNWIND_FAILED;
	if (load_map_in_doubt(state, complete))
		return CSP_LOAD_MAP_CHANGING;
	uint32_t columns[2] = {metric, metric + 1};
	uint64_t amounts[2] = {weight, 1};
	uint32_t kind = complete ? CSP_TREE_COMPLETE : CSP_TREE_PARTIAL;
	store_ref node = csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts, 2);
	if (!node)
		return CSP_OUT_OF_MEMORY;
	enum csp_disposition became = complete ? CSP_RECORDED : CSP_PARTIAL;
	if (!state->first_node) {
		state->first_became = became;
		state->first_node = node;
	}
	return became;
}

/* A sample on its way through csprof_guarded. */
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

static struct store_clock *clock_of(const csprof_state_t *state)
{
	struct store_thread *thread = csprof_store_at(state->thread);
	return &thread->clocks[0];
}

static void account(struct store_clock *clock, enum csp_disposition d, uint64_t weight)
{
	struct store_count *row = &clock->account[d];
	__atomic_store_n(&row->weight, row->weight + weight, __ATOMIC_RELAXED);
	__atomic_store_n(&row->samples, row->samples + 1, __ATOMIC_RELAXED);
}

/* The clock's advance since it was last asked for. */
static uint64_t take_weight(struct store_clock *clock, uint64_t now)
{
	uint64_t weight = now > clock->last ? now - clock->last : 0;
	clock->last += weight;
	return weight;
}

/* Not while the process ends, and none of what its source sent before it was stopped. */
static bool wanted(const csprof_state_t *state)
{
	return atomic_load(&csprof_process.measuring) &&
	       atomic_load_explicit(&state->rest, memory_order_relaxed) != CSP_MEASURING_OFF;
}

/* What measuring took of the thread's time, which is none of the program's. */
static void add_own(struct store_clock *clock, uint64_t took)
{
	uint64_t *own = &clock->account[CSP_OWN_CODE].weight;
	__atomic_store_n(own, *own + took, __ATOMIC_RELAXED);
}

/* Where the program has closed what the source needs, which that goes on without, another
 * takes its place. True where the source sends just then. */
static bool arm_source(csprof_state_t *state, uint64_t next_ns, bool change)
{
	struct csprof_source *s = &state->source;
	int r = change ? -EAGAIN : s->driver->arm(s, next_ns);
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
	csprof_say(CSPROF_SAY_ALWAYS, "a source of samples is closed: no more of thread", NULL,
		   state->tid);
	return false;
}

/* What is armed, or made, only now sends after the measurement's end, too, unless that was
 * seen here: it stops what it finds there. What it took to make is none of the program's.
 * now: the thread's clock. */
static bool arm_or_change(csprof_state_t *state, uint64_t now, uint64_t next_ns, bool change)
{
	bool later = atomic_load(&state->source.later);
	bool exact = arm_source(state, next_ns, change);
	if (!wanted(state))
		state->source.driver->quiet(&state->source);
	if (change || (later && !atomic_load(&state->source.later))) {
		struct store_clock *clock = clock_of(state);
		uint64_t took = os_clock_self() - now;
		clock->last += took;
		add_own(clock, took);
	}
	return exact;
}

static bool arm(csprof_state_t *state, uint64_t now, uint64_t next_ns)
{
	return arm_or_change(state, now, next_ns, false);
}

static uint64_t at_least(uint64_t ns, uint64_t least)
{
	return ns > least ? ns : least;
}

/* How much of the thread's time its samples may take from here on: what is allowed, less what
 * its switches cost; and three quarters of that as long as all that measuring took of it, its
 * start included, is more than allowed. */
static void set_share(csprof_state_t *state, const struct store_clock *clock, uint64_t now)
{
	uint32_t budget = csprof_options.budget, switches = state->source.review.share;
	uint64_t cost = clock->cost + clock->account[CSP_OWN_CODE].weight;
	uint32_t share = budget - (switches < budget / 2 ? switches : budget / 2);
	bool over = cost > (now - clock->start) / CSPROF_WHOLE * budget;
	state->pace.share = over ? share - share / 4 : share;
	state->pace.said = csprof_source_cost(&state->source);
}

/* What the sample cost beside the handler's own part, and the switches since the last one. */
static void add_cost(csprof_state_t *state, struct store_clock *clock)
{
	uint64_t cost = csprof_pace_kernel(&state->pace) + state->source.spent;
	state->source.spent = 0;
	__atomic_store_n(&clock->cost, clock->cost + cost, __ATOMIC_RELAXED);
}

/* The rest counts from the end of this one: however long it took, the program comes to
 * its turn, and what was sent meanwhile is not wanted. */
static void end_sample(csprof_state_t *state, struct store_clock *clock, uint64_t began)
{
	uint64_t now = os_clock_self();
	add_own(clock, take_weight(clock, now));
	csprof_pace_saw(&state->pace, began, now);
	add_cost(state, clock);
	set_share(state, clock, now);
	uint64_t least = csprof_pace_rest(&state->pace, now - began);
	uint64_t next = at_least(next_period(state), least);
	bool change = csprof_source_review(&state->source, now);
	bool exact = arm_or_change(state, now, next, change);
	csprof_thread_name_source(state);
	csprof_pace_armed(&state->pace, clock->last, next, exact);
}

static void take_sample(csprof_state_t *state, const void *ucontext)
{
	struct store_clock *clock = clock_of(state);
	uint64_t now = os_clock_self();
	uint64_t early = csprof_pace_early(&state->pace, now);
	if (early) {
		add_cost(state, clock);
		arm(state, now, at_least(early, csprof_pace_floor(&state->pace)));
		return;
	}
	uint64_t weight = take_weight(clock, now);
	/* parked: what runs is our handler, on behalf of the call that it stands in */
	const void *at = state->parked && csprof_own_code(csprof_cpu.context_pc(ucontext))
			     ? state->parked_context
			     : ucontext;
	enum csp_disposition became = csprof_sample_callstack(at, CSPROF_CPUTIME, weight);
	account(clock, became, weight);
	if (became != CSP_FAULT)
		end_sample(state, clock, now);
}

/* A handler of the program's that ran inside a call that we went on with, and left
 * by longjmp, took our frame with it: the stack pointer is beyond it now. */
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

/* Does a signal with a handler of the program's wait for ours to return? Another sample may
 * wait as well, whose number tells nothing; with restarting false only a handler that ends
 * system calls counts. */
static bool program_waits(int sig, const void *ucontext, bool restarting)
{
	int but = csprof_signal_has_handler(sig) ? 0 : sig;
	return os_other_signal(ucontext, restarting, but);
}

/* What of the call is left to do in its place: see continue_call. */
enum unfinished { NOTHING, RESTART, REPEAT, TRANSFER, WAIT };

static enum unfinished left_to_do(const struct csprof_call *call)
{
	if (call->result != -EINTR)
		return os_cut_short(call->number, call->args, call->result) ? TRANSFER : NOTHING;
	if (os_restartable(call->number))
		return RESTART;
	if (os_waits_for_signal(call->number, call->args))
		return WAIT;
	return os_repeatable(call->number, call->args) ? REPEAT : NOTHING;
}

static long finish_call(const struct csprof_call *call, enum unfinished left, uint64_t mask)
{
	if (left == RESTART)
		return csprof_cpu_restart(call->number, call->args, &mask);
	os_mask(SIG_SETMASK, &mask, NULL);
	if (left == REPEAT)
		return csprof_cpu_call(call->number, call->args);
	return os_finish_transfer(call->number, call->args, call->result);
}

/* poll, nanosleep, select and the like return EINTR to the program when any handler ran,
 * whatever SA_RESTART says, and a write to a pipe the bytes that it had moved by then.
 * So the handler goes on with the call in its place and hands over its result. Our
 * signal is open meanwhile, since the program may leave by longjmp from a handler of its
 * own. One that comes before we have come to the call ends it, or makes us make it from its
 * beginning; one that comes later finds the call as it would find the program's.
 *
 * Each such signal takes stack, hence a bound. And on an alternate stack that handler would
 * run behind ours: there may be no room for it, and it may never have been meant to run
 * there. In both cases the program makes the call again, from the beginning, or finds as
 * few bytes moved as its own handlers would leave.
 *
 * A call that waits for a signal of the program's is made again by the program itself, behind
 * our handler: were it made here, and left by longjmp, the mask would be ours.
 *
 * What a handler of the program's has ended stays ended, though a sample may come as that
 * returns: to go on would lose the signal for which the program waits. */
static void continue_call(csprof_state_t *state, int sig, void *ucontext)
{
	struct csprof_call call;
	csprof_cpu.forget_restart(ucontext);
	if (!csprof_cpu.last_call(ucontext, &call))
		return;
	enum unfinished left = left_to_do(&call);
	if (left == NOTHING || program_waits(sig, ucontext, true))
		return;
	if (left == WAIT) { /* which opens the mask and waits in one step, or not at all */
		csprof_cpu.repeat_call(ucontext, call.number);
		return;
	}
	if (state->parked >= CSPROF_MAX_PARKED ||
	    (os_stack_room(ucontext) != SIZE_MAX && csprof_signal_any_handler())) {
		if (left != TRANSFER)
			csprof_cpu.repeat_call(ucontext, call.number);
		return;
	}
	const void *outer = state->parked_context;
	state->parked_context = outer ? outer : ucontext;
	state->parked++;
	call.result = finish_call(&call, left, os_context_mask(ucontext));
	csprof_cpu.set_result(ucontext, call.result);
	if (left_to_do(&call) != NOTHING) /* a handler of the program's has ended it */
		csprof_cpu.forget_call(ucontext);
	/* a handler that ran meanwhile may have forked: the child's state is another one */
	state = csprof_self;
	if (state && state->parked) {
		state->parked--;
		state->parked_context = outer;
	}
}

/* A signal of the program's that came together with ours, and whose handler ends system
 * calls, would find the call made anew for ours. */
static void end_restarted_call(int sig, void *ucontext)
{
	if (csprof_cpu.call_restarts(ucontext) && program_waits(sig, ucontext, false))
		csprof_cpu.end_call(ucontext, -EINTR);
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
	struct store_clock *clock = clock_of(state);
	atomic_store(&state->rest, CSP_TAIL);
	if (!atomic_load(&csprof_process.measuring))
		return; /* should an exec fail, whoever tried it resumes all that are so */
	clock->account[why].weight += take_weight(clock, os_clock_self());
	state->source.driver->resume(&state->source);
	csprof_sample_put_off();
}

/* A sample that comes meanwhile only notes that it did; and handlers of the program's, which
 * may leave by longjmp or fork, do not run. */
void csprof_sample_put_off(void)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	state->sampled = true;
	while (state->sampled && !atomic_exchange(&state->busy, true)) {
		state->sampled = false;
		if (wanted(state))
			arm(state, os_clock_self(), next_period(state));
		atomic_store(&state->busy, false);
	}
	os_release_signals(mask);
}

static void leave_own(csprof_state_t *state)
{
	atomic_store(&state->busy, false);
	if (state->sampled)
		csprof_sample_put_off();
}

static bool enter_own(csprof_state_t *state)
{
	return state && wanted(state) && !atomic_exchange(&state->busy, true);
}

void csprof_own_start(void)
{
	csprof_state_t *state = csprof_self;
	if (!enter_own(state))
		return;
	add_own(clock_of(state), take_weight(clock_of(state), os_clock_self()));
	leave_own(state);
}

bool csprof_own_begin(void)
{
	csprof_state_t *state = csprof_self;
	if (!enter_own(state))
		return false;
	state->own_since = os_clock_self();
	return true;
}

/* What the clock advanced before csprof_own_begin is the next sample's, as ever. */
void csprof_own_end(void)
{
	csprof_state_t *state = csprof_self;
	struct store_clock *clock = clock_of(state);
	uint64_t took = os_clock_self() - state->own_since;
	clock->last += took;
	add_own(clock, took);
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
	int saved = errno;
	csprof_state_t *state = csprof_self;
	if (!csprof_sample_sent(info)) {
		if (csprof_signal_pass_on(sig, info, ucontext) && state &&
		    !atomic_load(&state->busy))
			continue_call(state, sig, ucontext);
	} else if (atomic_exchange(&state->busy, true)) {
		/* in a synchronous walk: put off to its end, see leave() */
		state->sampled = true;
	} else {
		if (state->parked)
			forget_abandoned(state, ucontext);
		if (wanted(state))
			take_sample(state, ucontext);
		atomic_store(&state->busy, false);
		end_restarted_call(sig, ucontext);
		continue_call(state, sig, ucontext);
	}
	errno = saved;
}

/* ---- synchronous recordings ------------------------------------------------------- */

/* Until leave no handler of the program's runs: it might leave by longjmp, or fork. */
static bool enter(csprof_state_t *state, uint64_t *mask)
{
	if (!state || !wanted(state))
		return false;
	*mask = os_hold_signals(csprof_mask_virtual());
	if (!atomic_exchange(&state->busy, true)) {
		/* asked again: whoever ends the measurement looks at busy after that */
		if (wanted(state))
			return true;
		atomic_store(&state->busy, false);
	}
	os_release_signals(*mask);
	return false;
}

/* A sample that came meanwhile is taken now, at the path that was recorded: to drop
 * it would hide time from programs that record much. */
static void take_put_off(csprof_state_t *state, uint32_t kind)
{
	if (!state->sampled)
		return;
	state->sampled = false;
	if (!wanted(state))
		return;
	struct store_clock *clock = clock_of(state);
	uint64_t weight = take_weight(clock, os_clock_self());
	uint32_t columns[2] = {CSPROF_CPUTIME, CSPROF_CPUTIME_SAMPLES};
	uint64_t amounts[2] = {weight, 1};
	enum csp_disposition d = kind == CSP_TREE_COMPLETE ? CSP_RECORDED : CSP_PARTIAL;
	if (!csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts, 2))
		d = CSP_OWN_CODE;
	account(clock, d, weight);
	arm(state, clock->last, next_period(state));
}

/* One that comes just before busy falls is seen after it: nobody else would arm its
 * source again. */
static void leave(csprof_state_t *state, uint32_t kind, uint64_t mask)
{
	do {
		take_put_off(state, kind);
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

/* A synchronous recording on its way through csprof_guarded. */
struct record_work {
	uint32_t drop; /* frames */
	const uint32_t *column;
	const uint64_t *amount;
	uint32_t n;
	uint32_t kind;
	store_ref node; /* 0: no memory, or a fault */
};

/* The path of our caller's caller, without our own frames, as a recorded call. */
static void do_record(csprof_state_t *state, void *arg)
{
	struct record_work *w = arg;
	if (csprof_unwind_here(state))
		w->kind = CSP_TREE_COMPLETE;
	drop_frames(state, w->drop);
	w->node =
	    csprof_cct_insert(state, w->kind, CSPROF_LEAF_RECORDED, w->column, w->amount, w->n);
}

static void record_here(csprof_state_t *state, struct record_work *w, uint64_t mask)
{
	w->kind = CSP_TREE_PARTIAL;
	if (!csprof_guarded(state, do_record, w))
		w->node = 0;
	leave(state, w->kind, mask);
}

int csprof_record_metric_with_unwind(uint32_t metric, uint64_t amount, uint32_t unwinds)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask;
	if (metric >= csprof_num_metrics())
		return -EINVAL;
	if (!enter(state, &mask))
		return -ENOTSUP;
	/* the walk leaves our own frames out: this one, and a wrapper's if it is ours */
	uint32_t own = csprof_own_code((uintptr_t)__builtin_return_address(0)) ? 2 : 1;
	uint32_t drop = unwinds > own ? unwinds - own : 0;
	struct record_work w = {.drop = drop, .column = &metric, .amount = &amount, .n = 1};
	record_here(state, &w, mask);
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
	struct store_clock *clock = clock_of(state);
	__atomic_store_n(&clock->cost, clock->cost + os_clock_self() - began, __ATOMIC_RELAXED);
	*node = w.node;
	if (*node)
		*tree = state->cct[w.kind].tree;
}
