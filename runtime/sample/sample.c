/* The sample path: sample -> unwind -> insert. Everything here runs in a signal handler. */
#include "runtime/csprof.h"

#include "runtime/interception/signals.h"
#include "runtime/interpreters/interpreters.h"
#include "runtime/os/os.h"
#include "runtime/process/attach.h"
#include "runtime/process/control.h"
#include "runtime/process/detach.h"
#include "runtime/process/plugins.h"
#include "runtime/process/said.h"
#include "runtime/process/state.h"
#include "runtime/sample/blame.h"
#include "runtime/sample/call.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/kernel.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/notes.h"
#include "runtime/sample/pace.h"
#include "runtime/sample/sampler.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/upcalls.h"
#include "runtime/sample/values.h"
#include "runtime/sample/wall.h"
#include "runtime/trees/cct.h"

#include <errno.h>

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
	uint64_t what = ip & CSP_KERNEL_ACTIVITY;
	bool call = what != CSP_KERNEL_FAULT && what != CSP_KERNEL_STOP;
	if (call && !csprof_cpu.call_restarts(ucontext))
		caller->exact = false;
	struct csprof_frame frame = {.ip = ip, .sp = caller->sp, .exact = true};
	struct csprof_frame *room = csprof_unwind_prepend(state, 1);
	if (room)
		*room = frame;
	return room;
}

/* The arguments of a sample for csprof_guarded. */
struct sample_work {
	struct csprof_sampler *sampler;
	const void *ucontext;
	uint64_t weight;
	bool only_place; /* nothing is to be counted */
	enum csp_disposition became;
	store_ref node;
};

static enum csp_disposition sample_callstack(csprof_state_t *state, struct sample_work *w)
{
	struct csprof_sampler *p = w->sampler;
	const void *ucontext = w->ucontext;
	enum csp_disposition why;
	if (csprof_context_is_unsafe(ucontext, &why))
		return why;
	uint64_t kernel = csprof_kernel_sample(state, p, ucontext, w->weight);
	bool complete = csprof_unwind_context(state, ucontext);
	if (state->num_frames == 0)
		return CSP_UNWIND_FAILED;
	if (load_map_in_doubt(state, complete))
		return CSP_LOAD_MAP_CHANGING;
	if (kernel && !add_kernel_frame(state, ucontext, kernel))
		return CSP_OUT_OF_MEMORY;
	csprof_notes_place(state, complete);
	complete = csprof_interpreters_merge(state, ucontext, complete, kernel != 0);
	if (state->num_frames == 0 || !csprof_notes_put(state, 0))
		return CSP_OUT_OF_MEMORY;
	uint32_t column = p->measured->column;
	uint32_t columns[CSPROF_EVENT_COLUMNS] = {column, column + 1};
	uint64_t amounts[CSPROF_EVENT_COLUMNS] = {w->weight, 1};
	uint32_t kind = complete ? CSP_TREE_COMPLETE : CSP_TREE_PARTIAL;
	w->node = csprof_cct_insert(state, kind, CSPROF_LEAF_SAMPLED, columns, amounts,
				    w->only_place ? 0 : CSPROF_EVENT_COLUMNS);
	if (!w->node)
		return CSP_OUT_OF_MEMORY;
	if (complete)
		csprof_unwind_mark(state);
	enum csp_disposition became = complete ? CSP_RECORDED : CSP_PARTIAL;
	if (!w->only_place && (!p->rest_node || p->measured->by->elapses)) {
		p->rest_became = became;
		p->rest_node = w->node;
	}
	return became;
}

static void do_sample(csprof_state_t *state, void *arg)
{
	struct sample_work *w = arg;
	w->became = sample_callstack(state, w);
}

enum csp_disposition csprof_sample_callstack(struct csprof_sampler *p, const void *ucontext,
					     uint64_t weight, store_ref *node)
{
	struct sample_work w = {
	    .sampler = p, .ucontext = ucontext, .weight = weight, .became = CSP_FAULT};
	bool whole = csprof_guarded(csprof_self, do_sample, &w);
	if (node)
		*node = whole ? w.node : 0;
	return whole ? w.became : CSP_FAULT;
}

