#include "runtime/sample/values.h"

#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/sampler.h"
#include "runtime/sample/unwind.h"
#include "runtime/trees/mem.h"
#include "runtime/trees/values.h"

#include <string.h>

enum {
	LONGEST = 15,                 /* bytes of an instruction */
	PAGE = 4096,                  /* less is mapped to the end of one */
	MOST_STORES = 32,             /* that a window remembers */
	WORD = 8,                     /* larger values are not recorded */
	TRACER_NS = 10 * 1000 * 1000, /* how long a look for one holds */
	FULL = 4 /* a window that took more than so many times the usual: see close() */
};

struct csprof_window {
	bool open;
	bool
	    entered; /* the instruction before was a call, or a jump that went on to its function */
	uint32_t left;    /* steps */
	uint32_t charged; /* steps whose time is accounted for */
	uint32_t number;
	struct csprof_instant began;
	uint64_t own;                   /* the state's own_cpu then */
	uint64_t looked;                /* monotonic clock: when a tracer was looked for */
	uint64_t took;                  /* ns of all windows */
	uint64_t step;                  /* ns of one, on average */
	enum csp_value_refusal refusal; /* what that look has found, CSP_VALUE_REFUSALS: nothing */
	struct csprof_sampler *sampler;

	/* the instruction that is being stepped: where it is, what it does, the address of its
	 * memory and what was read there, or from its operand */
	uintptr_t pc, address;
	uint64_t loaded, operand;
	bool has_address, has_loaded, has_operand;
	struct csprof_insn insn;

	struct csprof_written {
		uintptr_t at, pc;
		uint32_t bytes;
	} stores[MOST_STORES];
	uint32_t num_stores;
	char text[2048]; /* of the kernel's file */
};

static _Atomic(uint32_t) numbers; /* of windows */
static bool (*is_filtered)(void);

static const struct csprof_stepping *step_ops(void)
{
	return csprof_cpu.stepping;
}

static void count(uint64_t *at, uint64_t n)
{
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

void csprof_values_begin(bool (*filtered)(void))
{
	is_filtered = filtered;
	if (!csprof_cpu.stepping)
		csprof_options.value_steps = 0;
	else if (csprof_options.value_steps)
		csprof_signal_install_trap();
}

void csprof_values_deinit(csprof_state_t *state)
{
	if (state->window)
		os_unmap(state->window, sizeof *state->window);
	state->window = NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* In the thread's own memory, under the guard. */
static uint64_t read_word(uintptr_t at, uint32_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)at, bytes < WORD ? bytes : WORD);
	return value;
}

static uint64_t cut(uint64_t value, uint32_t bytes)
{
	return bytes >= WORD ? value : value & ((1ull << 8 * bytes) - 1);
}

static uint64_t register_of(const void *ucontext, uint32_t number, uint32_t bytes)
{
	return cut(step_ops()->value(ucontext, number), bytes);
}

static bool replays(void)
{
	return csprof_options.value_kinds & CSPROF_VALUES_REPLAY;
}

static bool all_values(void)
{
	return csprof_options.value_kinds & CSPROF_VALUES_ALL;
}

