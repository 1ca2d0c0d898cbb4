#include "runtime/interception/masks.h"

#include "formats/store/said.h"
#include "runtime/csprof.h"
#include "runtime/interception/signals.h"
#include "runtime/os/os.h"
#include "runtime/process/samplers.h"
#include "runtime/process/state.h"
#include "runtime/sandboxes/seccomp.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* Both 0 if the process is not measured. */
struct bits {
	uint64_t ours, standin;
};

static struct bits bits(void)
{
	int sig = csprof_process.sig;
	if (sig <= 0)
		return (struct bits){0, 0};
	int standin = sig == SIGSTKFLT ? SIGPWR : SIGSTKFLT;
	return (struct bits){1ull << (sig - 1), 1ull << (standin - 1)};
}

/* If the program treats the two signals differently, the state of the stand-in as the program
 * sees it. Nobody sends the stand-in; this is for programs that compare masks. */
static __thread bool ours_only, standin_only;

static atomic_bool no_standin; /* ours_only of the last thread to block ours, for new threads */

static __thread bool held; /* ours is really blocked, and was pending */

static __thread bool translated; /* its real mask is as csprof_mask_to_kernel has it */

static __thread volatile bool sending; /* a signal to itself, in send_here */

static __thread unsigned num_own; /* signals with the number of a sample that were not samples */

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

static bool in_this_process(void)
{
	return csprof_confined() || csprof_process.pid == os_pid(); /* not in a vfork child */
}

/* ---- masks ------------------------------------------------------------------------ */

uint64_t csprof_mask_ours(void)
{
	return bits().ours;
}

uint64_t csprof_mask_virtual(void)
{
	struct bits b = bits();
	return b.ours | b.standin;
}

uint64_t csprof_mask_to_kernel(uint64_t set)
{
	struct bits b = bits();
	uint64_t rest = set & ~csprof_mask_virtual();
	return set & b.ours ? rest | b.standin : rest;
}

uint64_t csprof_mask_from_kernel(uint64_t set, bool only_ours, bool only_standin)
{
	struct bits b = bits();
	uint64_t rest = set & ~csprof_mask_virtual();
	if (set & (b.ours | b.standin))
		return rest | b.ours | (only_ours ? 0 : b.standin);
	return rest | (only_standin ? b.standin : 0);
}

bool csprof_mask_names(uint64_t set, bool ours, bool standin)
{
	struct bits b = bits();
	return !(set & b.ours) == !ours && !(set & b.standin) == !standin;
}

static uint64_t after(int how, uint64_t before, uint64_t set)
{
	if (how == SIG_BLOCK)
		return before | set;
	return how == SIG_UNBLOCK ? before & ~set : set;
}

/* Sample this thread again. */
static void let_go(void)
{
	csprof_state_t *state = csprof_self;
	held = false;
	if (state && csprof_samplers_resting(state, CSP_SIGNAL_TAKEN))
		csprof_sample_resume();
}

int csprof_mask_change(int how, const uint64_t *set, uint64_t *old)
{
	struct bits b = bits();
	uint64_t before = 0, wanted = 0;
	if (!b.ours)
		return os_mask(how, set, old);
	if (set) {
		wanted = csprof_mask_to_kernel(*set);
		if (*set & b.ours && (how == SIG_UNBLOCK || (how == SIG_SETMASK && held)))
			wanted |= b.ours;
	}
	int r = os_mask(how, set ? &wanted : NULL, &before);
	if (r < 0)
		return r;
	uint64_t seen = csprof_mask_from_kernel(before, ours_only, standin_only);
	if (old)
		*old = seen;
	if (set) {
		uint64_t now = after(how, seen, *set);
		ours_only = csprof_mask_names(now, true, false);
		if (now & b.ours)
			atomic_store_explicit(&no_standin, ours_only, memory_order_relaxed);
		standin_only = csprof_mask_names(now, false, true);
		translated |= !(after(how, before, wanted) & b.ours);
		if (held && !(now & b.ours) && in_this_process())
			let_go();
	}
	return 0;
}

