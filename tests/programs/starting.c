/* Starts a program in one of several ways, and waits for it.
 *
 *     starting HOW PROGRAM [ARGUMENT]
 *
 * HOW is spawn (posix_spawn), popen, fexecve or execveat. The first two are called with SIGSEGV and
 * SIGBUS ignored, which the program inherits. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawn(char **argv)
{
	pid_t pid;
	int status;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		return 1;
	return WEXITSTATUS(status);
}

static int open_pipe(char **argv)
{
	char line[200], command[300];

	snprintf(command, sizeof command, "exec %s %s", argv[0], argv[1] ? argv[1] : "");
	FILE *f = popen(command, "r");
	if (!f)
		return 1;
	while (fgets(line, sizeof line, f))
		fputs(line, stdout);
	return WEXITSTATUS(pclose(f));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	int fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (strcmp(argv[1], "fexecve") == 0) {
		fexecve(fd, argv + 2, environ);
	} else if (strcmp(argv[1], "execveat") == 0) {
		execveat(fd, "", argv + 2, environ, AT_EMPTY_PATH);
	} else {
		signal(SIGSEGV, SIG_IGN);
		signal(SIGBUS, SIG_IGN);
		return strcmp(argv[1], "spawn") == 0 ? spawn(argv + 2) : open_pipe(argv + 2);
	}
	perror("starting");
	return 1;
}