static void add(const struct csprof_window *w, uintptr_t pc, uint32_t what, uint32_t bytes,
		uint64_t value)
{
	csprof_value_add(&(struct csprof_value){
	    .pc = pc, .what = what, .bytes = bytes, .value = value, .window = w->number});
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Where its memory is; false: it has none, or that is not known. */
static bool find_address(const struct csprof_window *w, const void *ucontext, uintptr_t *address)
{
	enum { FS = 4, GS = 5 };
	const struct csprof_insn *i = &w->insn;
	uint8_t used = i->access & (CSPROF_INSN_READS | CSPROF_INSN_WRITES);
	if (!used || i->segment == GS)
		return false;
	uint64_t at = (uint64_t)(int64_t)i->offset;
	if (i->relative)
		at += w->pc + i->length;
	if (i->base != CSPROF_INSN_NONE)
		at += step_ops()->value(ucontext, i->base);
	if (i->index != CSPROF_INSN_NONE)
		at += step_ops()->value(ucontext, i->index) * i->scale;
	if (i->segment == FS)
		at += (uintptr_t)__builtin_thread_pointer();
	*address = at;
	return true;
}

/* Code that the compiler generates reads and writes its frame all the time: where that is says
 * little. An address without registers is always the same. */
static bool is_of_interest(const struct csprof_insn *i)
{
	return i->base != step_ops()->stack_pointer &&
	       (i->base != CSPROF_INSN_NONE || i->index != CSPROF_INSN_NONE);
}

static bool overlap(const struct csprof_written *s, uintptr_t at, uint32_t bytes)
{
	return at < s->at + s->bytes && s->at < at + bytes;
}

/* At the same place in a page of 4 KB: many CPUs compare only these bits at first (Intel 64 and
 * IA-32 Architectures Optimization Reference Manual, "Store Forwarding" and "Aliasing"). */
static bool alias(const struct csprof_written *s, uintptr_t at, uint32_t bytes)
{
	struct csprof_written low = {.at = s->at % PAGE, .bytes = s->bytes};
	return overlap(&low, at % PAGE, bytes);
}

/* Whether a store shortly before has written what it reads, or seems to have. Only in the second
 * half of a window it is known what came before. */
static void compare_stores(const struct csprof_window *w)
{
	if (!replays() || w->left * 2 > csprof_options.value_steps)
		return;
	uintptr_t stored = 0, aliased = 0;
	for (uint32_t i = w->num_stores; i > 0 && !stored; i--) {
		const struct csprof_written *s = &w->stores[i - 1];
		if (overlap(s, w->address, w->insn.bytes))
			stored = s->pc;
		else if (!aliased && alias(s, w->address, w->insn.bytes))
			aliased = s->pc;
	}
	add(w, w->pc, CSP_VALUE_REPLAY, WORD, stored);
	if (!stored)
		add(w, w->pc, CSP_VALUE_ALIAS, WORD, aliased);
}

/* What must be seen before the instruction is executed. */
static void before(struct csprof_window *w, const void *ucontext)
{
	const struct csprof_insn *i = &w->insn;
	w->has_loaded = w->has_operand = false;
	w->has_address = find_address(w, ucontext, &w->address);
	bool reads = w->has_address && i->access & CSPROF_INSN_READS;
	if (reads)
		compare_stores(w);
	if (reads && !i->loads && i->bytes <= WORD && all_values()) {
		w->loaded = read_word(w->address, i->bytes);
		w->has_loaded = true;
	}
	if (i->operand != CSPROF_INSN_NONE) {
		w->operand = register_of(ucontext, i->operand, i->operand_bytes);
		w->has_operand = true;
	} else if (i->operand_in_memory && reads && i->operand_bytes <= WORD) {
		w->operand = read_word(w->address, i->operand_bytes);
		w->has_operand = true;
	}
}

/* After a call: the arguments of the function, at its first instruction. In a table of jumps to
 * other modules it has not been reached yet. */
static void arguments(struct csprof_window *w, const void *ucontext, bool jumps_on)
{
	if (jumps_on)
		return;
	w->entered = false;
	for (uint32_t i = 0; i < CSP_VALUE_ARGUMENTS; i++)
		add(w, w->pc, CSP_VALUE_ARGUMENT + i, WORD,
		    step_ops()->value(ucontext, step_ops()->arguments[i]));
}

static void note_stored(struct csprof_window *w)
{
	const struct csprof_insn *i = &w->insn;
	if (all_values() && i->bytes <= WORD)
		add(w, w->pc, CSP_VALUE_STORED, i->bytes, read_word(w->address, i->bytes));
	if (w->num_stores < MOST_STORES)
		w->stores[w->num_stores++] = (struct csprof_written){w->address, w->pc, i->bytes};
}

static void note_values(struct csprof_window *w, const void *ucontext, uintptr_t now)
{
	const struct csprof_insn *i = &w->insn;
	for (uint32_t k = 0; k < i->dests; k++)
		add(w, w->pc, i->dest[k], i->dest_bytes,
		    register_of(ucontext, i->dest[k], i->dest_bytes));
	if (i->flow == CSPROF_FLOW_BRANCH)
		add(w, w->pc, CSP_VALUE_BRANCH, 1, now != w->pc + i->length);
	else if (i->flow == CSPROF_FLOW_INDIRECT)
		add(w, w->pc, CSP_VALUE_TARGET, WORD, now);
	if (w->has_address && is_of_interest(i))
		add(w, w->pc, CSP_VALUE_ADDRESS, WORD, w->address);
	if (w->has_loaded)
		add(w, w->pc, CSP_VALUE_LOADED, i->bytes, w->loaded);
	if (w->has_operand)
		add(w, w->pc, CSP_VALUE_OPERAND, i->operand_bytes, w->operand);
}

/* What it has produced. */
static void after(struct csprof_window *w, const void *ucontext, uintptr_t now)
{
	const struct csprof_insn *i = &w->insn;
	bool calls = i->flow == CSPROF_FLOW_CALL || i->access & CSPROF_INSN_CALLS;
	if (all_values())
		note_values(w, ucontext, now);
	if (w->has_address && i->access & CSPROF_INSN_WRITES)
		note_stored(w);
	w->entered = calls || (w->entered && i->flow == CSPROF_FLOW_INDIRECT);
}

/* ---- a window ------------------------------------------------------------------------------ */

/* Whether the instruction at pc may be stepped: then it is known what it does. */
static bool can_step(struct csprof_window *w, uintptr_t pc)
{
	if (csprof_own_code(pc) || !step_ops()->is_readable(pc))
		return false;
	return step_ops()->decode((const uint8_t *)pc, LONGEST, &w->insn) && !w->insn.stops;
}

/* Some instructions are in pieces: a string instruction traps after each of its elements. */
static bool next(struct csprof_window *w, const void *ucontext, uintptr_t pc)
{
	if (pc == w->pc || w->left == 0 || !can_step(w, pc))
		return false;
	w->pc = pc;
	if (w->entered && all_values())
		arguments(w, ucontext, step_ops()->jumps_on(pc));
	before(w, ucontext);
	return true;
}

static void spend(csprof_state_t *state, struct csprof_window *w, struct csprof_instant now,
		  uint64_t took)
{
	took = csprof_sampler_own_part(state, w->sampler, w->began, now, took);
	w->took += took;
	count(&csprof_windows()->ns, took);
}

/* What a window takes is the CPU time since it was opened or last charged, less what samples in
 * between have taken. If a handler of the program ran meanwhile, its time is the program's. */
static void charge(csprof_state_t *state, struct csprof_window *w)
{
	uint32_t steps = csprof_options.value_steps - w->left - w->charged;
	struct csprof_instant now = csprof_sampler_now(w->sampler);
	uint64_t own = state->own_cpu - w->own, began = w->began.cpu;
	uint64_t took = now.cpu > began + own ? now.cpu - began - own : 0;
	uint64_t each = took / (steps + 1);
	if (w->step && each > FULL * w->step)
		took = w->step * (steps + 1);
	else
		w->step = w->step ? (w->step * 7 + each) / 8 : each;
	spend(state, w, now, took);
	w->charged += steps;
	w->began = now;
	w->own = state->own_cpu;
}

/* The arguments of a step for csprof_attempt. */
struct values_step {
	void *ucontext;
	bool goes_on;
};

static void do_open(csprof_state_t *state, void *arg)
{
	struct values_step *s = arg;
	s->goes_on = next(state->window, s->ucontext, csprof_cpu.context_pc(s->ucontext));
}

static void do_step(csprof_state_t *state, void *arg)
{
	struct values_step *s = arg;
	struct csprof_window *w = state->window;
	uintptr_t now = csprof_cpu.context_pc(s->ucontext);
	w->left--;
	count(&csprof_windows()->steps, 1);
	after(w, s->ucontext, now);
	s->goes_on = next(w, s->ucontext, now);
}

/* ---- whether to open one ----------------------------------------------------------------------
 */

static bool looked_lately(const struct csprof_window *w, uint64_t now)
{
	return w->looked && now - w->looked < TRACER_NS;
}

/* A debugger would see our traps as its own, and a filter may forbid the way back from a handler.
 * The kernel's file is read at most once in TRACER_NS: a debugger that attaches takes longer than
 * that. */
static enum csp_value_refusal look(struct csprof_window *w)
{
	uint64_t now = os_clock_mono();
	if (looked_lately(w, now))
		return w->refusal;
	bool traced = true, filtered = true;
	os_observed(w->text, sizeof w->text, &traced, &filtered);
	w->looked = now;
	w->refusal = traced ? CSP_VALUE_TRACED : filtered ? CSP_VALUE_FILTERED : CSP_VALUE_REFUSALS;
	return w->refusal;
}

static bool is_over_budget(const csprof_state_t *state, const struct csprof_window *w)
{
	uint64_t ran = w->began.cpu - state->began;
	return w->took > ran / CSPROF_WHOLE * (csprof_options.budget / 2);
}

/* CSP_VALUE_REFUSALS: nothing is against it. */
static enum csp_value_refusal refuses(const csprof_state_t *state, struct csprof_window *w,
				      const void *ucontext)
{
	if (is_over_budget(state, w))
		return CSP_VALUE_BUDGET;
	if (is_filtered())
		return CSP_VALUE_FILTERED;
	if (step_ops()->is_on(ucontext) || csprof_signal_has_handler(SIGTRAP) ||
	    !csprof_signal_receives_trap())
		return CSP_VALUE_HANDLED;
	if (os_context_mask(ucontext) & 1ull << (SIGTRAP - 1))
		return CSP_VALUE_BLOCKED;
	return look(w);
}

static struct csprof_window *window_of(csprof_state_t *state)
{
	if (!state->window)
		state->window = os_map(sizeof *state->window);
	return state->window;
}

/* False: the next instruction cannot be stepped. */
static bool open_window(csprof_state_t *state, struct csprof_window *w, void *ucontext)
{
	struct values_step s = {.ucontext = ucontext};
	w->left = csprof_options.value_steps;
	w->charged = 0;
	w->number = atomic_fetch_add(&numbers, 1) + 1;
	w->num_stores = 0;
	w->entered = false;
	w->pc = 0;
	if (!csprof_attempt(state, do_open, &s) || !s.goes_on)
		return false;
	count(&csprof_windows()->windows, 1);
	w->open = true;
	step_ops()->set(ucontext, true);
	return true;
}

uint32_t csprof_values_share(const csprof_state_t *state, uint64_t ran)
{
	const struct csprof_window *w = state->window;
	uint64_t share = w ? w->took / (ran / CSPROF_WHOLE + 1) : 0;
	return share < csprof_options.budget / 2 ? (uint32_t)share : csprof_options.budget / 2;
}

void csprof_values_sample(csprof_state_t *state, struct csprof_sampler *p, void *ucontext)
{
	if (!csprof_options.value_steps)
		return;
	struct csprof_window *w = window_of(state);
	if (w && w->open && step_ops()->is_on(ucontext))
		return; /* the sample came in the window */
	if (!w) {
		count(&csprof_windows()->refused[CSP_VALUE_MEMORY], 1);
		return;
	}
	w->open = false; /* code that left its context, and with it the flag */
	w->sampler = p;
	w->began = csprof_sampler_now(p);
	w->own = state->own_cpu;
	enum csp_value_refusal why = refuses(state, w, ucontext);
	if (why == CSP_VALUE_REFUSALS && !open_window(state, w, ucontext))
		why = CSP_VALUE_CODE;
	if (why == CSP_VALUE_REFUSALS)
		return;
	struct csprof_instant now = csprof_sampler_now(p);
	spend(state, w, now, now.cpu > w->began.cpu ? now.cpu - w->began.cpu : 0);
	count(&csprof_windows()->refused[why], 1);
}

void csprof_values_interrupted(csprof_state_t *state, const void *ucontext)
{
	if (state->window && state->window->open && step_ops()->is_on(ucontext))
		charge(state, state->window);
}

void csprof_values_leave(csprof_state_t *state, void *ucontext)
{
	csprof_values_interrupted(state, ucontext);
	if (state->window && state->window->open && step_ops()->is_on(ucontext))
		step_ops()->set(ucontext, false);
}

bool csprof_values_trap(csprof_state_t *state, const siginfo_t *info, void *ucontext)
{
	if (!csprof_options.value_steps || info->si_code != TRAP_TRACE)
		return false;
	struct csprof_window *w = state ? state->window : NULL;
	if (!w || !w->open || atomic_exchange(&state->busy, true)) {
		if (csprof_signal_has_handler(SIGTRAP))
			return false;
		step_ops()->set(ucontext, false); /* what remains of a window that is over */
		return true;
	}
	struct values_step s = {.ucontext = ucontext};
	bool wanted = csprof_sampler_wanted(w->sampler); /* else the account is closed */
	if (!wanted || !csprof_attempt(state, do_step, &s) || !s.goes_on) {
		step_ops()->set(ucontext, false);
		w->open = false;
		if (wanted)
			charge(state, w);
	}
	atomic_store(&state->busy, false);
	return true;
}
