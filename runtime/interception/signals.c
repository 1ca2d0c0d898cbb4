#include "runtime/interception/signals.h"

#include "runtime/base/message.h"
#include "runtime/cpu/cpu.h"
#include "runtime/csprof.h"
#include "runtime/interception/masks.h"
#include "runtime/os/os.h"
#include "runtime/process/samplers.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sample/fault.h"
#include "runtime/sandboxes/seccomp.h"

#include <stdatomic.h>
#include <string.h>

/* The program's action for a signal that our handler receives. A handler may read it while
 * another thread changes it: each change fills the next slot and then publishes it, and a slot
 * is reused SLOTS changes later. */
enum { SLOTS = 16 };
struct wish {
	int sig; /* 0: not in use */
	bool fault;
	_Atomic(struct sigaction *) act;
	atomic_uint next;
};
/* our signal, its spare (masks.c), SIGPROF, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL,
 * SIGTRAP */
static struct wish wishes[9];
enum { NUM_WISHES = sizeof wishes / sizeof *wishes };
/* The first ones of all wishes are together: most programs change few actions. */
static CSPROF_LARGE struct sigaction slots[SLOTS][NUM_WISHES];

static const struct sigaction by_default; /* SIG_DFL */

/* What libc adds to every action for the kernel, and the kernel returns. */
enum { SA_RESTORER_FLAG = 0x04000000 };
static void (*restorer)(void);
static int restorer_flag;

static CSPROF_TOGETHER atomic_bool taken; /* our handler was replaced without libc */

static struct wish *wish_for(int sig)
{
	for (int i = 0; i < NUM_WISHES; i++)
		if (wishes[i].sig == sig)
			return &wishes[i];
	return NULL;
}

static const struct sigaction *wanted(struct wish *w)
{
	return atomic_load_explicit(&w->act, memory_order_acquire);
}

static void want(struct wish *w, const struct sigaction *act)
{
	struct sigaction *slot = &slots[atomic_fetch_add(&w->next, 1) % SLOTS][w - wishes];
	*slot = *act;
	atomic_store_explicit(&w->act, slot, memory_order_release);
}

static bool is_handler(const struct sigaction *act)
{
	return act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
}

bool csprof_signal_has_handler(int sig)
{
	struct wish *w = sig ? wish_for(sig) : NULL;
	return w && is_handler(wanted(w));
}

static _Atomic(uint64_t) with_handler; /* signals that ever had a handler of the program, by bit */

bool csprof_signal_any_handler(void)
{
	return atomic_load_explicit(&with_handler, memory_order_relaxed) != 0;
}

uint64_t csprof_signal_handlers(void)
{
	uint64_t set = atomic_load_explicit(&with_handler, memory_order_relaxed);
	for (int i = 0; i < NUM_WISHES; i++)
		if (wishes[i].sig && !wishes[i].fault)
			set |= 1ull << (wishes[i].sig - 1);
	return set;
}

/* ---- masks in actions --------------------------------------------------------------- */

static uint64_t low_word(const sigset_t *set)
{
	uint64_t word;
	memcpy(&word, set, sizeof word);
	return word;
}

static void set_low_word(sigset_t *set, uint64_t word)
{
	memcpy(set, &word, sizeof word);
}

/* The set that the program requested, from the kernel's. */
static uint64_t asked_mask(uint64_t set, bool no_standin, bool no_ours)
{
	return csprof_mask_from_kernel(set & ~csprof_mask_ours(), no_standin, no_ours);
}

/* ---- our own handlers ---------------------------------------------------------------- */

/* The kernel calls the fault handler as it would call the program's: on the stack, with the mask
 * and the restarting that the program requested. */
