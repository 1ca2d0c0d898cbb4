#include "runtime/sample/call.h"

#include "runtime/cpu/cpu.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/wall.h"

#include <errno.h>

__thread struct csprof_calls csprof_calls;

/* Whether another signal with a handler of the program is pending until ours returns. A pending
 * signal with our number may be a sample, so it does not count unless the program has a handler
 * for it. With restarting false, only a handler that interrupts system calls counts. */
static bool program_waits(int sig, const void *ucontext, bool restarting)
{
	int but = csprof_signal_has_handler(sig) ? 0 : sig;
	return os_other_signal(ucontext, restarting, but);
}

/* What is left to do of an interrupted call: see csprof_call_continue. */
enum call_rest { NOTHING, RESTART, REPEAT, TRANSFER, WAIT };

static enum call_rest left_to_do(const struct csprof_call *call)
{
	if (call->result != -EINTR)
		return os_cut_short(call->number, call->args, call->result) ? TRANSFER : NOTHING;
	if (os_restartable(call->number, call->args))
		return RESTART;
	if (os_waits_for_signal(call->number, call->args))
		return WAIT;
	return os_repeatable(call->number, call->args) ? REPEAT : NOTHING;
}

/* How long a wrapper's call has waited; 0: not known. It is the last wrapper's if libc's function
 * has made it, and from about that frame. */
static uint64_t waited(const void *ucontext)
{
	enum { NEAR = 256 };
	uintptr_t sp = csprof_cpu.context_sp(ucontext), pc = csprof_cpu.context_pc(ucontext);
	uint64_t since = csprof_calls.limited_since;
	if (!since || sp - csprof_calls.limited_frame + NEAR > 2 * NEAR ||
	    pc - csprof_calls.limited_function > NEAR)
		return 0;
	uint64_t now = os_clock_mono();
	csprof_calls.limited_since = now; /* it may be interrupted again */
	return now - since;
}

void csprof_call_limited(const void *function)
{
	const csprof_state_t *state = csprof_self;
	if (!state || !state->wall)
		return;
	csprof_calls.limited_since = 0; /* while the others change */
	atomic_signal_fence(memory_order_seq_cst);
	csprof_calls.limited_frame = (uintptr_t)__builtin_dwarf_cfa();
	csprof_calls.limited_function = (uintptr_t)function;
	atomic_signal_fence(memory_order_seq_cst);
	csprof_calls.limited_since = os_clock_mono();
}

bool csprof_call_timed_out(const void *ucontext)
{
	struct csprof_call call;
	return csprof_cpu.last_call(ucontext, &call) && call.result == -ETIMEDOUT;
}

static long finish_call(struct csprof_call *call, enum call_rest left, uint64_t mask)
{
	if (left == RESTART)
		return csprof_cpu_restart(call->number, call->args, &mask);
	os_mask(SIG_SETMASK, &mask, NULL);
	if (left == REPEAT)
		return csprof_cpu_call_unless(call->number, call->args);
	return os_finish_transfer(call->number, call->args, call->result);
}

static bool may_park(const void *ucontext)
{
	return csprof_calls.parked < CSPROF_MAX_PARKED &&
	       (os_stack_room(ucontext) == SIZE_MAX || !csprof_signal_any_handler());
}

/* Make the call here. any: it does not go on after any handler of the program, with SA_RESTART or
 * not. */
static void park(struct csprof_call *call, enum call_rest left, bool any, const void *ucontext)
{
	const void *outer = csprof_calls.outer_context;
	bool outer_any = csprof_calls.any;
	struct timespec rest;
	csprof_calls.outer_context = outer ? outer : ucontext;
	csprof_calls.parked++;
	csprof_calls.any = any;
	csprof_cpu_ended = false;
	if (left == REPEAT && os_limited(call->number, call->args))
		os_shorten(call->number, call->args, waited(csprof_calls.outer_context), &rest);
	call->result = finish_call(call, left, os_context_mask(ucontext));
	if (csprof_calls.parked) { /* else they were taken for abandoned */
		csprof_calls.parked--;
		csprof_calls.outer_context = outer;
		csprof_calls.any = outer_any;
	}
}

const void *csprof_call_context(const void *ucontext)
{
	return csprof_calls.parked && csprof_own_code(csprof_cpu.context_pc(ucontext))
		   ? csprof_calls.outer_context
		   : ucontext;
}

bool csprof_call_forget_abandoned(const csprof_state_t *state, const void *ucontext)
{
	uintptr_t parked = (uintptr_t)csprof_calls.outer_context,
		  sp = csprof_cpu.context_sp(ucontext);
	if (!csprof_calls.parked || parked < state->stack_low || parked >= state->stack_high ||
	    sp <= parked || sp >= state->stack_high)
		return false;
	csprof_calls.parked = 0;
	csprof_calls.outer_context = NULL;
	return true;
}

static int number_again(const void *ucontext)
{
	struct csprof_call call = {0};
	csprof_cpu.restarted_call(ucontext, &call);
	return call.number;
}

/* The program makes a call again when our handler returns. */
static void note_again(const void *ucontext, bool any)
{
	csprof_calls.again = (struct csprof_again){.sp = csprof_cpu.context_sp(ucontext),
						   .pc = csprof_cpu.context_pc(ucontext),
						   .number = number_again(ucontext),
						   .any = any};
}

