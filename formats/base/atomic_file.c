#include "formats/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];

/* The files that the handler removes: the list is consistent at any instant. */
static struct atomic_file *volatile first;

void atomic_file_remove_all(void)
{
	for (struct atomic_file *u = first; u; u = u->next)
		unlink(u->name);
}

static void remove_and_die(int signal)
{
	atomic_file_remove_all();
	/* not SA_RESETHAND: if two signals follow each other, the second could end the program
	 * before the handler of the first begins */
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	raise(signal); /* ends the program when the handler returns */
}

static void catch_signals(void)
{
	struct sigaction act = {.sa_handler = remove_and_die};

	sigemptyset(&act.sa_mask);
	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
	}
}

static void release_signals(void)
{
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

static void enter(struct atomic_file *u)
{
	bool alone = !first;

	u->next = first;
	atomic_signal_fence(memory_order_release);
	first = u;
	if (alone)
		catch_signals();
}

static void leave(struct atomic_file *u)
{
	if (first == u) {
		first = u->next;
	} else {
		struct atomic_file *p = first;

		while (p->next != u)
			p = p->next;
		p->next = u->next;
	}
	if (!first)
		release_signals();
	free(u->name);
	free(u->target);
	u->name = u->target = NULL;
}

/* Create the file and its entry in the list together, as seen by a signal handler. */
static int create(struct atomic_file *u)
{
	sigset_t set, mask;

	sigemptyset(&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, &mask);
	int fd = open(u->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), saved = errno;
	if (fd >= 0)
		enter(u);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	errno = saved;
	return fd;
}

/* What is at path if that is a symbolic link that leads somewhere; else NULL. */
static char *follow(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
}

int atomic_file_begin(struct atomic_file *u, const char *path, struct error *e)
{
	/* a process of another container, or a killed one, may have had our pid */
	enum { NAMES = 100 };
	int fd = -1;

	*u = (struct atomic_file){.path = path, .target = follow(path)};
	for (int i = 0; i < NAMES && fd < 0 && (i == 0 || errno == EEXIST); i++) {
		free(u->name);
		if (asprintf(&u->name, "%s.%ld-%d.tmp", u->target ? u->target : path,
			     (long)getpid(), i) < 0) {
			free(u->target);
			u->name = u->target = NULL;
			return error_memory(e, strlen(path));
		}
		fd = create(u);
	}
	if (fd < 0) {
		error_writing(e);
		free(u->name);
		free(u->target);
		u->name = u->target = NULL;
	}
	return fd;
}

int atomic_file_finish(struct atomic_file *u, struct error *e)
{
	if (rename(u->name, u->target ? u->target : u->path) != 0) {
		error_writing(e);
		atomic_file_abandon(u);
		return -1;
	}
	leave(u);
	return 0;
}

void atomic_file_abandon(struct atomic_file *u)
{
	if (!u->name)
		return;
	unlink(u->name);
	leave(u);
}