static int install_fault(int sig, const struct sigaction *act)
{
	struct sigaction real = *act;
	/* the steps of a window are ours alone: no other signal comes in between */
	if (sig == SIGTRAP && !is_handler(act))
		return os_handle(sig, csprof_fault_handler, NULL);
	if (!is_handler(act)) {
		real = by_default;
		real.sa_flags = SA_RESTART | SA_ONSTACK;
	}
	real.sa_sigaction = csprof_fault_handler;
	real.sa_flags = (real.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
	set_low_word(&real.sa_mask, csprof_mask_to_kernel(low_word(&real.sa_mask)));
	return os_sigaction(sig, &real, NULL);
}

static int install(struct wish *w)
{
	if (w->fault)
		return install_fault(w->sig, wanted(w));
	return os_handle(w->sig, csprof_signal_handler, NULL);
}

static int stand_before(int sig, bool fault)
{
	if (wish_for(sig))
		return 0;
	struct wish *w = wish_for(0);
	struct sigaction old;
	int r = w ? os_sigaction(sig, NULL, &old) : 0;
	if (!w || r < 0)
		return r;
	set_low_word(&old.sa_mask, asked_mask(low_word(&old.sa_mask), false, false));
	w->fault = fault;
	want(w, &old);
	w->sig = sig;
	r = install(w);
	if (r < 0)
		w->sig = 0;
	else if (os_sigaction(sig, NULL, &old) == 0) {
		restorer = old.sa_restorer;
		restorer_flag = old.sa_flags & SA_RESTORER_FLAG;
	}
	return r;
}

int csprof_signal_install(int sig)
{
	return stand_before(sig, false);
}

void csprof_signal_install_faults(void)
{
	stand_before(SIGSEGV, true);
	stand_before(SIGBUS, true);
}

void csprof_signal_install_deaths(void)
{
	stand_before(SIGABRT, true);
	stand_before(SIGFPE, true);
	stand_before(SIGILL, true);
}

void csprof_signal_install_trap(void)
{
	stand_before(SIGTRAP, true);
}

bool csprof_signal_receives_trap(void)
{
	struct sigaction now;
	return os_sigaction(SIGTRAP, NULL, &now) == 0 && now.sa_sigaction == csprof_fault_handler;
}

/* ---- passing on ------------------------------------------------------------------------ */

/* The action to take; with SA_RESETHAND a handler is used once. */
static struct sigaction take(struct wish *w)
{
	struct sigaction act = *wanted(w);
	if (is_handler(&act) && act.sa_flags & (int)SA_RESETHAND) {
		struct sigaction once = act;
		once.sa_handler = SIG_DFL; /* the rest is unchanged, as in the kernel */
		want(w, &once);
		if (w->fault)
			install(w);
	}
	return act;
}

/* The program's handler may fork, exit or longjmp, so it must not run while the interrupted code
 * holds our lock or works on this thread's trees. That code blocks all other signals, and
 * unblocks this one when it restores the mask. */
static bool defer(int sig, siginfo_t *info, void *ucontext)
{
	if (!csprof_lock_is_mine() && !(csprof_self && atomic_load(&csprof_self->busy)))
		return false;
	os_set_context_mask(ucontext, os_context_mask(ucontext) | 1ull << (sig - 1));
	os_send_again(info, info->si_code == SI_TKILL ? os_tid() : 0);
	return true;
}

static void returns(const struct sigaction *act, void *ucontext)
{
	if (csprof_cpu_returned)
		csprof_cpu_returned(ucontext, act->sa_flags & SA_RESTART);
}

/* All signals are blocked, except while the program's handler or the default action needs them:
 * code that continues a call must know of each signal that came. */
bool csprof_signal_pass_on(int sig, siginfo_t *info, void *ucontext)
{
	struct wish *w = wish_for(sig);
	if (w && csprof_mask_hold(info, ucontext))
		return true;
	if (!w || defer(sig, info, ucontext))
		return false;
	struct sigaction act = take(w);
	if (is_handler(&act)) {
		csprof_mask_for_handler(ucontext, low_word(&act.sa_mask),
					!(act.sa_flags & SA_NODEFER));
		/* the kernel passes all three arguments to every handler */
		act.sa_sigaction(sig, info, ucontext);
		returns(&act, ucontext);
		csprof_cpu.forget_call(ucontext);
	} else if (act.sa_handler == SIG_DFL && info->si_code <= 0 && info->si_code != SI_TIMER) {
		/* a late sample of ours must not kill the program. The action before is not
		 * looked up: it may be the default that another thread has set here */
		os_default_action(sig);
		install(w);
	}
	return !is_handler(&act);
}

bool csprof_signal_call_goes_on(void)
{
	const csprof_state_t *state = csprof_self;
	return state ? !atomic_load(&state->busy) : !csprof_confined();
}

void csprof_signal_pass_fault(int sig, siginfo_t *info, void *ucontext)
{
	struct wish *w = wish_for(sig);
	bool fault = info->si_code > 0 && !(sig == SIGBUS && info->si_code == BUS_MCEERR_AO);
	if (!w)
		return;
	struct sigaction act = take(w);
	if (is_handler(&act)) {
		act.sa_sigaction(sig, info, ucontext);
		returns(&act, ucontext);
	} else if (fault || act.sa_handler == SIG_DFL) {
		/* the same instruction faults again, or the signal comes again when we return:
		 * the kernel does the rest, and a core dump shows the program */
		if (!csprof_cpu.is_foreign(ucontext))
			csprof_threads_restore();
		os_sigaction(sig, &by_default, NULL);
		if (!fault || sig == SIGTRAP) /* a trap does not come again */
			os_send_again(info, os_tid());
	}
}

/* ---- the program's sigaction ------------------------------------------------------- */

/* For each signal whose handler is not ours, by bit: whether the mask of its action contains our
 * signal without the stand-in (masks.h), or the stand-in without our signal. */
static _Atomic(uint64_t) ours_only, standin_only;

static void note(_Atomic(uint64_t) *set, uint64_t bit, bool value)
{
	if (value)
		atomic_fetch_or(set, bit);
	else if (atomic_load(set) & bit)
		atomic_fetch_and(set, ~bit);
}

static int plain_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	uint64_t bit = sig > 0 && sig <= 64 ? 1ull << (sig - 1) : 0;
	bool no_standin = atomic_load(&ours_only) & bit, no_ours = atomic_load(&standin_only) & bit;
	struct sigaction real;
	uint64_t set = 0;
	if (act) {
		real = *act;
		set = low_word(&act->sa_mask);
		set_low_word(&real.sa_mask, csprof_mask_to_kernel(set));
	}
	bool restarts = act && act->sa_flags & SA_RESTART;
	int r = os_sigaction_returning(sig, act ? &real : NULL, old,
				       restarts ? csprof_cpu_restorer : csprof_cpu_ending_restorer);
	if (r < 0)
		return r;
	if (old && (old->sa_restorer == csprof_cpu_restorer ||
		    old->sa_restorer == csprof_cpu_ending_restorer))
		old->sa_restorer = restorer;
	if (old)
		set_low_word(&old->sa_mask,
			     asked_mask(low_word(&old->sa_mask), no_standin, no_ours));
	if (act) {
		note(&ours_only, bit, csprof_mask_names(set, true, false));
		note(&standin_only, bit, csprof_mask_names(set, false, true));
	}
	return 0;
}

