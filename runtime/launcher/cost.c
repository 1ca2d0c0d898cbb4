/* A thread reads a clock repeatedly while it is sampled by a handler that makes the same system
 * calls as ours and walks no stack. The time from the last reading before a sample to the first
 * one after it is the cost of the sample: the interrupt, the signal, the calls, and the return,
 * which no clock reading in the handler can include. The median of many is taken, without those in
 * which the thread lost its CPU to another one. */
#include "runtime/launcher/cost.h"

#include "runtime/launcher/image_cost.h"
#include "runtime/launcher/median.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LEAST = 5,
	MOST = 101,
	ENOUGH_NS = 80 * 1000 * 1000,
	LEAST_ROUNDS = 15, /* of switches */
	MOST_ROUNDS = 601,
	ENOUGH_ROUNDS_NS = 200 * 1000 * 1000,
	CERTAIN = 10, /* the standard error is a tenth */
	KNOWN = 3,    /* ... a third, which is enough if it takes longer */
	TOO_LONG_NS = 800 * 1000 * 1000,
	SWITCHES = 8,
	SLEEP_NS = 20 * 1000,
	PERIOD_NS = 200 * 1000,
	MANY_TIMES = 8, /* least period of an event, in sample costs: it repeats by itself */
	TOO_LONG_S = 5,
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- sources, as in the drivers ------------------------------------------------------ */

static timer_t timer;
static int event = -1;
static volatile int taken; /* samples */
static volatile long lost; /* how often the thread had lost its CPU by the last sample */
static uint64_t period;

