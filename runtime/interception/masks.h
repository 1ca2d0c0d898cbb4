/* The program's signal masks and waits that concern our signal.
 *
 * Our signal stays unblocked in the kernel, whatever the program blocks: else a program that
 * blocks all signals would not be sampled. Whether the program has blocked our signal is
 * recorded where the kernel itself passes it on (to new threads and images, into and out of
 * handlers, over siglongjmp and swapcontext): in the mask, as the bit of a stand-in, SIGSTKFLT,
 * which Linux never sends. Sets are translated on their way into the kernel and back on their
 * way out.
 *
 * If a signal with our number is the program's own and comes while the program blocks it, it is
 * sent again, and is then really blocked and pending: sigpending, sigwait and signalfd find it
 * as usual. Until it is taken or unblocked, that thread is not sampled ("held"); what its clock
 * advances is "signal taken". If the program reads our signal from a descriptor, its threads are
 * sampled by another one instead, SIGWINCH. A signal that comes in a call with a mask of its
 * own (sigsuspend, ppoll) is unblocked there.
 *
 * All functions except csprof_mask_wait are async-signal-safe. They act on the calling thread,
 * and only call the system if the process is not measured.
 *
 * A wait for signals that a sample interrupts is continued so that no signal of the program is
 * missed: a handler of the program that ran in between would have ended the wait. So all signals
 * for which the program has handlers, and ours, are blocked during the wait and waited for with
 * the others. One that comes is sent again; its handler runs, and the wait ends with EINTR. */
#ifndef RUNTIME_INTERCEPTION_MASKS_H
#define RUNTIME_INTERCEPTION_MASKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* As rt_sigprocmask, for the program. 0 or -errno. */
int csprof_mask_change(int how, const uint64_t *set, uint64_t *old);

/* Translate a set of the program for the kernel, for masks that the kernel gets from us and
 * keeps: a handler's, a new thread's. */
uint64_t csprof_mask_to_kernel(uint64_t set);
/* Translate a set of the kernel for the program. ours_only, standin_only: what csprof_mask_names
 * returned for the set that was translated. */
uint64_t csprof_mask_from_kernel(uint64_t set, bool ours_only, bool standin_only);
/* The bit of our signal; 0 if the process is not measured. */
uint64_t csprof_mask_ours(void);
/* The bits of our signal and of the stand-in. Code that blocks signals for a while leaves these
 * two unchanged: else our signal would be seen as blocked by the program. */
uint64_t csprof_mask_virtual(void);
/* Whether the set contains our signal exactly if ours, and the stand-in exactly if standin. */
bool csprof_mask_names(uint64_t set, bool ours, bool standin);

/* A thread begins, with the mask that it inherited; and its source has started: our signal may have
 * come meanwhile, from the program. */
void csprof_mask_adopt(void);
void csprof_mask_started(void);

/* The same for a thread that runs already, in the handler of our signal: the mask is the program's
 * own, unless it was adopted before. */
void csprof_mask_adopt_in(void *ucontext);

/* The pending signals, as rt_sigpending. */
uint64_t csprof_mask_pending(void);

/* As sigtimedwait; real is libc's. Our samples neither satisfy the wait nor end it early.
 * timeout may be NULL. */
typedef int csprof_wait_function(const sigset_t *, siginfo_t *, const struct timespec *);
int csprof_mask_wait(csprof_wait_function *real, const sigset_t *set, siginfo_t *info,
		     const struct timespec *timeout);

/* As signalfd4. Returns a descriptor or -errno. */
int csprof_mask_signalfd(int fd, uint64_t set, int flags);

/* Whether threads are sampled by sig: it is our signal, or the other one. */
bool csprof_mask_samples_by(int sig);
/* Send this thread such a signal, as raise does. If the kernel merges it with a pending sample, it
 * is sent again. 0 or -errno. */
int csprof_mask_raise(int sig);

/* Whether this thread is just sending itself a signal for the program. In a handler that comes
 * meanwhile, code of ours has no use for the thread's state. Async-signal-safe. */
bool csprof_mask_sending(void);

/* In a handler, when the thread's sources are quiet: drop the samples that are pending.
 * Async-signal-safe. */
void csprof_mask_drop_samples(void);

/* In the handler of our signal: the signal is the program's own. If the program blocks it, hold
 * it and return true. */
bool csprof_mask_hold(siginfo_t *info, void *ucontext);

/* In the handler of our signal, before the program's handler is called: set the mask that the
 * program's handler would have, with its sa_mask mask. */
void csprof_mask_for_handler(const void *ucontext, uint64_t mask, bool block_itself);

/* Set the program's mask for the next image, and restore the mask if exec failed. Also in a
 * vfork child, and around posix_spawn, which copies the caller's mask. */
uint64_t csprof_mask_before_exec(void);
void csprof_mask_after_exec(uint64_t before);

#endif