void csprof_mask_adopt(void)
{
	struct bits b = bits();
	uint64_t mask = 0;
	os_mask(SIG_BLOCK, NULL, &mask);
	standin_only = held = false;
	translated = true;
	ours_only = mask & b.standin && atomic_load(&no_standin);
	if (!(mask & b.ours))
		return;
	ours_only = !(mask & b.standin);
	mask = csprof_mask_to_kernel(mask);
	os_mask(SIG_SETMASK, &mask, NULL);
}

void csprof_mask_adopt_in(void *ucontext)
{
	uint64_t set = os_context_mask(ucontext);
	held = false;
	if (translated)
		return;
	translated = true;
	if (csprof_process.again && !(set & bits().ours)) { /* inherited from such a thread */
		standin_only = false;
		ours_only = set & bits().standin && atomic_load(&no_standin);
		return;
	}
	ours_only = csprof_mask_names(set, true, false);
	standin_only = csprof_mask_names(set, false, true);
	os_set_context_mask(ucontext, csprof_mask_to_kernel(set));
}

uint64_t csprof_mask_before_exec(void)
{
	struct bits b = bits();
	uint64_t before = 0;
	os_mask(SIG_BLOCK, NULL, &before);
	uint64_t real = csprof_mask_from_kernel(before, ours_only, standin_only);
	if (b.ours && real != before)
		os_mask(SIG_SETMASK, &real, NULL);
	return before;
}

void csprof_mask_after_exec(uint64_t before)
{
	os_mask(SIG_SETMASK, &before, NULL);
}

/* ---- another signal for samples --------------------------------------------------------
 *
 * A program that reads our signal from a descriptor takes it for as long as it lives. Threads get
 * their samples by another signal then, which by default is ignored, too, as long as the program
 * neither blocks nor reads that. It is not translated: where the program blocks it, there are no
 * samples. */

static atomic_int spare; /* its number, once our handler is installed; negative: the program's */

static int spare_of(int ours)
{
	return ours == SIGWINCH ? SIGURG : SIGWINCH;
}

/* The program is about to read these signals. */
static void prepare_spare(uint64_t set)
{
	int ours = csprof_process.sig;
	if (ours <= 0 || !in_this_process())
		return;
	int sig = spare_of(ours);
	if (set & bit_of(sig))
		atomic_store(&spare, -1);
	if (!(set & bit_of(ours)) || atomic_load(&spare) || csprof_confined() || !csprof_try_lock())
		return;
	if (csprof_signal_install(sig) == 0)
		atomic_store(&spare, sig);
	csprof_unlock();
}

/* Sample this thread by it, if its mask permits. */
static bool use_spare(uint64_t mask)
{
	int sig = atomic_load(&spare);
	if (sig <= 0 || mask & bit_of(sig) || !in_this_process())
		return false;
	return csprof_samples_by(sig) || csprof_sample_by(sig);
}

/* ---- signals of the program's own that it blocks ----------------------------------- */

static _Atomic(uint32_t) waiter; /* a thread that waits for ours in sigwait or the like */

/* signalfds with which the program reads our signal. It is removed from their sets, because they
 * would return our samples, until a signal of the program's own comes. */
enum { MAX_FDS = 16 };
static struct {
	int fd;
	uint64_t set;
} fds[MAX_FDS];
static _Atomic(uint32_t) num_fds;
static atomic_bool fds_open;

static void open_fds(void)
{
	if (atomic_exchange(&fds_open, true))
		return;
	for (uint32_t i = 0; i < atomic_load(&num_fds); i++)
		if (fds[i].set)
			os_signalfd(fds[i].fd, fds[i].set, 0);
}

/* Returns whether fd is or need not be in the table. */
static bool note_fd(int fd, uint64_t set)
{
	uint32_t n = atomic_load(&num_fds);
	for (uint32_t i = 0; i < n; i++)
		if (fds[i].fd == fd) {
			fds[i].set = set;
			return true;
		}
	if (!set)
		return true;
	do
		if (n == MAX_FDS)
			return false;
	while (!atomic_compare_exchange_weak(&num_fds, &n, n + 1));
	fds[n].fd = fd;
	fds[n].set = set;
	return true;
}