static void arm_timer(uint64_t ns)
{
	struct itimerspec t = {{0, 0}, {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
	timer_settime(timer, 0, &t, NULL);
}

static void take(int sig, siginfo_t *info, void *context)
{
	struct rusage u;
	uint64_t id;
	(void)sig, (void)info, (void)context;
	clock_ns(CLOCK_THREAD_CPUTIME_ID);
	clock_ns(CLOCK_THREAD_CPUTIME_ID);
	taken++;
	getrusage(RUSAGE_THREAD, &u);
	lost = u.ru_nivcsw;
	if (event < 0) {
		arm_timer(period);
	} else {
		ioctl(event, PERF_EVENT_IOC_ID, &id);
		ioctl(event, PERF_EVENT_IOC_PERIOD, &period);
	}
}

static int open_event(uint64_t period_ns)
{
	struct perf_event_attr a = {
	    .size = sizeof a,
	    .type = PERF_TYPE_SOFTWARE,
	    .config = PERF_COUNT_SW_TASK_CLOCK,
	    .sample_period = period_ns,
	    .sample_type = PERF_SAMPLE_IP,
	    .disabled = 1,
	    .exclude_hv = 1,
	    .wakeup_events = 1,
	};
	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool launch_events_allowed(void)
{
	int fd = open_event(1000000000);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool make_event(uint64_t period_ns)
{
	struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
	event = open_event(period_ns);
	if (event < 0)
		return false;
	fcntl(event, F_SETSIG, SIGURG);
	fcntl(event, F_SETOWN_EX, &owner);
	return fcntl(event, F_SETFL, O_RDWR | O_ASYNC) == 0;
}

/* ---- measuring ------------------------------------------------------------------------ */

static bool go_on(int n, uint64_t began)
{
	uint64_t most = n < LEAST ? TOO_LONG_NS : ENOUGH_NS;
	return n < MOST && clock_ns(CLOCK_MONOTONIC) - began < most;
}

static void begin_samples(void)
{
	if (event < 0) {
		arm_timer(period);
	} else {
		ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(event, PERF_EVENT_IOC_PERIOD, &period);
	}
}

static void end_samples(void)
{
	if (event < 0)
		arm_timer(0);
	else
		ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
}

/* 0: not known. */
static uint32_t sample_cost(void)
{
	int64_t costs[MOST];
	int n = 0, seen = taken = 0;
	long before = lost;
	uint64_t now, last, began = clock_ns(CLOCK_MONOTONIC);
	begin_samples();
	for (last = began; go_on(n, began); last = now) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (taken == seen)
			continue;
		seen = taken;
		now = clock_ns(CLOCK_MONOTONIC); /* the sample may have come after that reading */
		if (lost == before)
			costs[n++] = (int64_t)(now - last);
		before = lost;
	}
	end_samples();
	return n < LEAST ? 0 : launch_clip(launch_median(costs, n));
}

static uint64_t time_switches(void)
{
	struct timespec t = {0, SLEEP_NS};
	uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < SWITCHES; i++)
		nanosleep(&t, NULL);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* Whether more rounds than n are needed. */
static bool more_rounds(int64_t *added, int n, uint64_t began)
{
	uint64_t took = clock_ns(CLOCK_MONOTONIC) - began;
	if (n == MOST_ROUNDS || took >= TOO_LONG_NS)
		return false;
	return n < LEAST_ROUNDS ||
	       !launch_is_certain(added, n, took < ENOUGH_ROUNDS_NS ? CERTAIN : KNOWN);
}

/* Beside other work the times of rounds may vary by more than is looked for: then it is not known.
 * The period is longer than the CPU time of a round and shorter than the kernel's tick: the CPU's
 * timer is set only for the kernel timer that expires next. */
static uint32_t switch_cost(void)
{
	int64_t added[MOST_ROUNDS];
	uint64_t began = clock_ns(CLOCK_MONOTONIC);
	int n = 0;
	period = 1000000;
	prctl(PR_SET_TIMERSLACK, 1);
	for (; more_rounds(added, n, began); n++) {
		uint64_t alone = time_switches();
		begin_samples();
		uint64_t with = time_switches();
		end_samples();
		added[n] = ((int64_t)with - (int64_t)alone) / SWITCHES;
	}
	if (n < LEAST_ROUNDS || !launch_is_certain(added, n, KNOWN))
		return 0;
	return launch_clip(launch_median(added, n));
}

struct measured {
	struct csprof_cost cost;
	bool busy; /* it was while samples were measured */
};

/* Whether other processes had the CPU for more than a tenth of the time since these readings of the
 * monotonic clock and the thread's. */
static bool is_busy(uint64_t began, uint64_t ran)
{
	uint64_t time = clock_ns(CLOCK_MONOTONIC) - began;
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - ran) * 10 < time * 9;
}

static void measure(struct measured *got)
{
	struct csprof_cost *out = &got->cost;
	uint64_t began = clock_ns(CLOCK_MONOTONIC), ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct sigaction act;
	struct sigevent e;
	memset(&act, 0, sizeof act);
	act.sa_sigaction = take;
	act.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigfillset(&act.sa_mask);
	sigaction(SIGURG, &act, NULL);
	memset(&e, 0, sizeof e);
	e.sigev_notify = SIGEV_SIGNAL;
	e.sigev_signo = SIGURG;
	period = PERIOD_NS;
	if (timer_create(CLOCK_MONOTONIC, &e, &timer) == 0)
		out->timer = sample_cost();
	if (period < (uint64_t)MANY_TIMES * out->timer)
		period = (uint64_t)MANY_TIMES * out->timer;
	bool has_event = make_event(period);
	if (has_event)
		out->event = sample_cost();
	got->busy = is_busy(began, ran);
	if (has_event)
		out->change = switch_cost();
}

/* In a child: it has its own signals and timer slack, and its time is limited. */
static void measure_in_child(struct measured *out)
{
	int ends[2];
	struct measured got = {0};
	struct sigaction chld, standard;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	memset(&standard, 0, sizeof standard);
	standard.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &standard, &chld); /* if it is ignored, there is nothing to wait for */
	pid_t pid = fork();
	if (pid == 0) {
		sigset_t none;
		sigemptyset(&none);
		standard.sa_handler = SIG_DFL;
		sigaction(SIGALRM, &standard, NULL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		alarm(TOO_LONG_S);
		measure(&got);
		_exit(write(ends[1], &got, sizeof got) == sizeof got ? 0 : 1);
	}
	close(ends[1]);
	if (pid > 0 && read(ends[0], &got, sizeof got) == sizeof got)
		*out = got;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGCHLD, &chld, NULL);
}

/* ---- the cache ----------------------------------------------------------------------------
 *
 * One line: the boot id, the costs, and "busy" if other work may have changed them. Then they are
 * measured again, after ten minutes and when the CPU is free, which takes 20 ms to see. */

enum { BUSY_S = 600, TRIED_NS = 20 * 1000 * 1000 };

enum knowledge { UNKNOWN, DOUBTFUL, KNOWN_WELL };

static bool read_boot(char *out, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool ok = f && fgets(out, (int)size, f);
	if (f)
		fclose(f);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok && out[0];
}

static bool find_cache(char *out)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = 0;
	if (cache && cache[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/hpcrun", cache);
	else if (home && home[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/.cache/hpcrun", home);
	return n > 0 && n < PATH_MAX;
}

static enum knowledge read_cache(const char *directory, const char *boot, struct csprof_cost *out)
{
	char path[PATH_MAX + 8], line[192], of[64], busy[8];
	struct csprof_cost c;
	struct stat st;
	snprintf(path, sizeof path, "%s/cost", directory);
	FILE *f = fopen(path, "re");
	int n = f && fgets(line, sizeof line, f)
		    ? sscanf(line, "%63s %u %u %u %u %u %7s", of, &c.timer, &c.event, &c.change,
			     &c.image, &c.child, busy)
		    : 0;
	bool ok = n >= 6 && strcmp(of, boot) == 0 && c.timer;
	bool again = n > 6 && fstat(fileno(f), &st) == 0 && time(NULL) - st.st_mtime > BUSY_S;
	if (f)
		fclose(f);
	if (!ok)
		return UNKNOWN;
	*out = c;
	return again ? DOUBTFUL : KNOWN_WELL;
}

static bool is_busy_now(void)
{
	uint64_t began = clock_ns(CLOCK_MONOTONIC), ran = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (clock_ns(CLOCK_MONOTONIC) - began < TRIED_NS)
		;
	return is_busy(began, ran);
}

/* Whether there is a directory in which the cost can be stored. */
static bool make_cache(char *directory)
{
	char *slash = strrchr(directory, '/');
	*slash = '\0';
	mkdir(directory, 0700);
	*slash = '/';
	mkdir(directory, 0700);
	return access(directory, W_OK | X_OK) == 0;
}

static void write_cache(const char *directory, const char *boot, const struct csprof_cost *c,
			bool busy)
{
	char path[PATH_MAX + 8], temporary[PATH_MAX + 24];
	snprintf(path, sizeof path, "%s/cost", directory);
	snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
	FILE *f = fopen(temporary, "wxe");
	if (!f)
		return;
	bool ok = fprintf(f, "%s %u %u %u %u %u%s\n", boot, c->timer, c->event, c->change, c->image,
			  c->child, busy ? " busy" : "") > 0;
	if (fclose(f) != 0 || !ok || rename(temporary, path) != 0)
		unlink(temporary);
}

void launch_cost(const char *library, const char *datafiles, const char *store,
		 struct csprof_cost *out)
{
	char boot[64], directory[PATH_MAX];
	bool known = read_boot(boot, sizeof boot) && find_cache(directory);
	memset(out, 0, sizeof *out);
	enum knowledge kept = known ? read_cache(directory, boot, out) : UNKNOWN;
	/* a cost without events is not enough if they are allowed */
	if (kept != UNKNOWN && (out->event || !launch_events_allowed()) &&
	    (kept == KNOWN_WELL || is_busy_now()))
		return;
	struct measured m = {0};
	measure_in_child(&m);
	*out = m.cost;
	/* What cannot be stored would be measured before each measurement: only what sampling
	 * cannot do without, which takes 0.1 s. */
	if (!known || !make_cache(directory))
		return;
	bool certain = launch_image_cost(library, datafiles, store, out);
	if (out->timer)
		write_cache(directory, boot, out, m.busy || !certain);
}
