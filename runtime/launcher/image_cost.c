/* A process cannot read on its own clock what it takes to map and relocate the library, because no
 * code of ours runs before, nor what it takes to write the datafile and to end, because the account
 * is closed by then. So a program that does nothing is run alone and measured by turns, without and
 * with children, and its parent reads its CPU time. What measuring adds, less what the datafiles
 * say, is the cost of an image, or of a child. The median of 7 to 25 rounds is taken; of fewer, at
 * least one, if that would take more than a second: where starting a program takes 0.1 s, a round
 * does, too. */
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
	LONG_ENOUGH_MS = 1000,
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

/* What measuring adds to the program, ns: the mean of so many runs by turns. False if one fails. */
static bool added(struct runs *r, int children, int times, int64_t *out)
{
	int64_t sum = 0;
	for (int i = 0; i < times; i++) {
		int64_t alone = run(r, false, children), measured = run(r, true, children);
		if (alone < 0 || measured < 0)
			return false;
		sum += measured - alone;
	}
	*out = sum / times;
	return true;
}

/* Whether the standard error of the median is a tenth of it at most. From the median absolute
 * deviation m of n values it is 1.2533 * 1.4826 * m / sqrt(n), as for a normal distribution. Sorts
 * the values. */
static bool is_certain(int64_t *values, int n)
{
	int64_t middle = launch_median(values, n), deviations[MOST];
	for (int i = 0; i < n; i++)
		deviations[i] = llabs(values[i] - middle);
	double error = 1.858 * (double)launch_median(deviations, n);
	return middle > 0 && error * error * 100 < (double)middle * (double)middle * n;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void measure(struct runs *r, struct csprof_cost *cost)
{
	int64_t images[MOST], children[MOST], few, many;
	int n = 0;
	int64_t end = now_ms() + LONG_ENOUGH_MS;
	while (n == 0 || (now_ms() < end && n < MOST && (n < LEAST || !is_certain(children, n)))) {
		if (!added(r, 0, IMAGES, &images[n]) || !added(r, FEW, 1, &few) ||
		    !added(r, MANY, 1, &many))
			return;
		children[n] = (many - few) / (MANY - FEW); /* the first one costs more */
		n++;
	}
	cost->image = launch_clip(launch_median(images, n));
	cost->child = launch_clip(launch_median(children, n));
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
void launch_image_cost(const char *library, const char *out, const char *store,
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
	if (n < (int)sizeof r.directory && mkdtemp(r.directory)) {
		measure(&r, cost);
		remove_all(r.directory);
	}
	sigaction(SIGCHLD, &chld, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
