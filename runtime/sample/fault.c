#include "runtime/sample/fault.h"

#include "runtime/base/message.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/process/samplers.h"
#include "runtime/process/state.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_libunwind.h"
#include "runtime/sample/values.h"

/* After a fault __builtin_setjmp returns here a second time, with different registers: only
 * values in memory may be used then. */
static __attribute__((noinline)) bool run(csprof_state_t *state,
					  void (*work)(csprof_state_t *, void *), void *arg)
{
	if (__builtin_setjmp(state->guard.resume))
		return false;
	state->guard.on = true;
	atomic_signal_fence(memory_order_seq_cst);
	work(state, arg);
	atomic_signal_fence(memory_order_seq_cst);
	state->guard.on = false;
	return true;
}

bool csprof_attempt(csprof_state_t *state, void (*work)(csprof_state_t *, void *), void *arg)
{
	struct csprof_guard outer = state->guard; /* it may be within other such work */
	bool whole = run(state, work, arg);
	state->guard = outer;
	return whole;
}

static void measuring_off(csprof_state_t *state)
{
	csprof_samplers_rest(state, CSP_MEASURING_OFF);
	csprof_samplers_quiet(state);
	csprof_say(CSPROF_SAY_ALWAYS, "fault in the sampling handler: no longer sampling thread",
		   NULL, state->tid);
}

bool csprof_guarded(csprof_state_t *state, void (*work)(csprof_state_t *, void *), void *arg)
{
	bool locked = csprof_lock_is_mine();
	if (run(state, work, arg))
		return true;
	if (!locked && csprof_lock_is_mine())
		csprof_unlock();
	csprof_libunwind_walk_ended();
	measuring_off(state);
	return false;
}

void csprof_fault_handler(int sig, siginfo_t *info, void *ucontext)
{
	csprof_state_t *state = csprof_cpu.is_foreign(ucontext) ? NULL : csprof_self;
	if (sig == SIGTRAP && csprof_values_trap(state, info, ucontext))
		return;
	if (info->si_code > 0 && state && state->guard.on &&
	    (state->guard.foreign || csprof_own_code(csprof_cpu.context_pc(ucontext)))) {
		state->guard.on = false;
		os_release_signals(os_context_mask(ucontext));
		__builtin_longjmp(state->guard.resume, 1);
	}
	csprof_signal_pass_fault(sig, info, ucontext);
}
