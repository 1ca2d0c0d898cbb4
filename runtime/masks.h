/* The program's signal masks and waits, with our signal among them.
 *
 * Our signal stays open in the kernel, whatever the program blocks: else a program that
 * blocks all signals would not be sampled. What the program believes is kept where the
 * kernel itself hands it on (to new threads and images, into and out of handlers, over
 * siglongjmp and swapcontext): in the mask, as the bit of a stand-in, SIGSTKFLT, which
 * Linux never sends. Sets are translated on their way in and back on their way out.
 *
 * A signal with our number that is the program's own and comes while the program blocks
 * it is put back where it was, and is then truly blocked and pending: sigpending, sigwait
 * and signalfd find it as ever. Until it is taken or unblocked that thread is not sampled
 * ("held"); what its clock advances is in its next sample's weight.
 * What comes in a call that has a mask of its own (sigsuspend, ppoll) is open there.
 *
 * All functions are async-signal-safe but csprof_mask_wait; they act on the calling
 * thread, and do nothing of their own where the process is not measured.
 *
 * A wait for signals that a sample cuts short goes on so that nothing of the program's is
 * missed: a handler of its own that runs in between would have ended the wait. So all signals
 * that it has handlers for are kept away meanwhile, ours as well, and waited for with the
 * others. One that comes is sent again; its handler runs, and the wait ends with EINTR. */
#ifndef RUNTIME_MASKS_H
#define RUNTIME_MASKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* As rt_sigprocmask, for the program. 0 or -errno. */
int csprof_mask_change(int how, const uint64_t *set, uint64_t *old);

/* The set that the kernel is to have for one that the program means, for masks that it
 * takes from us and keeps: a handler's, a new thread's. */
uint64_t csprof_mask_to_kernel(uint64_t set);
/* What the program sees for one that the kernel has; ours_only, standin_only: as
 * csprof_mask_names told of the set that was translated. */
uint64_t csprof_mask_from_kernel(uint64_t set, bool ours_only, bool standin_only);
/* Our signal's bit; 0 where the process is not measured. */
uint64_t csprof_mask_ours(void);
/* Both that and the stand-in's. Who keeps signals away for a while leaves these two as they
 * are: else our signal would be seen as blocked by the program. */
uint64_t csprof_mask_virtual(void);
/* Is it just so that the set names our signal (or not), and the stand-in (or not)? */
bool csprof_mask_names(uint64_t set, bool ours, bool standin);

/* A thread begins, with the mask that it inherited. */
void csprof_mask_adopt(void);

/* What is pending, as rt_sigpending. */
uint64_t csprof_mask_pending(void);

/* As sigtimedwait, with real being libc's: our samples neither satisfy it nor end it
 * early. timeout may be NULL. */
typedef int csprof_wait_function(const sigset_t *, siginfo_t *, const struct timespec *);
int csprof_mask_wait(csprof_wait_function *real, const sigset_t *set, siginfo_t *info,
		     const struct timespec *timeout);

/* As signalfd4. A descriptor or -errno. */
int csprof_mask_signalfd(int fd, uint64_t set, int flags);

/* Send this thread our signal, as raise does. Where the kernel takes it for the sample that
 * is pending at the same instant it is sent again. 0 or -errno. */
int csprof_mask_raise(void);

/* In the handler of our signal: it is the program's own. If the program blocks it, hold
 * it and return true. */
bool csprof_mask_hold(siginfo_t *info, void *ucontext);

/* In the handler of our signal, when the program's handler is about to be called: give
 * it the mask that it would have, of a handler with sa_mask mask. */
void csprof_mask_for_handler(const void *ucontext, uint64_t mask, bool block_itself);

/* The mask for the next image is the program's; and that of before, if exec failed. Also
 * in a vfork child, and around posix_spawn, which copies the caller's mask. */
uint64_t csprof_mask_before_exec(void);
void csprof_mask_after_exec(uint64_t before);

#endif