int csprof_signal_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct wish *w = sig > 0 ? wish_for(sig) : NULL;
	if (act && is_handler(act) && !(w && w->fault) && sig > 0 && sig < NSIG)
		atomic_fetch_or_explicit(&with_handler, 1ull << (sig - 1), memory_order_relaxed);
	/* a vfork child shares our memory, but has its own actions */
	if (!w || (!csprof_confined() && csprof_process.pid != os_pid()))
		return plain_action(sig, act, old);
	struct sigaction before = *wanted(w);
	if (act) {
		struct sigaction asked = *act;
		asked.sa_restorer = restorer;
		asked.sa_flags |= restorer_flag;
		want(w, &asked);
		if (w->fault)
			install(w);
	}
	if (old)
		*old = before;
	return 0;
}

/* Whether signals of this number are libc's own: for cancellation, and to set users. */
static bool is_of_libc(int sig)
{
	return sig == 32 || sig == 33;
}

/* Another thread may set an action between our look at it and our change: then that one is
 * adopted. */
void csprof_signal_adopt(void)
{
	enum { TRIES = 8 };
	struct sigaction act, old;
	for (int sig = 1; sig < NSIG; sig++) {
		struct wish *w = wish_for(sig);
		if (is_of_libc(sig) || (w && w->fault))
			continue;
		if (w)
			act = *wanted(w);
		else if (os_sigaction(sig, NULL, &act) < 0)
			continue;
		for (int i = 0; is_handler(&act) && i < TRIES; i++) {
			atomic_fetch_or(&with_handler, 1ull << (sig - 1));
			if (w || plain_action(sig, &act, &old) < 0 ||
			    (old.sa_handler == act.sa_handler && old.sa_flags == act.sa_flags))
				break;
			act = old;
		}
	}
}

