/* The functions by which a program sets masks and actions and waits for signals. They do the
 * same as libc's, with sets and actions translated (masks.h, signals.h). Where libc's may be
 * called in a handler, these may be, too: they make the system call directly and look up no
 * symbol.
 *
 * sigsuspend, ppoll, pselect, epoll_pwait and epoll_pwait2 have no wrapper: what they block, our
 * signal included, is blocked while the thread waits and uses no CPU time. */
#include "runtime/interception/intercept.h"

#include "runtime/interception/masks.h"
#include "runtime/interception/signals.h"
#include "runtime/interception/stacks.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/signalfd.h>

/* Declared in no header, or only for some standards. */
sighandler_t bsd_signal(int sig, sighandler_t handler);
sighandler_t sysv_signal(int sig, sighandler_t handler);
int __sigpause(int sig_or_mask, int is_sig);
int __xpg_sigpause(int sig);
sighandler_t __sysv_signal(int sig, sighandler_t handler);
int bsd_sigpause(int mask) __asm__("sigpause"); /* <signal.h> gives this name to XPG's */

static int result(int r)
{
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

static uint64_t bit_of_signal(int sig)
{
	return 1ull << (sig - 1);
}

static bool is_signal(int sig)
{
	return sig > 0 && sig < NSIG;
}

static uint64_t kernel_set(const sigset_t *set)
{
	uint64_t word;
	memcpy(&word, set, sizeof word);
	return word;
}

/* ---- masks --------------------------------------------------------------------------- */

/* 32 and 33 are libc's own, for cancellation and setuid: no program blocks them. */
static const uint64_t libc_signals = 3ull << 31;

static int change(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t wanted = set ? kernel_set(set) & ~libc_signals : 0, before;
	int r = csprof_mask_change(how, set ? &wanted : NULL, old ? &before : NULL);
	if (r == 0 && old)
		memcpy(old, &before, sizeof before);
	return r;
}

CSPROF_WRAPPER int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return result(change(how, set, old));
}

CSPROF_WRAPPER int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return -change(how, set, old);
}

/* One signal, as sighold and sigrelse do. */
static int change_one(int how, int sig, uint64_t *old)
{
	if (!is_signal(sig))
		return -EINVAL;
	uint64_t set = bit_of_signal(sig) & ~libc_signals;
	return csprof_mask_change(how, &set, old);
}

CSPROF_WRAPPER int sighold(int sig)
{
	return result(change_one(SIG_BLOCK, sig, NULL));
}

CSPROF_WRAPPER int sigrelse(int sig)
{
	return result(change_one(SIG_UNBLOCK, sig, NULL));
}

/* BSD's masks contain signals 1 to 32. */
static int change_bsd(int how, int mask)
{
	uint64_t set = (uint32_t)mask & ~libc_signals, old = 0;
	int r = csprof_mask_change(how, &set, &old);
	return r < 0 ? result(r) : (int)(uint32_t)old;
}

CSPROF_WRAPPER int sigblock(int mask)
{
	return change_bsd(SIG_BLOCK, mask);
}

CSPROF_WRAPPER int sigsetmask(int mask)
{
	return change_bsd(SIG_SETMASK, mask);
}

CSPROF_WRAPPER int siggetmask(void)
{
	return change_bsd(SIG_BLOCK, 0);
}

/* ---- actions ---------------------------------------------------------------------------- */

CSPROF_WRAPPER int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	return result(csprof_signal_action(sig, act, old));
}

/* The signals for which siginterrupt requested that calls be interrupted; for signal(). */
static _Atomic(uint64_t) interrupting;

static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
	struct sigaction act, old;
	int r = -EINVAL;
	if (handler != SIG_ERR && is_signal(sig)) {
		memset(&act, 0, sizeof act);
		act.sa_handler = handler;
		act.sa_flags = flags;
		uint64_t own = flags & SA_NODEFER ? 0 : bit_of_signal(sig);
		memcpy(&act.sa_mask, &own, sizeof own);
		r = csprof_signal_action(sig, &act, &old);
	}
	if (r == 0)
		return old.sa_handler;
	errno = -r;
	return SIG_ERR;
}

CSPROF_WRAPPER sighandler_t signal(int sig, sighandler_t handler)
{
	bool cut = is_signal(sig) && atomic_load(&interrupting) & bit_of_signal(sig);
	return set_handler(sig, handler, cut ? 0 : SA_RESTART);
}

CSPROF_WRAPPER sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

CSPROF_WRAPPER sighandler_t ssignal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

CSPROF_WRAPPER sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

CSPROF_WRAPPER sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return __sysv_signal(sig, handler);
}