int csprof_mask_signalfd(int fd, uint64_t set, int flags)
{
	struct bits b = bits();
	uint64_t mask;
	prepare_spare(set);
	if (set & b.ours && os_mask(SIG_BLOCK, NULL, &mask) == 0)
		use_spare(mask);
	bool hide = set & b.ours && !atomic_load(&fds_open);
	int r = os_signalfd(fd, hide ? set & ~b.ours : set, flags);
	/* restore the full set: no room to note it, or the others were opened before it was
	 * noted */
	if (r >= 0 && b.ours && (!note_fd(r, hide ? set : 0) || (hide && atomic_load(&fds_open))))
		os_signalfd(r, set, 0);
	return r;
}

/* What another process asks us for by a signal with our number. */
static bool is_request(const siginfo_t *info)
{
	uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
	return info->si_code == SI_QUEUE &&
	       (value == STORE_CONTROL_VALUE || value == STORE_ATTACH_VALUE ||
		value == STORE_DETACH_VALUE || value == STORE_SAID_VALUE);
}

/* si_code distinguishes a signal to one thread from kill and the like. A request must not be sent
 * to all: a thread that sees it pending leaves its call to it, and another may take it. */
static bool to_one_thread(const siginfo_t *info)
{
	return info->si_code == SI_TKILL || is_request(info);
}

/* Take the pending signals with our number, while sampling is stopped: samples are dropped, the
 * program's own are sent again. Returns whether there was one of the program's. */
static bool send_pending_again(uint64_t ours)
{
	enum { MOST = 8 };
	siginfo_t taken[MOST];
	int n = 0;
	while (n < MOST && os_take_signal(ours, &taken[n]) > 0)
		if (!csprof_sample_sent(&taken[n]))
			n++;
	for (int i = 0; i < n; i++)
		os_send_again(&taken[i], to_one_thread(&taken[i]) ? os_tid() : 0);
	return n > 0;
}

/* From here on our signal may be really blocked, so a pending one must be the program's. mask: of
 * the thread. */
static void stop_sampling(uint64_t mask)
{
	csprof_state_t *state = csprof_self;
	held = true;
	if (!state || !csprof_samplers_resting(state, CSP_TAIL) || use_spare(mask))
		return;
	csprof_samplers_rest(state, CSP_SIGNAL_TAKEN);
	csprof_samplers_quiet(state);
}

void csprof_mask_started(void)
{
	csprof_state_t *state = csprof_self;
	uint64_t mask = 0;
	if (!held || !state || !csprof_samplers_any(state))
		return;
	os_mask(SIG_BLOCK, NULL, &mask);
	if (!(mask & bits().ours))
		return;
	if (csprof_samplers_resting(state, CSP_SIGNAL_TAKEN))
		csprof_sample_resume();
	stop_sampling(mask);
}

/* sigsuspend and the like have a mask of their own: a signal that ends them is unblocked there,
 * whatever the program blocks outside. */
static bool opened_by_call(const void *ucontext)
{
	struct csprof_call call;
	return csprof_cpu.last_call(ucontext, &call) && call.result == -EINTR &&
	       os_waits_with_mask(call.number, call.args);
}

bool csprof_mask_hold(siginfo_t *info, void *ucontext)
{
	struct bits b = bits();
	uint64_t mask = os_context_mask(ucontext);
	bool is_ours = info->si_signo == csprof_process.sig;
	num_own += is_ours || info->si_signo == atomic_load(&spare);
	if (!is_ours)
		return false;
	bool open = !(mask & b.standin);
	if (open || opened_by_call(ucontext)) {
		if (held && !open) /* it is no longer pending */
			os_set_context_mask(ucontext, mask & ~b.ours);
		if (held)
			let_go();
		return false;
	}
	bool one_thread = to_one_thread(info);
	uint32_t self = os_tid(), other = atomic_load(&waiter);
	if (!one_thread && other && other != self && os_send_again(info, other) == 0)
		return true;
	if (in_this_process()) {
		stop_sampling(mask);
		send_pending_again(b.ours);
		open_fds();
	}
	os_set_context_mask(ucontext, mask | b.ours);
	os_send_again(info, one_thread ? self : 0);
	return true;
}