/* Whether the context is at the noted call, which has not begun yet. */
static bool is_made_again(const void *ucontext)
{
	const struct csprof_again *a = &csprof_calls.again;
	return a->sp && a->sp == csprof_cpu.context_sp(ucontext) &&
	       a->pc == csprof_cpu.context_pc(ucontext) && csprof_cpu.call_restarts(ucontext) &&
	       a->number == number_again(ucontext);
}

/* A signal of the program may come between our last look at what is pending and the call that is
 * made again: its handler has run before that call, which does not end because of it. But without
 * us it would have interrupted the call. */
void csprof_call_handler_returns(void *ucontext, bool restarts)
{
	if (csprof_cpu.is_foreign(ucontext))
		return;
	if ((!restarts || csprof_calls.again.any) && is_made_again(ucontext)) {
		csprof_calls.again.sp = 0;
		csprof_cpu.end_call(ucontext, -EINTR);
	} else if (csprof_calls.parked && (!restarts || csprof_calls.any)) {
		csprof_cpu_ended = true;
		csprof_cpu.end_unmade(ucontext);
	}
}

/* Let the program make the call again, from the beginning. */
static void repeat(csprof_state_t *state, const struct csprof_call *call, void *ucontext)
{
	if (state && os_limited(call->number, call->args))
		csprof_wall_leave(state);
	csprof_cpu.repeat_call(ucontext, call->number);
	note_again(ucontext, true);
}

/* The kernel would restart the call when our handler returns. It is made here instead, so that we
 * are told when the wait ends, unless it is one that we make already, and a sample has interrupted
 * it. */
static bool wait_on(int sig, void *ucontext)
{
	struct csprof_call call;
	if (!csprof_cpu.call_restarts(ucontext) || csprof_call_context(ucontext) != ucontext)
		return false;
	csprof_cpu.restarted_call(ucontext, &call);
	if (!os_waits(call.number, call.args) || program_waits(sig, ucontext, true) ||
	    !may_park(ucontext))
		return false;
	park(&call, REPEAT, false, ucontext);
	csprof_cpu.end_call(ucontext, call.result);
	if (left_to_do(&call) != NOTHING)
		csprof_cpu.forget_call(ucontext);
	return true;
}

/* poll, nanosleep, select and the like return EINTR to the program after any handler, even with
 * SA_RESTART, and a write to a pipe returns the number of bytes written so far. So our handler
 * continues the call and passes its result to the program. Our signal is unblocked during that,
 * because the program may leave by longjmp from a handler of its own. A sample that comes before
 * the call is made ends it, or makes us start it from the beginning; one that comes later finds
 * the call as it would find the program's.
 *
 * Each such signal takes stack, so their number is limited. On an alternate stack a handler of
 * the program would run on top of ours: there may be no room for it, and it may not be meant to
 * run there. In both cases the program makes the call again, from the beginning, or gets as few
 * bytes as after a handler of its own.
 *
 * A call that waits for a signal of the program is made again by the program itself, after our
 * handler: if it were made here and left by longjmp, the mask would be ours.
 *
 * A call that a handler of the program has interrupted is not continued, even if a sample comes
 * when that handler returns: the signal that the program waits for would be lost.
 *
 * If the program handles our signal, too, one that is pending may be its own, or the next sample,
 * or none: the kernel drops that of a timer that is gone. Then, too, the program makes the call
 * again, and a handler of the program that comes before ends it. */
static bool continue_call(csprof_state_t *state, int sig, void *ucontext)
{
	struct csprof_call call;
	csprof_cpu.forget_restart(ucontext);
	if (!csprof_cpu.last_call(ucontext, &call))
		return state && csprof_wall_waits(state) && wait_on(sig, ucontext);
	enum call_rest left = left_to_do(&call);
	if (left == NOTHING || os_other_signal(ucontext, true, sig))
		return false;
	/* WAIT: it unblocks signals and waits in one step, so it cannot be made here */
	if (program_waits(sig, ucontext, true) || left == WAIT || !may_park(ucontext)) {
		if (left != TRANSFER)
			repeat(state, &call, ucontext);
		return false;
	}
	park(&call, left, true, ucontext);
	csprof_cpu.set_result(ucontext, call.result);
	if (left_to_do(&call) != NOTHING) /* a handler of the program has interrupted it */
		csprof_cpu.forget_call(ucontext);
	return true;
}

bool csprof_call_continue(csprof_state_t *state, int sig, void *ucontext)
{
	struct csprof_again *again = &csprof_calls.again;
	if (csprof_cpu.context_sp(ucontext) >= again->sp && !is_made_again(ucontext))
		again->sp = 0; /* it has ended; else this is in a handler of the program */
	bool ended = continue_call(state, sig, ucontext);
	/* another sample may come before the call that is made again after the last one */
	if (csprof_cpu.call_restarts(ucontext) && !is_made_again(ucontext))
		note_again(ucontext, false);
	return ended;
}

/* If a signal of the program came together with ours, and its handler interrupts system calls,
 * it must not find the call that the kernel restarts because of ours. */
void csprof_call_end_restarted(int sig, void *ucontext)
{
	if (csprof_cpu.call_restarts(ucontext) && program_waits(sig, ucontext, false))
		csprof_cpu.end_call(ucontext, -EINTR);
}