CSPROF_WRAPPER int siginterrupt(int sig, int flag)
{
	struct sigaction act;
	int r = csprof_signal_action(sig, NULL, &act);
	if (r < 0)
		return result(r);
	if (flag) {
		atomic_fetch_or(&interrupting, bit_of_signal(sig));
		act.sa_flags &= ~SA_RESTART;
	} else {
		atomic_fetch_and(&interrupting, ~bit_of_signal(sig));
		act.sa_flags |= SA_RESTART;
	}
	return result(csprof_signal_action(sig, &act, NULL));
}

CSPROF_WRAPPER int sigignore(int sig)
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_handler = SIG_IGN;
	return result(csprof_signal_action(sig, &act, NULL));
}

/* SIG_HOLD blocks the signal and leaves its action; anything else unblocks it. */
CSPROF_WRAPPER sighandler_t sigset(int sig, sighandler_t handler)
{
	struct sigaction act, old;
	uint64_t before;
	bool hold = handler == SIG_HOLD;
	int r = -EINVAL;
	memset(&act, 0, sizeof act);
	act.sa_handler = handler;
	if (handler != SIG_ERR && is_signal(sig))
		r = csprof_signal_action(sig, hold ? NULL : &act, &old);
	if (r == 0)
		r = change_one(hold ? SIG_BLOCK : SIG_UNBLOCK, sig, &before);
	if (r == 0)
		return before & bit_of_signal(sig) ? SIG_HOLD : old.sa_handler;
	errno = -r;
	return SIG_ERR;
}

/* ---- sending ---------------------------------------------------------------------------- */

/* Raises the signals of our samples. libc's function, which is looked up before a handler may need
 * it, raises all others. */
CSPROF_WRAPPER int raise(int sig)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "raise");
	if (csprof_mask_samples_by(sig))
		return result(csprof_mask_raise(sig));
	return ((int (*)(int))atomic_load(&real))(sig);
}

CSPROF_WRAPPER int sigaltstack(const stack_t *stack, stack_t *old)
{
	return result(csprof_stacks_alternate(stack, old));
}

/* ---- waiting --------------------------------------------------------------------------- */

CSPROF_WRAPPER int sigpending(sigset_t *set)
{
	uint64_t pending = csprof_mask_pending();
	memset(set, 0, sizeof *set);
	memcpy(set, &pending, sizeof pending);
	return 0;
}

CSPROF_WRAPPER int sigtimedwait(const sigset_t *set, siginfo_t *info,
				const struct timespec *timeout)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "sigtimedwait");
	return csprof_mask_wait((csprof_wait_function *)atomic_load(&real), set, info, timeout);
}

CSPROF_WRAPPER int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return sigtimedwait(set, info, NULL);
}

/* POSIX has no EINTR for sigwait. */
CSPROF_WRAPPER int sigwait(const sigset_t *set, int *sig)
{
	int r;
	do
		r = sigtimedwait(set, NULL, NULL);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return errno;
	*sig = r;
	return 0;
}

CSPROF_WRAPPER int signalfd(int fd, const sigset_t *set, int flags)
{
	return result(csprof_mask_signalfd(fd, kernel_set(set), flags));
}

/* sigsuspend has no wrapper: the kernel uses the mask unchanged. */
static int pause_with(uint64_t mask)
{
	sigset_t set = {0};
	memcpy(&set, &mask, sizeof mask);
	return sigsuspend(&set);
}

static void release(void *mask)
{
	os_release_signals(*(const uint64_t *)mask);
}

/* A pause that a sample ends is made again. A signal that came between our handler and that call
 * would be handled, and not end it. So signals are held, and sigsuspend lets them in and waits in
 * one step, all but our own. They are released if the thread is cancelled meanwhile, too. */
CSPROF_WRAPPER int pause(void)
{
	uint64_t mask = os_hold_signals(csprof_mask_virtual());
	int r;
	pthread_cleanup_push(release, &mask);
	r = pause_with(mask);
	pthread_cleanup_pop(1);
	return r;
}

CSPROF_WRAPPER int __xpg_sigpause(int sig)
{
	uint64_t mask = 0;
	if (!is_signal(sig))
		return result(-EINVAL);
	csprof_mask_change(SIG_BLOCK, NULL, &mask);
	return pause_with(mask & ~bit_of_signal(sig));
}

CSPROF_WRAPPER int __sigpause(int sig_or_mask, int is_sig)
{
	return is_sig ? __xpg_sigpause(sig_or_mask) : pause_with((uint32_t)sig_or_mask);
}

CSPROF_WRAPPER int bsd_sigpause(int mask)
{
	return __sigpause(mask, 0);
}