/* ---- exec --------------------------------------------------------------------------- */

uint64_t csprof_signal_before_exec(void)
{
	static const struct sigaction ignore = {.sa_handler = SIG_IGN};
	for (int i = 0; i < NUM_WISHES; i++)
		if (wishes[i].sig && wanted(&wishes[i])->sa_handler == SIG_IGN)
			os_sigaction(wishes[i].sig, &ignore, NULL);
	return csprof_mask_before_exec();
}

void csprof_signal_after_failed_exec(uint64_t mask)
{
	for (int i = 0; i < NUM_WISHES; i++)
		if (wishes[i].sig && wanted(&wishes[i])->sa_handler == SIG_IGN)
			install(&wishes[i]);
	csprof_mask_after_exec(mask);
}

/* How many threads are starting a process while faults are ignored for real. */
static atomic_uint unguarded;

bool csprof_signal_faults_guarded(void)
{
	return atomic_load_explicit(&unguarded, memory_order_relaxed) == 0;
}

static bool is_ignored_fault(struct wish *w)
{
	return w->sig && w->fault && wanted(w)->sa_handler == SIG_IGN;
}

static void ignore_faults(void)
{
	static const struct sigaction ignore = {.sa_handler = SIG_IGN};
	for (int i = 0; i < NUM_WISHES; i++)
		if (is_ignored_fault(&wishes[i]))
			os_sigaction(wishes[i].sig, &ignore, NULL);
}

static void guard_faults(void)
{
	for (int i = 0; i < NUM_WISHES; i++)
		if (is_ignored_fault(&wishes[i]))
			install(&wishes[i]);
}

struct csprof_spawning csprof_signal_before_spawn(void)
{
	struct csprof_spawning s = {0, false};
	for (int i = 0; i < NUM_WISHES; i++)
		s.unguarded |= is_ignored_fault(&wishes[i]);
	if (s.unguarded) {
		atomic_fetch_add(&unguarded, 1);
		ignore_faults();
	}
	s.mask = csprof_mask_before_exec();
	return s;
}

/* The last thread guards faults before the number says so. If another one has begun meanwhile,
 * they are ignored for it again. */
void csprof_signal_after_spawn(struct csprof_spawning s)
{
	csprof_mask_after_exec(s.mask);
	if (!s.unguarded)
		return;
	unsigned n = atomic_load(&unguarded);
	do
		if (n == 1)
			guard_faults();
		else
			ignore_faults();
	while (!atomic_compare_exchange_strong(&unguarded, &n, n - 1));
}

uint64_t csprof_signal_hold(void)
{
	uint64_t ours = csprof_mask_ours(), before = 0;
	os_mask(SIG_BLOCK, &ours, &before);
	return before;
}

void csprof_signal_release(uint64_t mask)
{
	os_mask(SIG_SETMASK, &mask, NULL);
}

/* ---- our handler replaced ----------------------------------------------------------- */

bool csprof_signal_receives(int sig)
{
	struct sigaction now;
	return os_sigaction(sig, NULL, &now) < 0 || now.sa_sigaction == csprof_signal_handler;
}

void csprof_signal_look(void)
{
	if (csprof_signal_receives(csprof_process.sig))
		return;
	atomic_store(&taken, true);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		csprof_samplers_rest(s, CSP_SIGNAL_TAKEN);
}

void csprof_signal_say_taken(void)
{
	if (atomic_exchange(&taken, false))
		csprof_say(CSPROF_SAY_SOURCE,
			   "the program took over the sampling signal; try --signal RTMIN", NULL,
			   INT64_MIN);
}
