/* System calls that a program makes with libc's syscall(). Those that start or end something do
 * what the wrappers of the corresponding functions do. All others go to the kernel unchanged. */
#include "runtime/interception/intercept.h"

#include "runtime/cpu/cpu.h"
#include "runtime/interception/signals.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/process.h"
#include "runtime/process/thread.h"
#include "runtime/sandboxes/seccomp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARGUMENTS = 6 };

/* The result as syscall() returns it. */
static long result(long r)
{
	enum { LARGEST_ERRNO = 4095 };
	if (r >= 0 || r < -LARGEST_ERRNO)
		return r;
	errno = (int)-r;
	return -1;
}

/* Whether the call makes a process with a copy of our memory. */
static bool makes_copy(long number, const long *a)
{
	switch (number) {
#ifdef SYS_fork
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return !(a[0] & CLONE_VM);
	case SYS_clone3:
		return a[0] && !(((const struct clone_args *)a[0])->flags & CLONE_VM);
	}
	return false;
}

static long copy(long number, const long *a)
{
	if (!csprof_fork_detect_before())
		return csprof_cpu_call(number, a);
	long pid = csprof_cpu_call(number, a);
	if (pid == 0)
		csprof_fork_detect_in_child();
	else
		csprof_fork_detect_in_parent();
	return pid;
}

/* The call without samples in between. */
static long held(long number, const long *a)
{
	uint64_t mask = csprof_signal_hold();
	long r = csprof_cpu_call(number, a);
	csprof_signal_release(mask);
	return r;
}

CSPROF_WRAPPER long syscall(long number, ...)
{
	long a[ARGUMENTS];
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < ARGUMENTS; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	csprof_fork_detect_adopt();
	switch (number) {
	case SYS_exit_group:
		csprof_finish_exit((int)a[0], false);
		break;
	case SYS_exit: /* does not run the thread's destructors */
		csprof_thread_end();
		break;
	case SYS_execve:
		return execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
	case SYS_execveat:
		return execveat((int)a[0], (const char *)a[1], (char *const *)a[2],
				(char *const *)a[3], (int)a[4]);
	case SYS_prctl:
		return prctl((int)a[0], a[1], a[2], a[3], a[4]);
	case SYS_close_range:
		return close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
	case SYS_seccomp:
		return result(csprof_seccomp_call((unsigned)a[0], (unsigned)a[1],
						  (const struct sock_fprog *)a[2]));
	case SYS_setuid:
		csprof_process_before_user((uint32_t)a[0]);
		break;
	case SYS_setreuid:
	case SYS_setresuid:
		csprof_process_before_user((uint32_t)a[1]);
		break;
	case SYS_bpf: /* checking a program takes long, and begins again after a signal */
		if (a[0] == BPF_PROG_LOAD)
			return result(held(number, a));
		break;
	default:
		if (makes_copy(number, a))
			return result(copy(number, a));
	}
	return result(csprof_cpu_call(number, a));
}
