#include "hpcprof/terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	bool done;
	pid_t pid; /* 0: none */
	int to;    /* where it will read from */
} prepared;
static volatile pid_t pager; /* what is written goes to it; 0: none */
static int standard_error = -1;

static bool is_program(const char *dir, size_t n, const char *name, size_t m)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%.*s%s%.*s", (int)n, dir, n ? "/" : "", (int)m, name) <
		   (int)sizeof path &&
	       access(path, X_OK) == 0;
}

/* Whether the shell will find the program of a command. A command that is more than words is not
 * looked at. */
static bool can_run(const char *command)
{
	const char *dirs = getenv("PATH");
	size_t n = strcspn(command, " \t");

	if (strpbrk(command, "'\"\\$`|&;<>(){}=~*?["))
		return true;
	if (memchr(command, '/', n))
		return is_program("", 0, command, n);
	for (; dirs && *dirs; dirs += strcspn(dirs, ":"), dirs += *dirs == ':')
		if (is_program(dirs, strcspn(dirs, ":"), command, n))
			return true;
	return false;
}

static const char *chosen(void)
{
	const char *name = getenv("HPCPROF_PAGER"), *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0)
		return NULL;
	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = "less";
	return name[0] && strcmp(name, "cat") != 0 && can_run(name) ? name : NULL;
}

/* In the child. It ends with its parent if there is nothing to show. */
static _Noreturn void become(const char *command, int from)
{
	struct pollfd there = {.fd = from, .events = POLLIN};

	while (poll(&there, 1, -1) < 0 && errno == EINTR) {
	}
	if (!(there.revents & POLLIN))
		_exit(0);
	if (from == STDIN_FILENO) /* as it was closed; it stays open in the pager */
		fcntl(from, F_SETFD, 0);
	dup2(from, STDIN_FILENO);
	/* F: end if everything fits; R: colors; X: leave the text on the screen */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_prepare(void)
{
	const char *command = prepared.done ? NULL : chosen();
	int ends[2];

	prepared.done = true;
	if (!command || pipe2(ends, O_CLOEXEC) != 0)
		return;
	fflush(stdout);
	prepared.pid = fork();
	if (prepared.pid == 0) {
		close(ends[1]);
		become(command, ends[0]);
	}
	close(ends[0]);
	prepared.to = ends[1];
	if (prepared.pid < 0) {
		prepared.pid = 0;
		close(ends[1]);
	}
}

void pager_begin(void)
{
	pager_prepare();
	if (!prepared.pid || pager)
		return;
	fflush(stdout);
	signal(SIGINT, SIG_IGN);
	dup2(prepared.to, STDOUT_FILENO);
	if (isatty(STDERR_FILENO)) {
		standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		dup2(prepared.to, STDERR_FILENO);
	}
	close(prepared.to);
	pager = prepared.pid;
}

static void wait_for_pager(void)
{
	if (standard_error >= 0)
		dup2(standard_error, STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {
	}
	pager = prepared.pid = 0;
}

void pager_end(void)
{
	if (!pager)
		return;
	fclose(stdout);
	wait_for_pager();
}

void pager_leave(void)
{
	if (!pager)
		return;
	close(STDOUT_FILENO);
	wait_for_pager();
}
