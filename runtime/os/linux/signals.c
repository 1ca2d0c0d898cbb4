/* The program's signals, for the OS contract on Linux: masks, waiting, and sending signals
 * again. Direct system calls, because libc's functions are wrapped. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <ucontext.h>

int os_mask(int how, const uint64_t *set, uint64_t *old)
{
	return (int)CALL(SYS_rt_sigprocmask, how, set, old, sizeof *set);
}

uint64_t os_pending(void)
{
	uint64_t set = 0;
	CALL(SYS_rt_sigpending, &set, sizeof set);
	return set;
}

int os_take_signal(uint64_t set, siginfo_t *info)
{
	struct timespec none = {0, 0};
	return (int)CALL(SYS_rt_sigtimedwait, &set, info, &none, sizeof set);
}

int os_wait_signal(uint64_t set, siginfo_t *info, uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	return (int)CALL(SYS_rt_sigtimedwait, &set, info, ns == UINT64_MAX ? NULL : &t, sizeof set);
}

int os_send_again(siginfo_t *info, uint32_t tid)
{
	if (tid)
		return (int)CALL(SYS_rt_tgsigqueueinfo, os_pid(), tid, info->si_signo, info);
	long r = CALL(SYS_rt_sigqueueinfo, os_pid(), info->si_signo, info);
	/* only the main thread may send a signal again as from kill; another sender is better
	 * than a loss */
	return (int)(r == -EPERM ? CALL(SYS_kill, os_pid(), info->si_signo) : r);
}

int os_queue_signal(uint32_t tid, int sig, uint64_t value)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};
	info.si_pid = (pid_t)os_pid();
	info.si_uid = os_user();
	info.si_value.sival_ptr = (void *)(uintptr_t)value;
	return (int)CALL(SYS_rt_tgsigqueueinfo, os_pid(), tid, sig, &info);
}

int os_raise(int sig)
{
	return (int)CALL(SYS_tgkill, os_pid(), os_tid(), sig);
}

int os_signalfd(int fd, uint64_t set, int flags)
{
	return (int)CALL(SYS_signalfd4, fd, &set, sizeof set, flags);
}

int os_alternate_stack(const stack_t *stack, stack_t *old)
{
	return (int)CALL(SYS_sigaltstack, stack, old);
}

bool os_is_small_stack(const stack_t *stack)
{
	/* the kernel's largest frame for each of two signals (2048 if the kernel does not report
	 * it: before Linux 5.14), and what two handlers may need */
	enum { TWO_HANDLERS = 8192, CLASSIC_FRAME = 2048 };
	size_t frame = getauxval(AT_MINSIGSTKSZ);
	if (frame == 0)
		frame = CLASSIC_FRAME;
	return !(stack->ss_flags & SS_DISABLE) && stack->ss_size < 2 * frame + TWO_HANDLERS;
}

size_t os_stack_room(const void *context)
{
	const stack_t *s = &((const ucontext_t *)context)->uc_stack;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = (uintptr_t)s->ss_sp;
	return here - low < s->ss_size ? here - low : SIZE_MAX;
}

int os_sigaction_returning(int sig, const struct sigaction *act, struct sigaction *old,
			   void (*restorer)(void))
{
	/* struct kernel_sigaction and the flag: the kernel's asm/signal.h */
	enum { RESTORER = 0x04000000, CANCEL = 32, SET_IDS = 33 };
	struct action {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} wanted, before;
	if (!restorer)
		return os_sigaction(sig, act, old);
	if (sig == CANCEL || sig == SET_IDS) /* libc's own */
		return -EINVAL;
	if (act) {
		wanted = (struct action){act->sa_handler, (unsigned)act->sa_flags | RESTORER,
					 restorer, 0};
		memcpy(&wanted.mask, &act->sa_mask, sizeof wanted.mask);
	}
	int r = (int)CALL(SYS_rt_sigaction, sig, act ? &wanted : NULL, &before, sizeof before.mask);
	if (r == 0 && old) {
		old->sa_handler = before.handler;
		old->sa_flags = (int)before.flags;
		old->sa_restorer = before.restorer;
		memcpy(&old->sa_mask, &before.mask, sizeof before.mask);
	}
	return r;
}

uint64_t os_context_mask(const void *context)
{
	uint64_t mask;
	memcpy(&mask, &((const ucontext_t *)context)->uc_sigmask, sizeof mask);
	return mask;
}

void os_set_context_mask(void *context, uint64_t mask)
{
	memcpy(&((ucontext_t *)context)->uc_sigmask, &mask, sizeof mask);
}
