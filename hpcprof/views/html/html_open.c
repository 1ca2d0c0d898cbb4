/* Shows the page on the user's desktop. */
#include "hpcprof/views/html/html.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The usual program for "open this as the user would", of xdg-utils. */
#define OPENER "xdg-open"
enum { MOMENTS = 20 }; /* in the second that a failure may take */
enum { NOT_FOUND = 127 };

static struct {
	pid_t pid;
	int to;
	int error; /* why there is none */
} opener = {.pid = -1};

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

/* Wait a moment for what would fail at once. A desktop's program may run on as long as its window
 * is there. Returns the status of pid, or 0 if it runs. */
static int early_status(pid_t pid)
{
	const struct timespec moment = {.tv_nsec = 1000000000 / MOMENTS};
	int status;

	for (int i = 0; i < MOMENTS; i++) {
		pid_t got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (got < 0 && errno != EINTR)
			return 0;
		nanosleep(&moment, NULL);
	}
	return 0;
}

/* In the child: wait for a path, and become the opener in a session of its own, so that it outlives
 * the terminal. It ends with its parent if no path comes. */
static _Noreturn void become(int from)
{
	/* a name may begin like an option */
	char path[2 + PATH_MAX + 1] = "./", name[] = OPENER;
	size_t length = 0;
	ssize_t got;

	while ((got = read(from, path + 2 + length, PATH_MAX - length)) > 0 ||
	       (got < 0 && errno == EINTR))
		length += got > 0 ? (size_t)got : 0;
	if (length) {
		char *const words[] = {name, path[2] == '-' ? path : path + 2, NULL};
		setsid();
		execvp(OPENER, words);
	}
	_exit(length ? NOT_FOUND : 0);
}

void html_open_prepare(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		opener.error = errno;
		return;
	}
	opener.pid = fork();
	opener.error = errno;
	if (opener.pid == 0) {
		close(ends[1]);
		become(ends[0]);
	}
	close(ends[0]);
	opener.to = ends[1];
	if (opener.pid < 0)
		close(ends[1]);
}

/* Whether the path was sent whole; else errno says why not. Then the opener is on its own. */
static bool tell(const char *path)
{
	size_t length = strlen(path), sent = 0;
	ssize_t n = 0;

	if (opener.pid <= 0 || length > PATH_MAX) {
		errno = opener.pid <= 0 ? opener.error : ENAMETOOLONG;
		return false;
	}
	while (sent < length && ((n = write(opener.to, path + sent, length - sent)) > 0 ||
				 (n < 0 && errno == EINTR)))
		sent += n > 0 ? (size_t)n : 0;
	close(opener.to);
	return sent == length;
}

int html_open(const char *path, struct error *e)
{
	int rc;

	/* without one, it would look for a browser for terminals */
	if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
		return error_set(e, ERROR_USAGE,
				 "there is no desktop to show it on: neither DISPLAY nor "
				 "WAYLAND_DISPLAY is set");
	if (!tell(path))
		return error_system(e, OPENER " could not be started");
	rc = early_status(opener.pid);
	errno = ENOENT;
	if (rc == NOT_FOUND)
		return error_system(e, OPENER " (of the package xdg-utils)");
	return rc == 0 ? 0 : error_set(e, ERROR_SYSTEM, OPENER " failed with status %d", rc);
}
