/* A process cannot read on its own clock what it takes to map and relocate the library, because no
 * code of ours runs before, nor what it takes to write the datafile and to end, because the account
 * is closed by then. So a program that does nothing is run alone and measured by turns, without and
 * with children, and its parent reads its CPU time. What measuring adds, less what the datafiles
 * say, is the cost of an image, or of a child. There are 7 to 25 rounds in at most three seconds,
 * or fewer, but one at least: where starting a program takes 0.1 s, a round takes more than one.
 * Other work on the machine only adds to the times, so their lower quartiles are compared. */
#include "runtime/launcher/image_cost.h"

#include "runtime/launcher/environment.h"
#include "runtime/launcher/median.h"
#include "runtime/launcher/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LEAST = 7,
	MOST = 25,
	IMAGES = 4,
	FEW = 2,
	MANY = 12,
	CERTAIN = 10, /* the standard error is a tenth */
	KNOWN = 3,    /* ... a third, which is enough after a second */
	LONG_ENOUGH_MS = 1000,
	TOO_LONG_MS = 3000,
	TOO_LONG_S = 5
};

int launch_image_run(const char *children)
{
	for (long n = strtol(children, NULL, 10); n > 0; n--) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			return 1;
	}
	return 0;
}

struct runs {
	const char *library, *store, *preload;
	const struct csprof_cost *cost;
	char directory[PATH_MAX];
	uint64_t said; /* by all datafiles so far, ns */
};

static void execute(const struct runs *r, bool measured, int children)
{
	static struct launch_options standard = {.follow = true};
	char name[] = LAUNCH_IMAGE_NAME, unused[] = "", number[16];
	char *arguments[] = {name, unused, number, NULL};
	sigset_t none;
	snprintf(number, sizeof number, "%d", children);
	int nothing = open("/dev/null", O_RDWR);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(TOO_LONG_S);
	/* alone too, so that the CPU time of the calls is on both sides; then nothing reads it */
	if (launch_set_environment(&standard, r->library, r->directory, r->store, r->cost) != 0)
		_exit(1);
	if (!measured &&
	    (r->preload ? setenv("LD_PRELOAD", r->preload, 1) : unsetenv("LD_PRELOAD")) != 0)
		_exit(1);
	execv("/proc/self/exe", arguments);
	_exit(1);
}

static int64_t microseconds(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

/* The ns of CPU time that the program and its children take, less what they say; -1 if it fails. */
static int64_t run(struct runs *r, bool measured, int children)
{
	static const struct timespec always;
	struct launch_summary s;
	struct rusage usage;
	int status;
	pid_t pid = fork();
	if (pid == 0)
		execute(r, measured, children);
	while (pid > 0 && wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	if (pid < 0 || status != 0)
		return -1;
	int64_t took = 1000 * (microseconds(usage.ru_utime) + microseconds(usage.ru_stime));
	if (!measured)
		return took;
	if (launch_summarize(r->directory, &always, &s) < 0)
		return -1;
	took -= (int64_t)(s.cost + s.outside - r->said);
	r->said = s.cost + s.outside;
	return took > 0 ? took : 0;
}

/* What the program takes with so many children, ns, by turns alone and measured. */
struct taken {
	int children, n;
	int64_t alone[MOST * IMAGES], measured[MOST * IMAGES];
};

static bool take(struct runs *r, struct taken *t)
{
	t->alone[t->n] = run(r, false, t->children);
	t->measured[t->n] = run(r, true, t->children);
	t->n++;
	return t->alone[t->n - 1] >= 0 && t->measured[t->n - 1] >= 0;
}

/* What measuring added the last time. */
static int64_t last_added(const struct taken *t)
{
	return t->measured[t->n - 1] - t->alone[t->n - 1];
}

/* What measuring adds. Sorts the values. */
static int64_t added(struct taken *t)
{
	return launch_lower_quartile(t->measured, t->n) - launch_lower_quartile(t->alone, t->n);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether more rounds than n are needed. */
static bool go_on(int64_t *children, int n, int64_t began)
{
	int64_t took = now_ms() - began;
	if (n == MOST || took >= TOO_LONG_MS)
		return n == 0;
	return n < LEAST ||
	       !launch_is_certain(children, n, took < LONG_ENOUGH_MS ? CERTAIN : KNOWN);
}

static bool measure(struct runs *r, struct csprof_cost *cost)
{
	static struct taken none, few = {.children = FEW}, many = {.children = MANY};
	int64_t children[MOST];
	int n = 0;
	for (int64_t began = now_ms(); go_on(children, n, began); n++) {
		for (int i = 0; i < IMAGES; i++)
			if (!take(r, &none))
				return false;
		if (!take(r, &few) || !take(r, &many))
			return false;
		children[n] = last_added(&many) - last_added(&few);
	}
	cost->image = launch_clip(added(&none));
	/* the first child costs more */
	cost->child = launch_clip((added(&many) - added(&few)) / (MANY - FEW));
	/* fewer rounds show a slow machine, where another second would not help */
	return n < LEAST || launch_is_certain(children, n, KNOWN);
}

static void remove_all(const char *directory)
{
	DIR *d = opendir(directory);
	for (struct dirent *e; d && (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0); /* which . and .. refuse */
	if (d)
		closedir(d);
	rmdir(directory);
}

/* Signals wait, so that the directory is removed even if one ends the launcher. */
bool launch_image_cost(const char *library, const char *out, const char *store,
		       struct csprof_cost *cost)
{
	struct runs r = {.library = library, .store = store, .cost = cost};
	struct sigaction chld, standard;
	sigset_t all, before;
	r.preload = getenv("LD_PRELOAD");
	int n = snprintf(r.directory, sizeof r.directory, "%s/.cost.XXXXXX", out);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	memset(&standard, 0, sizeof standard);
	standard.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &standard, &chld); /* if it is ignored, there is nothing to wait for */
	cost->image = cost->child = 0;
	bool certain = false;
	if (n < (int)sizeof r.directory && mkdtemp(r.directory)) {
		certain = measure(&r, cost);
		remove_all(r.directory);
	}
	sigaction(SIGCHLD, &chld, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return certain;
}
