/* A program that stops measuring and starts it again (runtime/hpcrun.h). control WHAT. `shown` runs
 * while it is measured, `hidden` while it is not. Prints "SHOWN HIDDEN", what they took, in ns. */
#include "runtime/hpcrun.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink;
static int metric;
static uint64_t shown_ns, hidden_ns;

static uint64_t cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t spin(double ms)
{
	uint64_t begin = cpu(), end = begin + (uint64_t)(ms * 1e6);
	while (cpu() < end)
		for (int i = 0; i < 200; i++)
			sink = sink + 1;
	return cpu() - begin;
}

APART static void shown(double ms)
{
	shown_ns += spin(ms);
	sink = 0;
}

APART static void hidden(double ms)
{
	hidden_ns += spin(ms);
	sink = 1;
}

/* In short parts: many of them are shorter than a period. */
static void often(void)
{
	hpcrun_stop();
	for (int i = 0; i < 1000; i++) {
		hpcrun_start();
		shown(0.4);
		hpcrun_stop();
		hidden(0.6);
	}
}

static void *stops_itself(void *arg)
{
	shown(100);
	hpcrun_stop_thread();
	hidden(200);
	hpcrun_start_thread();
	shown(100);
	return arg;
}

static void *begins_stopped(void *arg)
{
	hidden(100);
	hpcrun_start();
	shown(100);
	return arg;
}

static void run_thread(void *(*function)(void *))
{
	pthread_t t;
	pthread_create(&t, NULL, function, NULL);
	pthread_join(t, NULL);
}

static void threads(void)
{
	run_thread(stops_itself);
	shown(100);
	hpcrun_stop();
	hpcrun_start_thread(); /* the process is still stopped */
	hidden(100);
	run_thread(begins_stopped);
	shown(100);
}

/* A child is as its parent was. Its times are not printed. */
static void forks(void)
{
	hpcrun_stop();
	if (fork() == 0) {
		hidden(100);
		hpcrun_start();
		shown(100);
		exit(0);
	}
	wait(NULL);
	hidden(100);
	hpcrun_start();
	hpcrun_stop_thread();
	if (fork() == 0) {
		hidden(100);
		hpcrun_start_thread();
		shown(100);
		exit(0);
	}
	wait(NULL);
	hidden(100);
}

/* What is counted exactly: 5 of 10. */
static void records(void)
{
	for (int i = 0; i < 10; i++) {
		if (i == 5)
			hpcrun_stop();
		hpcrun_region_begin("counted");
		hpcrun_record(metric, 7);
		(i < 5 ? shown : hidden)(20);
		hpcrun_region_end("counted");
	}
}

/* A region that begins while nothing is measured, and one that ends then. */
static void regions(void)
{
	hpcrun_stop();
	hpcrun_region_begin("late");
	hidden(50);
	hpcrun_start();
	shown(100);
	hpcrun_region_begin("early");
	shown(100);
	hpcrun_stop();
	hpcrun_region_end("early");
	hpcrun_start();
	shown(100);
	hpcrun_region_end("late");
}

static void pass(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	while (nanosleep(&t, &t) != 0)
		;
}

static void *stops_others(void *arg)
{
	pass(500);
	hpcrun_stop();
	pass(500);
	hpcrun_start();
	return arg;
}

APART static void waits_through(void)
{
	pass(1500);
	sink = 2;
}

APART static void waits_beyond(void)
{
	pass(700); /* ends while nothing is measured */
	sink = 3;
}

/* Waits during which measuring is stopped. */
static void waits(void)
{
	pthread_t t;
	pthread_create(&t, NULL, stops_others, NULL);
	waits_through();
	pthread_join(t, NULL);
	pthread_create(&t, NULL, stops_others, NULL);
	waits_beyond();
	pthread_join(t, NULL);
}

/* Until a file is there: spins in two threads, and then waits for it. */
static const char *awaited;

static void *shows(void *arg)
{
	for (const char *file = arg; access(file, F_OK) != 0;)
		shown(5);
	return arg;
}

static void runs(void)
{
	pthread_t t;
	pthread_create(&t, NULL, shows, (void *)awaited);
	while (access(awaited, F_OK) != 0)
		spin(5);
	pthread_join(t, NULL);
}

/* A call that a handler ends, whatever it was installed with. */
static void polls(void)
{
	int interrupted = 0;
	while (access(awaited, F_OK) != 0)
		interrupted += poll(NULL, 0, 300) < 0 && errno == EINTR;
	printf("interrupted: %d\n", interrupted);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "once";
	awaited = argc > 2 ? argv[2] : "/";
	metric = hpcrun_metric_new("BYTES", "bytes");
	if (strcmp(what, "once") == 0) {
		shown(100);
		hpcrun_stop();
		hpcrun_stop();
		hidden(300);
		hpcrun_start();
		shown(100);
	} else if (strcmp(what, "end") == 0) {
		shown(100);
		hpcrun_stop();
		hidden(100);
	} else if (strcmp(what, "start") == 0) {
		hidden(100);
		hpcrun_start();
		shown(100);
	} else if (strcmp(what, "often") == 0) {
		often();
	} else if (strcmp(what, "threads") == 0) {
		threads();
	} else if (strcmp(what, "forks") == 0) {
		forks();
	} else if (strcmp(what, "records") == 0) {
		records();
	} else if (strcmp(what, "regions") == 0) {
		regions();
	} else if (strcmp(what, "waits") == 0) {
		waits();
	} else if (strcmp(what, "runs") == 0) {
		runs();
	} else if (strcmp(what, "polls") == 0) {
		polls();
	}
	printf("%llu %llu\n", (unsigned long long)shown_ns, (unsigned long long)hidden_ns);
	return 0;
}
