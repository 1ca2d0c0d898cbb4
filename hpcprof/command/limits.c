#include "hpcprof/command/limits.h"

#include "formats/base/atomic_file.h"
#include "hpcprof/command/sanitizer.h"
#include "hpcprof/terminal/pager.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLACK_MIB = 16 };

static timer_t timer;
static struct sigaction before;
static char last_words[600];
static size_t last_length;
static int last_status;

/* Only functions that are safe in a handler: the process may be anywhere. */
static void end_process(int signal, siginfo_t *info, void *context)
{
	ssize_t n;

	(void)context;
	if (info->si_code != SI_TIMER) { /* of someone else, as of ulimit -t */
		sigaction(signal, &before, NULL);
		raise(signal);
		return;
	}
	atomic_file_remove_all();
	n = write(STDERR_FILENO, last_words, last_length);
	(void)n;
	pager_leave();
	_exit(last_status);
}

/* A signal that no profiler uses for its samples. */
static bool begin_timer(double seconds)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
	struct sigaction act = {.sa_sigaction = end_process, .sa_flags = SA_SIGINFO};
	struct itimerspec when = {
	    .it_value = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}};

	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &how, &timer) != 0)
		return false;
	sigemptyset(&act.sa_mask);
	sigaction(SIGXCPU, &act, &before);
	timer_settime(timer, 0, &when, NULL);
	return true;
}

/* The process's private memory that can be written, as RLIMIT_DATA counts it (proc(5)). */
static uint64_t data_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool limit_data(struct limits *l, uint64_t mebibytes)
{
#ifdef WITH_SANITIZER
	mebibytes = 0;
#endif
	struct rlimit now;
	uint64_t used = data_bytes(), most = used + ((mebibytes + SLACK_MIB) << 20);

	if (!mebibytes || !used || getrlimit(RLIMIT_DATA, &l->data) != 0)
		return false;
	now = l->data;
	if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most)
		now.rlim_cur = most;
	return setrlimit(RLIMIT_DATA, &now) == 0;
}

void limits_begin(struct limits *l, double seconds, uint64_t mebibytes, const char *message,
		  int status)
{
	*l = (struct limits){0};
	last_length = strnlen(message, sizeof last_words);
	memcpy(last_words, message, last_length);
	last_status = status;
	l->has_data = limit_data(l, mebibytes);
	l->has_timer = begin_timer(seconds);
}

void limits_end(struct limits *l)
{
	if (l->has_timer) {
		timer_delete(timer);
		sigaction(SIGXCPU, &before, NULL);
	}
	if (l->has_data)
		setrlimit(RLIMIT_DATA, &l->data);
	*l = (struct limits){0};
}

double limits_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