bool csprof_sample_place(struct csprof_sampler *p, const void *ucontext, store_ref *node)
{
	struct sample_work w = {.sampler = p, .ucontext = ucontext, .only_place = true};
	bool whole = csprof_guarded(csprof_self, do_sample, &w);
	*node = whole ? w.node : 0;
	return whole;
}

/* The thread has just unblocked our signal by a system call of its own, which our wrappers did not
 * see: what its clock advanced was not this code's, but anything that ran meanwhile. */
static bool was_blocked(const struct csprof_measured *m, const void *ucontext, uint64_t weight)
{
	struct csprof_call call;
	return m->by->late && weight > 2 * m->period + m->by->late &&
	       csprof_cpu.last_call(ucontext, &call) && os_sets_mask(call.number);
}

static void take_sample(csprof_state_t *state, struct csprof_sampler *p, const void *ucontext)
{
	struct csprof_instant now = csprof_sampler_now(p);
	uint64_t early = csprof_pace_early(&p->pace, now.cpu);
	if (early) {
		csprof_sampler_arm_again(state, p, now, early);
		return;
	}
	uint64_t weight = csprof_sampler_weight(state, p, now);
	if (weight == 0) { /* a timer looked at a count */
		csprof_sampler_end(state, p, now);
		return;
	}
	if (was_blocked(p->measured, ucontext, weight)) {
		csprof_sampler_account(state, p, CSP_SIGNAL_TAKEN, weight);
		csprof_sampler_end(state, p, now);
		return;
	}
	const void *at = csprof_call_context(ucontext);
	store_ref node;
	enum csp_disposition became = csprof_sample_callstack(p, at, weight, &node);
	csprof_sampler_account(state, p, became, weight);
	if (became <= CSP_PARTIAL)
		csprof_upcalls_sample(state, p, at, weight, became == CSP_RECORDED);
	if (state->wall && node && !p->measured->by->clock)
		csprof_blame_at(state, &(struct csprof_place){.node = node,
							      .weight = weight,
							      .cpu = now.cpu,
							      .asked = csprof_blame_asked(state)});
	if (became == CSP_FAULT)
		return;
	csprof_sampler_end(state, p, now);
	if (became <= CSP_PARTIAL && at == ucontext)
		csprof_values_sample(state, p, (void *)ucontext);
}

/* What this interrupted goes on. */
static void go_on(int sig, void *ucontext)
{
	if (!csprof_signal_call_goes_on())
		return;
	csprof_call_end_restarted(sig, ucontext);
	csprof_call_continue(csprof_self, sig, ucontext);
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
	struct csprof_sampler *p = state ? csprof_sampler_of(state, info) : NULL;
	if (!p && (csprof_control_signal(info) || csprof_said_signal(state, info, ucontext) ||
		   csprof_attach_signal(info, ucontext) || csprof_detach_signal(info, ucontext) ||
		   csprof_plugins_signal(state, info, ucontext))) {
		go_on(sig, ucontext);
	} else if (!p) {
		if (csprof_signal_pass_on(sig, info, ucontext) && csprof_signal_call_goes_on())
			csprof_call_continue(csprof_self, sig, ucontext);
	} else if (atomic_exchange(&state->busy, true)) {
		/* in a synchronous walk: delayed until its end, see leave() in record.c */
		atomic_store(&p->sampled, true);
	} else {
		if (csprof_call_forget_abandoned(state, ucontext))
			csprof_wall_abandoned(state);
		csprof_values_interrupted(state, ucontext);
		bool waits = false;
		if (csprof_sampler_wanted(p) && p->measured->by->elapses)
			waits = csprof_wall_sample(state, p, ucontext);
		else if (csprof_sampler_wanted(p))
			take_sample(state, p, ucontext);
		atomic_store(&state->busy, false);
		csprof_call_end_restarted(sig, ucontext);
		uint64_t began = state->began;
		bool ended = csprof_call_continue(state, sig, ucontext);
		/* another one: a handler of the program has forked, or the thread was detached */
		if (waits && csprof_self == state && state->began == began)
			csprof_wall_over(state, ucontext, ended);
	}
	errno = saved;
}