/* Send this thread sig, a signal of samples: again with info, or as raise does (NULL). The kernel
 * may merge it with a pending sample; then our handler does not count it, and it is sent once
 * more. Not if the handler is the program's, set without libc; under a filter of system calls we
 * do not ask. */
static int send_here(int sig, siginfo_t *info)
{
	enum { MOST = 8 };
	volatile const unsigned *own = &num_own; /* changed by the handler */
	uint64_t mask = 0;
	unsigned before;
	int r, times = 0;
	/* if it is really blocked, it stays pending, and no sample is pending */
	bool comes = !(info && is_request(info)) && csprof_self && !csprof_confined() &&
		     in_this_process() && os_mask(SIG_BLOCK, NULL, &mask) == 0 &&
		     !(mask & bit_of(sig));
	do {
		before = *own;
		sending = true;
		r = info ? os_send_again(info, os_tid()) : os_raise(sig);
		sending = false;
	} while (r == 0 && comes && *own == before && csprof_signal_receives(sig) &&
		 ++times < MOST);
	return r;
}

bool csprof_mask_sending(void)
{
	return sending;
}

void csprof_mask_drop_samples(void)
{
	int other = atomic_load(&spare);
	send_pending_again(bits().ours | (other > 0 ? bit_of(other) : 0));
}

bool csprof_mask_samples_by(int sig)
{
	return sig > 0 && (sig == csprof_process.sig || sig == atomic_load(&spare));
}

int csprof_mask_raise(int sig)
{
	return send_here(sig, NULL);
}

void csprof_mask_for_handler(const void *ucontext, uint64_t mask, bool block_itself)
{
	struct bits b = bits();
	mask = csprof_mask_to_kernel(mask) | (os_context_mask(ucontext) & ~b.ours);
	if (block_itself)
		mask |= b.standin;
	os_mask(SIG_SETMASK, &mask, NULL);
}

uint64_t csprof_mask_pending(void)
{
	struct bits b = bits();
	uint64_t pending = os_pending();
	if (!(pending & b.ours) || held || !csprof_self || !in_this_process())
		return pending;
	uint64_t mask = 0;
	os_mask(SIG_BLOCK, NULL, &mask);
	stop_sampling(mask);
	bool own = send_pending_again(b.ours);
	if (!own)
		let_go();
	return own ? pending : pending & ~b.ours;
}

/* ---- waiting ------------------------------------------------------------------------ */

struct wait {
	uint64_t set;  /* what the program waits for */
	uint64_t mask; /* the thread's own */
	uint64_t kept; /* what is also blocked, because it has a handler */
	uint64_t until;
	bool for_ours;
};

