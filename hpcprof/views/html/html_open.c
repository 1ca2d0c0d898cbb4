/* Shows the page on the user's desktop. */
#include "hpcprof/views/html/html.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The usual program for "open this as the user would", of xdg-utils. */
#define OPENER "xdg-open"
enum { MOMENTS = 20 }; /* in the second that a failure may take */

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

/* Start it in a session of its own, so that it outlives the terminal. An errno, or 0. */
static int start(pid_t *pid, const char *path)
{
	char *opener = strdup(OPENER), *name = NULL;
	posix_spawnattr_t how;
	int rc = ENOMEM;

	/* a name may begin like an option */
	if (opener && asprintf(&name, "%s%s", path[0] == '-' ? "./" : "", path) >= 0 &&
	    posix_spawnattr_init(&how) == 0) {
		char *const words[] = {opener, name, NULL};
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
		rc = posix_spawnp(pid, OPENER, NULL, &how, words, environ);
		posix_spawnattr_destroy(&how);
		free(name);
	}
	free(opener);
	return rc;
}

int html_open(const char *path, struct error *e)
{
	pid_t pid = -1;
	int rc;

	/* without one, it would look for a browser for terminals */
	if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
		return error_set(e, ERROR_USAGE,
				 "there is no desktop to show it on: neither DISPLAY nor "
				 "WAYLAND_DISPLAY is set");
	errno = start(&pid, path);
	if (errno)
		return error_system(e, OPENER " (of the package xdg-utils)");
	rc = early_status(pid);
	return rc == 0 ? 0 : error_set(e, ERROR_SYSTEM, OPENER " failed with status %d", rc);
}
