/* Each way to start, fork, exec and end a process or a thread.
 *
 *     follow MILLISECONDS REPORT WAY
 *
 * Every process and thread uses MILLISECONDS of CPU time. A process that waits for another one
 * appends a line to REPORT: its own pid, the other's (0: unknown), and the microseconds of CPU time
 * that the other used, from wait4. Ways exit with 0 unless their names mean another end; if
 * something else failed, the status is 90 or more. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "follow_threads.h"

static char number[16]; /* MILLISECONDS as text, for other images */
static char *report;

/* ---- waiting ------------------------------------------------------------------------ */

static void tell(pid_t pid, const struct rusage *u)
{
	int out = open(report, O_WRONLY | O_CREAT | O_APPEND, 0600);

	check(out >= 0, WENT_WRONG);
	dprintf(out, "%ld %d %ld\n", syscall(SYS_getpid), (int)pid,
		(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 + u->ru_utime.tv_usec +
		    u->ru_stime.tv_usec);
	close(out);
}

static void wait_for(pid_t pid)
{
	struct rusage u;
	int status = -1;

	check(pid > 0 && wait4(pid, &status, __WALL, &u) == pid, WENT_WRONG + 1);
	tell(pid, &u);
	check(status == 0, WENT_WRONG + 2);
}

/* Report the children for which libc has waited. */
static void tell_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	tell(0, &u);
}

/* ---- another image ------------------------------------------------------------------ */

static char self[] = "/proc/self/exe";
static char *again[] = {"follow", number, NULL, "plain", NULL};
static char *nothing[] = {NULL};

static int command(char *out, size_t size)
{
	char path[1024];
	ssize_t n = readlink(self, path, sizeof path - 1);

	check(n > 0, WENT_WRONG + 3);
	return snprintf(out, size, "exec '%.*s' %s '%s' plain", (int)n, path, number, report);
}

static void do_exec(void)
{
	execv(self, again);
}

static void do_execve_empty(void)
{
	execve(self, again, nothing);
}

static void do_execve_null(void)
{
	execve(self, again, NULL);
}

static void do_execl(void)
{
	execl(self, "follow", number, report, "plain", (char *)NULL);
}

static void do_fexecve(void)
{
	fexecve(open(self, O_RDONLY | O_CLOEXEC), again, nothing);
}

static void do_execveat_call(void)
{
	syscall(SYS_execveat, AT_FDCWD, self, again, nothing, 0);
}

/* The new image has a library that the program requested, in addition to ours. */
static void do_exec_preload(void)
{
	char *wanted[] = {"LD_PRELOAD=libutil.so.1", NULL};
	char *look[] = {"sh", "-c",
			"while read -r line; do case $line in *libutil.so.1*) exit 0; esac; done "
			"</proc/$$/maps; exit 95",
			NULL};

	execve("/bin/sh", look, wanted);
}

static void do_bad_exec(void)
{
	check(execvp("there-is-no-such-program", again) < 0 && (errno == ENOENT || errno == EACCES),
	      WENT_WRONG + 5);
	burn();
}

/* ---- forks ---------------------------------------------------------------------------- */

static void burn_and_leave(pid_t pid)
{
	if (pid == 0) {
		burn();
		_exit(0);
	}
	wait_for(pid);
}

static void do_fork(void)
{
	burn_and_leave(fork());
}

static void do_fork_in_bad_exec(void)
{
	within_bad_execs(do_fork);
}

static void do_Fork(void)
{
	burn_and_leave(_Fork());
}

static void do_clone_call(void)
{
	burn_and_leave((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
}

static void do_clone3_call(void)
{
	struct clone_args args = {.exit_signal = SIGCHLD};

	burn_and_leave((pid_t)syscall(SYS_clone3, &args, sizeof args));
}

static int in_clone(void *arg)
{
	(void)arg;
	burn();
	return 0;
}

static void do_clone(void)
{
	static char stack[256 * 1024];

	wait_for(clone(in_clone, stack + sizeof stack, SIGCHLD, NULL));
}

/* No wrapper sees this fork; the child is detected at its system call, between two burns. */
static void do_clone_inline(void)
{
	long pid;

	__asm__ volatile("syscall" : "=a"(pid) : "0"(SYS_fork) : "rcx", "r11", "memory");
	if (pid == 0) {
		burn();
		check(syscall(SYS_getppid) > 0, WENT_WRONG + 6);
	}
	burn_and_leave((pid_t)pid);
}

static void do_fork_exec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		burn();
		do_exec();
	}
	wait_for(pid);
}

static void do_vfork_exec(void)
{
	pid_t pid = vfork(); /* NOLINT: vfork is tested here */

	if (pid == 0) {
		execve("/there/is/none", again, environ);
		execve(self, again, nothing);
		_exit(WENT_WRONG + 7);
	}
	wait_for(pid);
	pid = vfork(); /* NOLINT: vfork is tested here */
	if (pid == 0)
		_exit(0);
	wait_for(pid);
	burn();
}

