/* Programs that restrict their own system calls:
 *
 *     confined CASE
 *
 * Each case prints what it saw, the same with and without measurement, and uses about 0.3 s of CPU
 * time, part of it after the restriction. Cases in which no sample can be taken after that write to
 * the file `mark` how many microseconds of CPU time they had used before. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

/* Write the CPU time used so far, for the test. */
static void mark(void)
{
	int fd = open("mark", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dprintf(fd, "%.0f\n", cpu() * 1e6);
	close(fd);
}

/* About 0.1 s without a system call. */
static void spin(void)
{
	for (int i = 0; i < 300000000; i++)
		sink += (unsigned)i;
}

static int strict(void)
{
	burn(0.2);
	say("before", 1);
	mark();
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	spin();
	if (write(1, "within\n", 7) == 7)
		syscall(SYS_exit, 7);
	return 1;
}

/* Install a filter with the result verdict for the calls of a list, and other for all others. */
static int filter(const int *calls, unsigned n, unsigned verdict, unsigned other, int by_syscall)
{
	struct sock_filter code[64] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.filter = code};
	unsigned at = 1;

	for (unsigned i = 0; i < n; i++, at++)
		code[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							(unsigned)calls[i], n - i, 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	program.len = (unsigned short)at;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return by_syscall ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					 SECCOMP_FILTER_FLAG_TSYNC, &program)
			  : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#define FILTER(calls, verdict, other, by_syscall)                                                  \
	filter(calls, sizeof(calls) / sizeof *(calls), verdict, other, by_syscall)

/* Almost no call is allowed. */
static int confined(void)
{
	static const int few[] = {SYS_write, SYS_exit_group, SYS_clock_gettime};

	say("before", 1);
	burn(0.1);
	mark();
	say("filter", FILTER(few, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, 0));
	burn(0.2);
	say("within", 1);
	return 0;
}

/* The calls of a handler are allowed, but not those at the end. */
static int no_files(void)
{
	static const int files[] = {SYS_renameat2, SYS_unlinkat, SYS_linkat};

	burn(0.1);
	say("filter", FILTER(files, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 1));
	burn(0.2);
	in_thread(say_mask_in_thread, "in a thread");
	return 3;
}

/* All forbidden calls fail with an errno. */
static int refused(void)
{
	static const int files[] = {SYS_openat, SYS_renameat2, SYS_unlinkat, SYS_linkat,
				    SYS_perf_event_open};

	burn(0.1);
	say("filter", FILTER(files, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, 0));
	burn(0.2);
	in_thread(say_mask_in_thread, "in a thread");
	return 4;
}

/* Only calls that the handler needs are forbidden, with a trap. */
static int no_samples(void)
{
	static const int ours[] = {SYS_ioctl, SYS_timer_settime, SYS_getrusage};

	burn(0.1);
	say("filter", FILTER(ours, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW, 0));
	burn(0.2);
	return 5;
}

/* The calls that make another source of samples are not allowed. The thread blocks again and again
 * before the filter, and computes after it. */
static int no_limits(void)
{
	static const int limits[] = {SYS_prlimit64};
	const struct timespec moment = {0, 1000};

	for (double end = cpu() + 0.1; cpu() < end;)
		nanosleep(&moment, NULL);
	say("filter", FILTER(limits, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0));
	burn(0.3);
	return 6;
}

/* The process's CPU clock, which is read at the end, has this verdict. */
static int no_process_clock(unsigned verdict)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_PROCESS_CPUTIME_ID, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, verdict),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof code / sizeof *code, code};

	for (int i = 0; i < 3; i++)
		spin();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	say("filter", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	for (int i = 0; i < 3; i++)
		spin();
	return 0;
}

static int clock_refused(void)
{
	return no_process_clock(SECCOMP_RET_ERRNO | EPERM);
}

static int clock_killed(void)
{
	return no_process_clock(SECCOMP_RET_KILL_PROCESS);
}

/* Filters that the kernel does not accept. */
static int no_filter(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_A, 0), {0xffff, 0, 0, 0}};
	struct sock_fprog bad = {2, code}, none = {0, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	burn(0.1);
	say("bad", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &bad));
	say("why", errno);
	burn(0.1);
	say("none", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none));
	say("nowhere", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
	say("why", errno);
	say("asked", prctl(PR_GET_SECCOMP));
	burn(0.1);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct a_case cases[] = {
	    {"strict", strict},
	    {"confined", confined},
	    {"no_files", no_files},
	    {"refused", refused},
	    {"no_samples", no_samples},
	    {"no_filter", no_filter},
	    {"no_limits", no_limits},
	    {"clock_refused", clock_refused},
	    {"clock_killed", clock_killed},
	};

	return run_case(cases, sizeof cases / sizeof *cases, argc > 1 ? argv[1] : NULL);
}
