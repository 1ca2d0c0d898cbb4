/* Run a command and wait for it and for all descendants that lose their parent.
 *
 *     reaper FILE COMMAND [ARGUMENT]...
 *
 * Appends to FILE a line for each process for which it waited, in the format of follow.c: its own
 * pid, the other's, microseconds of CPU time (user + system, of the process and of those for which
 * it waited) as reported by wait4. Exits with the command's status, or with 128 + the signal that
 * ended it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	struct rusage u;
	pid_t command, pid;
	int status, result = 125;

	if (argc < 3) {
		fprintf(stderr, "usage: reaper FILE COMMAND [ARGUMENT]...\n");
		return 125;
	}
	int out = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (out < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return 125;
	int failed = posix_spawnp(&command, argv[2], NULL, NULL, argv + 2, environ);
	if (failed) {
		fprintf(stderr, "reaper: %s: %s\n", argv[2], strerror(failed));
		return 127;
	}
	while ((pid = wait4(-1, &status, __WALL, &u)) > 0 || errno == EINTR) {
		if (pid <= 0)
			continue;
		dprintf(out, "%d %d %ld\n", (int)getpid(), (int)pid,
			(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
			    u.ru_stime.tv_usec);
		if (pid == command)
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	return result;
}