static void do_spawn(void)
{
	pid_t pid;

	check(posix_spawn(&pid, self, NULL, NULL, again, environ) == 0, WENT_WRONG + 8);
	wait_for(pid);
}

static void do_spawnp_empty(void)
{
	pid_t pid;

	check(posix_spawnp(&pid, self, NULL, NULL, again, nothing) == 0, WENT_WRONG + 8);
	wait_for(pid);
}

static void do_system(void)
{
	char line[2048];

	command(line, sizeof line);
	check(system(line) == 0, WENT_WRONG + 9);
	tell_children();
}

static void do_system_empty(void)
{
	clearenv();
	do_system();
	check(!environ || !*environ, WENT_WRONG + 10);
}

static void *in_system_thread(void *line)
{
	for (int i = 0; i < 3; i++)
		check(system(line) == 0 && !getenv("PATH"), WENT_WRONG + 9);
	return NULL;
}

static void do_system_threads(void)
{
	pthread_t t[THREADS];
	char line[2048];

	clearenv();
	command(line, sizeof line);
	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&t[i], NULL, in_system_thread, line) == 0, WENT_WRONG + 12);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	tell_children();
	check(!environ || !*environ, WENT_WRONG + 10);
}

static void do_popen(void)
{
	char line[2048];

	command(line, sizeof line);
	FILE *f = popen(line, "r");
	check(f && fgetc(f) == EOF && pclose(f) == 0, WENT_WRONG + 9);
	tell_children();
}

static void do_daemon(void)
{
	check(daemon(1, 1) == 0, WENT_WRONG + 11);
	burn();
}

/* ---- ends ------------------------------------------------------------------------------- */

static void do_exit(void)
{
	exit(0);
}

static void do__exit(void)
{
	_exit(0);
}

static void do__Exit(void)
{
	_Exit(0);
}

static void do_quick_exit(void)
{
	quick_exit(0);
}

static void do_exit_group_call(void)
{
	syscall(SYS_exit_group, 0);
}

static void do_exit_group_inline(void)
{
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
}

static void do_exit_call(void)
{
	syscall(SYS_exit, 0);
}

static void do_segv(void)
{
	static volatile uintptr_t nowhere = 8;

	*(volatile int *)nowhere = 1;
}

static void do_term(void)
{
	raise(SIGTERM);
}

static void do_kill(void)
{
	raise(SIGKILL);
}

static void do_plain(void)
{
}

static const struct {
	const char *name;
	void (*function)(void);
} ways[] = {
    {"plain", do_plain},
    {"exec", do_exec},
    {"execve-empty", do_execve_empty},
    {"execve-null", do_execve_null},
    {"execl", do_execl},
    {"fexecve", do_fexecve},
    {"execveat-call", do_execveat_call},
    {"exec-preload", do_exec_preload},
    {"bad-exec", do_bad_exec},
    {"fork", do_fork},
    {"fork-in-bad-exec", do_fork_in_bad_exec},
    {"_Fork", do_Fork},
    {"clone", do_clone},
    {"clone-call", do_clone_call},
    {"clone3-call", do_clone3_call},
    {"clone-inline", do_clone_inline},
    {"fork-exec", do_fork_exec},
    {"vfork-exec", do_vfork_exec},
    {"spawn", do_spawn},
    {"spawnp-empty", do_spawnp_empty},
    {"system", do_system},
    {"system-empty", do_system_empty},
    {"system-threads", do_system_threads},
    {"popen", do_popen},
    {"daemon", do_daemon},
    {"threads", do_threads},
    {"bad-exec-threads", do_bad_exec_threads},
    {"threads-in-bad-exec", do_threads_in_bad_exec},
    {"thread-exit", do_thread_exit},
    {"cancel", do_cancel},
    {"main-thread-exit", do_main_thread_exit},
    {"detached", do_detached},
    {"c11", do_c11},
    {"timer-threads", do_timer_threads},
    {"queue-threads", do_queue_threads},
    {"exit", do_exit},
    {"_exit", do__exit},
    {"_Exit", do__Exit},
    {"quick_exit", do_quick_exit},
    {"abort", abort},
    {"exit_group-call", do_exit_group_call},
    {"exit_group-inline", do_exit_group_inline},
    {"exit-call", do_exit_call},
    {"segv", do_segv},
    {"term", do_term},
    {"kill", do_kill},
};

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	ms = atoi(argv[1]);
	snprintf(number, sizeof number, "%d", ms);
	again[2] = report = argv[2];
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(argv[3], ways[i].name) == 0) {
			burn();
			ways[i].function();
			return 0;
		}
	return 2;
}
