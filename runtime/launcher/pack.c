#include "runtime/launcher/pack.h"

#include "runtime/launcher/self.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MOST_SECONDS = 60, /* of CPU time; what has names by then is kept */
	LONG_SECONDS = 2   /* of CPU time, which the user is told of */
};

/* In the child: it prints nothing, and the program's terminal is not its own. */
static void run_hpcprof(const char *hpcprof, const char *dir, const char *since)
{
	const struct rlimit limit = {MOST_SECONDS, MOST_SECONDS + 1}, no_core = {0, 0};
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(127);
	setrlimit(RLIMIT_CPU, &limit);
	setrlimit(RLIMIT_CORE, &no_core);
	execl(hpcprof, hpcprof, "pack", "-q", "--since", since, "--", dir, (char *)NULL);
	_exit(127);
}

/* Whether the user ended it. */
static bool was_ended(int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT;
}

static void tell(const char *shown, int status, const struct rusage *used)
{
	long seconds = used->ru_utime.tv_sec + used->ru_stime.tv_sec;

	if (was_ended(status))
		return;
	if (WIFSIGNALED(status) || WEXITSTATUS(status) > 1)
		fprintf(stderr,
			"hpcrun: not all names were kept for when programs change; 'hpcprof pack "
			"%s' keeps them, or says what is wrong\n",
			shown);
	else if (seconds >= LONG_SECONDS)
		fprintf(stderr,
			"hpcrun: it took %ld s of CPU time to keep names for when programs change; "
			"--pack no leaves this out\n",
			seconds);
}

/* Signals are blocked until *child is set, so that none is lost. */
static pid_t start(const char *hpcprof, const char *dir, const char *since,
		   volatile sig_atomic_t *child)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_hpcprof(hpcprof, dir, since);
	}
	*child = pid > 0 ? pid : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

void launch_pack(const char *dir, const char *shown, const struct timespec *since,
		 volatile sig_atomic_t *child)
{
	char hpcprof[PATH_MAX], text[64];
	struct rusage used;
	siginfo_t ended;
	int status = 0;
	pid_t pid;

	if (launch_beside(hpcprof, "hpcprof") != 0 || access(hpcprof, X_OK) != 0)
		return;
	snprintf(text, sizeof text, "%lld.%09ld", (long long)since->tv_sec, since->tv_nsec);
	pid = start(hpcprof, dir, text, child);
	if (pid < 0)
		return;
	/* until it is reaped, its pid is not reused */
	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	*child = 0;
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			return;
	tell(shown, status, &used);
}
