#include "formats/base/unfinished.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[UNFINISHED_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
/* What the handler removes; set before the handlers are and cleared after. */
static const char *volatile removable;

static void remove_and_die(int signal)
{
	if (removable)
		unlink(removable);
	/* not SA_RESETHAND: of two signals that follow each other the second could end the
	 * program before the handler of the first begins */
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(signal); /* it ends the program once the handler is left */
}

static void catch_signals(struct unfinished *u)
{
	struct sigaction act = {.sa_handler = remove_and_die};

	removable = u->name;
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < UNFINISHED_SIGNALS; i++) {
		sigaction(signals[i], NULL, &u->before[i]);
		if (u->before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
	}
}

static void close_book(struct unfinished *u)
{
	for (int i = 0; i < UNFINISHED_SIGNALS; i++)
		sigaction(signals[i], &u->before[i], NULL);
	removable = NULL;
	free(u->name);
	u->name = NULL;
}

int unfinished_begin(struct unfinished *u, const char *path, struct error *e)
{
	*u = (struct unfinished){.path = path};
	if (asprintf(&u->name, "%s.%ld.tmp", path, (long)getpid()) < 0) {
		u->name = NULL;
		return error_memory(e, strlen(path));
	}
	catch_signals(u);
	int fd = open(u->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error_writing(e);
		close_book(u);
	}
	return fd;
}

int unfinished_finish(struct unfinished *u, struct error *e)
{
	if (rename(u->name, u->path) != 0) {
		error_writing(e);
		unfinished_abandon(u);
		return -1;
	}
	close_book(u);
	return 0;
}

void unfinished_abandon(struct unfinished *u)
{
	if (!u->name)
		return;
	unlink(u->name);
	close_book(u);
}
