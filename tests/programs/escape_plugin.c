/* To be preloaded: tries what a program in a sandbox should not be able to do, when the program
 * ends, and prints to standard error what came of it: "ESCAPE exec EPERM". ESCAPE_DIR is a
 * directory with a file "there". With ESCAPE_WITHOUT, the kernel has no Landlock ("landlock") or no
 * filters either ("all"). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_without(const char *what)
{
	const char *without = getenv("ESCAPE_WITHOUT");
	return without && (strcmp(without, what) == 0 || strcmp(without, "all") == 0);
}

/* ---- an older kernel -------------------------------------------------------------------- */

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	if ((number >= SYS_landlock_create_ruleset && number <= SYS_landlock_restrict_self &&
	     is_without("landlock")) ||
	    (number == SYS_seccomp && is_without("filters"))) {
		errno = ENOSYS;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int prctl(int option, ...)
{
	static int (*real)(int, ...);
	unsigned long a[4];
	va_list ap;
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "prctl");
	if (option == PR_SET_SECCOMP && is_without("filters")) {
		errno = EINVAL;
		return -1;
	}
	return real(option, a[0], a[1], a[2], a[3]);
}

/* ---- what is tried ------------------------------------------------------------------------ */

static const char *dir;

static const char *path(const char *name)
{
	static char text[2][4096];
	static int i;
	i = !i;
	snprintf(text[i], sizeof text[i], "%s/%s", dir, name);
	return text[i];
}

/* result: -1 and errno, or not. */
static void say(const char *what, long result)
{
	const char *how = result >= 0 ? "done" : strerrorname_np(errno);
	fprintf(stderr, "ESCAPE %s %s\n", what, how);
}

static long begin_process(long result)
{
	if (result == 0)
		_exit(0);
	if (result > 0)
		waitpid((pid_t)result, NULL, 0);
	return result;
}

static void *nothing(void *arg)
{
	return arg;
}

static long begin_thread(void)
{
	pthread_t t;
	errno = pthread_create(&t, NULL, nothing, NULL);
	return errno ? -1 : pthread_join(t, NULL);
}

static void try_processes(void)
{
	char *const words[] = {(char *)"true", NULL};
	char byte = 0;
	struct iovec here = {&byte, 1}, there = {&byte, 1};
	pid_t parent = getppid();
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	say("clone", begin_process(child));
	say("fork", begin_process(fork()));
	say("thread", begin_thread());
	say("kill", kill(parent, 0));
	say("tgkill", syscall(SYS_tgkill, parent, parent, 0));
	say("raise", raise(SIGURG));
	say("ptrace", ptrace(PTRACE_SEIZE, parent, 0, 0));
	say("memory", process_vm_readv(parent, &here, 1, &there, 1, 0));
	say("socket", socket(AF_UNIX, SOCK_STREAM, 0));
	say("inet", socket(AF_INET, SOCK_STREAM, 0));
	say("input", ioctl(-1, TIOCSTI, &byte));
	say("input32", syscall(SYS_ioctl, -1, 1UL << 32 | TIOCSTI, &byte));
	say("unshare", unshare(CLONE_NEWUSER));
	say("mount", mount("none", dir, "none", 0, NULL));
	say("perf", syscall(SYS_perf_event_open, &byte, 0, -1, -1, 0));
	say("setuid", setuid(getuid()));
	say("exec", execv("/bin/true", words));
}

static void try_files(void)
{
	char twice[4096];
	snprintf(twice, sizeof twice, "%s", path("there"));
	say("read", open(twice, O_RDONLY));
	say("create", open(path("new"), O_WRONLY | O_CREAT, 0600));
	say("write", open(twice, O_WRONLY));
	say("truncate", truncate(twice, 0));
	say("mkdir", mkdir(path("folder"), 0700));
	say("symlink", symlink("there", path("symlink")));
	say("fifo", mkfifo(path("fifo"), 0600));
	say("chmod", chmod(twice, 0777));
	say("link", link(twice, path("link")));
	say("rename", rename(twice, path("renamed")));
	say("unlink", unlink(path("there")));
}

__attribute__((destructor)) static void escape(void)
{
	dir = getenv("ESCAPE_DIR");
	if (!dir)
		return;
	unsetenv("LD_PRELOAD");
	signal(SIGURG, SIG_IGN);
	try_files();
	try_processes();
}
