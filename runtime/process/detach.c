#include "runtime/process/detach.h"

#include "runtime/cpu/cpu.h"
#include "runtime/cpu/slots.h"
#include "runtime/interception/masks.h"
#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sample/call.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/wall.h"
#include "runtime/sandboxes/seccomp.h"

/* Whether the interrupted code has no use for the thread's state any more: it is not ours, or a
 * system call that we make for the program. */
static bool is_apart(const void *ucontext)
{
	uintptr_t pc = csprof_cpu.context_pc(ucontext);
	return (!csprof_own_code(pc) && !csprof_is_slot(pc)) || csprof_cpu_in_call(pc) ||
	       csprof_mask_sending() || csprof_call_context(ucontext) != ucontext;
}

static bool is_free(csprof_state_t *state, const void *ucontext)
{
	enum { TO_LET_GO = 3072, TO_FINISH = 6144 }; /* more than twice what they have taken */
	size_t needed = csprof_process.detached ? TO_LET_GO : TO_FINISH;
	if (csprof_process.pid != os_pid() || os_stack_room(ucontext) < needed)
		return false;
	if (state && !atomic_load(&state->busy) && csprof_call_forget_abandoned(state, ucontext))
		csprof_wall_abandoned(state);
	if (state && (atomic_load(&state->busy) || atomic_load(&state->counting) ||
		      atomic_load(&state->saying) || !is_apart(ucontext)))
		return false;
	if (!csprof_try_lock())
		return false;
	csprof_unlock();
	return true;
}

bool csprof_detach_signal(const siginfo_t *info, void *ucontext)
{
	if (info->si_code != SI_QUEUE ||
	    (uintptr_t)info->si_value.sival_ptr != (uintptr_t)STORE_DETACH_VALUE)
		return false;
	if (csprof_confined() || !is_free(csprof_self, ucontext))
		return true;
	if (!csprof_process.detached && !csprof_process_detach())
		return true;
	csprof_threads_bury();
	if (csprof_self)
		csprof_thread_let_go(ucontext);
	return true;
}