/* The end of a time limit that begins now, on the monotonic clock; UINT64_MAX: never. */
static uint64_t end_of(const struct timespec *limit)
{
	enum { FOR_EVER = 1 << 30 }; /* seconds; longer than any real wait */
	if (!limit || limit->tv_sec > FOR_EVER)
		return UINT64_MAX;
	return os_clock_mono() + (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
}

static uint64_t time_left(uint64_t until)
{
	uint64_t now = until == UINT64_MAX ? 0 : os_clock_mono();
	return until == UINT64_MAX ? until : until > now ? until - now : 0;
}

/* The program has taken a signal of ours: it need not be really blocked any more, if it was the
 * last one. */
static void open_again(void)
{
	uint64_t ours = bits().ours;
	if (!held || os_pending() & ours)
		return;
	let_go();
	os_mask(SIG_UNBLOCK, &ours, NULL);
}

enum { SIGNAL_OF_CANCEL = 32 }; /* libc's own; it ends a wait in a thread that is cancelled */

/* A signal with our number that is sent to the process is passed to the thread that waits for
 * it. */
static void begin_wait(struct wait *w)
{
	uint64_t kept;
	w->for_ours = w->set & bits().ours;
	if (w->for_ours)
		atomic_store(&waiter, os_tid());
	os_mask(SIG_BLOCK, NULL, &w->mask);
	w->kept = os_handled(csprof_signal_handlers() & ~w->mask, true) | bit_of(SIGNAL_OF_CANCEL);
	kept = w->mask | w->kept;
	os_mask(SIG_SETMASK, &kept, NULL);
}

/* From here on handlers run; they may leave by longjmp. */
static void end_wait(const struct wait *w)
{
	uint64_t ours = bits().ours, mask = held ? w->mask | ours : w->mask & ~ours;
	uint32_t self = os_tid();
	if (w->for_ours)
		atomic_compare_exchange_strong(&waiter, &self, 0);
	os_mask(SIG_SETMASK, &mask, NULL);
}

/* A signal with our number that asks us for something, or that is the program's, which does not
 * wait for it and has no handler that may run now: hold it, or take the default action. */
static void done_with(struct wait *w, siginfo_t *info)
{
	uint64_t ours = bits().ours;
	os_mask(SIG_UNBLOCK, &ours, NULL);
	send_here(info->si_signo, info);
	if (held)
		w->kept &= ~ours;
	else
		os_mask(SIG_BLOCK, &ours, NULL);
}

/* Whether a handler of the program may have ended the wait: one that was set meanwhile. Else it was
 * a timer of ours, which another thread has stopped before its signal was taken: the kernel drops
 * that (since 6.13). */
static bool others_handled(const struct wait *w)
{
	/* of these it is not known whether one was sent */
	static const int faults[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGABRT, SIGFPE, SIGILL};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (csprof_signal_has_handler(faults[i]))
			return true;
	uint64_t handled = os_handled(csprof_signal_handlers() & ~w->mask, true);
	return handled & ~(w->kept | w->set | bits().ours);
}

/* As the system call, without samples. A thread that cancels this one sends it a signal only if
 * cancellation is asynchronous. */
static int wait_whole(struct wait *w, siginfo_t *info)
{
	int sig, type;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	for (;;) {
		sig = os_wait_signal(w->set | w->kept, info, time_left(w->until));
		if (sig == -EINTR && !others_handled(w))
			continue;
		if (sig > 0 && csprof_sample_sent(info))
			csprof_sample_defer(info);
		else if (sig > 0 && sig == csprof_process.sig &&
			 (is_request(info) || (!w->for_ours && (w->mask & bits().standin ||
								!csprof_signal_has_handler(sig)))))
			done_with(w, info);
		else
			break;
	}
	pthread_setcanceltype(type, NULL);
	return sig;
}

static bool is_time(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

int csprof_mask_wait(csprof_wait_function *real, const sigset_t *set, siginfo_t *info,
		     const struct timespec *timeout)
{
	struct wait w = {.until = end_of(timeout)};
	siginfo_t got;
	int sig;
	if (!csprof_self || !bits().ours || !set || (timeout && !is_time(timeout)))
		return real(set, info, timeout);
	memcpy(&w.set, set, sizeof w.set);
	pthread_testcancel();
	begin_wait(&w);
	sig = wait_whole(&w, &got);
	bool its = sig > 0 && w.set & bit_of(sig), again = sig > 0 && !its;
	bool ours = sig == csprof_process.sig;
	if (again && !ours)
		os_send_again(&got, os_tid());
	if (its && ours)
		open_again();
	end_wait(&w);
	if (again && ours)
		send_here(sig, &got);
	if (again && sig == SIGNAL_OF_CANCEL)
		pthread_testcancel(); /* libc's handler has recorded the cancellation */
	if (sig < 0 || again) {
		errno = again ? EINTR : -sig;
		return -1;
	}
	if (got.si_code == SI_TKILL) /* as libc does */
		got.si_code = SI_USER;
	if (info)
		*info = got;
	return sig;
}
