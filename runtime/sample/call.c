#include "runtime/sample/call.h"

#include "runtime/cpu/cpu.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"

#include <errno.h>

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

static long finish_call(const struct csprof_call *call, enum call_rest left, uint64_t mask)
{
	if (left == RESTART)
		return csprof_cpu_restart(call->number, call->args, &mask);
	os_mask(SIG_SETMASK, &mask, NULL);
	if (left == REPEAT)
		return csprof_cpu_call(call->number, call->args);
	return os_finish_transfer(call->number, call->args, call->result);
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
 * If the program handles our signal, too, one that is pending may be its own or the next sample.
 * The call is left to that one. If it is a sample, the program makes the call again, from the
 * beginning: the kernel forgets how to restart a call when a handler returns. */
void csprof_call_continue(csprof_state_t *state, int sig, void *ucontext)
{
	struct csprof_call call;
	csprof_cpu.forget_restart(ucontext);
	if (!csprof_cpu.last_call(ucontext, &call))
		return;
	enum call_rest left = left_to_do(&call);
	bool forgotten = left == RESTART && state->left_call == csprof_cpu.context_sp(ucontext);
	state->left_call = 0;
	if (left == NOTHING)
		return;
	if (program_waits(sig, ucontext, true)) {
		if (!os_other_signal(ucontext, true, sig))
			state->left_call = csprof_cpu.context_sp(ucontext);
		return;
	}
	if (forgotten) {
		csprof_cpu.repeat_call(ucontext, call.number);
		return;
	}
	if (left == WAIT) { /* it unblocks signals and waits in one step, so it cannot be made
			       here */
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
	if (left_to_do(&call) != NOTHING) /* a handler of the program has interrupted it */
		csprof_cpu.forget_call(ucontext);
	/* a handler may have forked during the call: the child has another state */
	state = csprof_self;
	if (state && state->parked) {
		state->parked--;
		state->parked_context = outer;
	}
}

/* If a signal of the program came together with ours, and its handler interrupts system calls,
 * it must not find the call that the kernel restarts because of ours. */
void csprof_call_end_restarted(int sig, void *ucontext)
{
	if (csprof_cpu.call_restarts(ucontext) && program_waits(sig, ucontext, false))
		csprof_cpu.end_call(ucontext, -EINTR);
}
