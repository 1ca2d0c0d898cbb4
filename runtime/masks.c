#include "runtime/masks.h"

#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/seccomp.h"
#include "runtime/signals.h"
#include "runtime/state.h"

#include <errno.h>
#include <string.h>

/* Both 0 where the process is not measured. */
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

/* Where the program treats the two signals differently, what it believes of the stand-in.
 * Nobody sends that one; this is for programs that compare masks. */
static __thread bool ours_only, standin_only;

static atomic_bool no_standin; /* ours_only of who blocked ours last: a new thread inherits it */

static __thread bool held; /* ours is truly blocked, and was pending */

/* Signals of ours that were the program's own, and those that its handler was called for. */
static __thread unsigned num_own, num_handled;

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
	if (!state || !state->source.driver || atomic_load(&state->rest) != CSP_SIGNAL_TAKEN)
		return;
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
	ours_only = mask & b.standin && atomic_load(&no_standin);
	if (!(mask & b.ours))
		return;
	ours_only = !(mask & b.standin);
	mask = csprof_mask_to_kernel(mask);
	os_mask(SIG_SETMASK, &mask, NULL);
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

/* ---- signals of the program's own that it blocks ----------------------------------- */

static _Atomic(uint32_t) waiter; /* a thread that is in sigwait or the like for ours */

/* signalfds that the program reads ours from. It is taken out of their sets, lest they
 * show our samples, until one comes that is the program's. */
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

/* Whether fd is or will be in the table. */
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
	bool hide = set & b.ours && !atomic_load(&fds_open);
	int r = os_signalfd(fd, hide ? set & ~b.ours : set, flags);
	/* also if they were opened before this one was noted */
	if (r >= 0 && b.ours && (!note_fd(r, hide ? set : 0) || (hide && atomic_load(&fds_open))))
		os_signalfd(r, set, 0);
	return r;
}

/* si_code tells kill and the like from what was sent to one thread. */
static bool to_one_thread(const siginfo_t *info)
{
	return info->si_code == SI_TKILL;
}

/* Take what is pending of our signal, with its sampling stopped: samples are dropped,
 * the program's own are sent again. Whether there was one. */
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

/* From here on ours may be truly blocked: what is pending must be the program's. */
static void stop_sampling(void)
{
	csprof_state_t *state = csprof_self;
	held = true;
	if (!state || !state->source.driver || atomic_load(&state->rest) != CSP_TAIL)
		return;
	atomic_store(&state->rest, CSP_SIGNAL_TAKEN);
	state->source.driver->quiet(&state->source);
}

bool csprof_mask_hold(siginfo_t *info, void *ucontext)
{
	struct bits b = bits();
	uint64_t mask = os_context_mask(ucontext);
	if (info->si_signo != csprof_process.sig)
		return false;
	num_own++;
	if (!(mask & b.standin)) {
		if (held)
			let_go();
		return false;
	}
	bool one_thread = to_one_thread(info);
	uint32_t self = os_tid(), other = atomic_load(&waiter);
	if (!one_thread && other && other != self && os_send_again(info, other) == 0)
		return true;
	if (in_this_process()) {
		stop_sampling();
		send_pending_again(b.ours);
		open_fds();
	}
	os_set_context_mask(ucontext, mask | b.ours);
	os_send_again(info, one_thread ? self : 0);
	return true;
}

/* Send this thread our signal: again as info says, or as raise does (NULL). The kernel takes
 * it for a sample that is pending; no handler of ours has seen it then. */
static int send_here(siginfo_t *info)
{
	enum { MOST = 8 };
	volatile const unsigned *own = &num_own; /* the handler changes it */
	uint64_t mask = 0;
	unsigned before;
	int r, times = 0;
	/* blocked, it waits, and no sample is pending */
	bool comes = csprof_self && in_this_process() && os_mask(SIG_BLOCK, NULL, &mask) == 0 &&
		     !(mask & bits().ours);
	do {
		before = *own;
		r = info ? os_send_again(info, os_tid()) : os_raise(csprof_process.sig);
	} while (r == 0 && comes && *own == before && ++times < MOST);
	return r;
}

int csprof_mask_raise(void)
{
	return send_here(NULL);
}

void csprof_mask_for_handler(const void *ucontext, uint64_t mask, bool block_itself)
{
	struct bits b = bits();
	num_handled++;
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
	stop_sampling();
	bool own = send_pending_again(b.ours);
	if (!own)
		let_go();
	return own ? pending : pending & ~b.ours;
}

/* ---- waiting ------------------------------------------------------------------------ */

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* One wait, in which a signal of the program's that is sent to the process finds this
 * thread if it waits for ours. */
static int wait_once(csprof_wait_function *real, const sigset_t *set, siginfo_t *info,
		     const struct timespec *timeout, bool for_ours)
{
	uint32_t self = csprof_self->tid;
	if (for_ours)
		atomic_store(&waiter, self);
	int r = real(set, info, timeout);
	if (for_ours)
		atomic_compare_exchange_strong(&waiter, &self, 0);
	return r;
}

/* The program has taken one: ours need not be truly blocked any more, if it was the last. */
static void open_again(void)
{
	uint64_t ours = bits().ours;
	if (!held || os_pending() & ours)
		return;
	let_go();
	os_mask(SIG_UNBLOCK, &ours, NULL);
}

/* Our signal is in every set, so that a sample which comes meanwhile is taken out and
 * thrown away here, rather than end the wait by its handler. From then on it is truly
 * blocked: else the program's handler could run between two parts of the wait, which would
 * not end by it. */
int csprof_mask_wait(csprof_wait_function *real, const sigset_t *set, siginfo_t *info,
		     const struct timespec *timeout)
{
	int sig = csprof_process.sig, r;
	if (!csprof_self || sig <= 0 || !set)
		return real(set, info, timeout);
	bool wanted = sigismember(set, sig) == 1, shut = false;
	sigset_t wide = *set;
	siginfo_t got;
	sigaddset(&wide, sig);
	volatile const unsigned *handled = &num_handled; /* changes in the handler */
	unsigned before = *handled;
	uint64_t mask = 0, ours_bit = bits().ours;
	struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
	uint64_t until = timeout ? os_clock_mono() + nanoseconds(timeout) : 0;
	for (;;) {
		r = wait_once(real, &wide, &got, timeout ? &left : NULL, wanted);
		bool ours = r == sig, sample = ours && csprof_sample_sent(&got);
		if (r > 0 && info && !sample && (!ours || wanted))
			*info = got;
		if (!ours)
			break;
		if (!sample && wanted) {
			open_again();
			break;
		}
		if (sample) {
			csprof_sample_put_off();
			if (!shut && os_mask(SIG_BLOCK, &ours_bit, &mask) == 0)
				shut = !(mask & ours_bit);
		} else {
			if (shut)
				os_mask(SIG_UNBLOCK, &ours_bit, NULL);
			shut = false;
			send_here(&got);
		}
		if (*handled != before) {
			errno = EINTR;
			r = -1;
			break;
		}
		uint64_t now = os_clock_mono(), rest = until > now ? until - now : 0;
		left.tv_sec = (time_t)(rest / 1000000000u);
		left.tv_nsec = (long)(rest % 1000000000u);
	}
	int saved = errno;
	if (shut)
		os_mask(SIG_UNBLOCK, &ours_bit, NULL);
	errno = saved;
	return r;
}
