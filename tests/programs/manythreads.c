/* manythreads run THREADS STEPS AT_ONCE: THREADS threads, at most AT_ONCE of them at a time, each
 * of which takes STEPS steps: three quarters of them in heavy(), a quarter in light(). With AT_ONCE
 * 0 each thread makes the next one and ends.
 *
 * manythreads hold THREADS STEPS SECONDS: THREADS threads that live SECONDS seconds and take STEPS
 * steps ten times per second.
 *
 * manythreads busy THREADS STEPS TIMES: THREADS threads that start work at the same time and take
 * STEPS steps TIMES times without a pause.
 *
 * Steps are counted, not timed, so that the cost of a profiler is visible. Prints the CPU time and
 * the largest resident size, and the resident size after every tenth of the threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static long threads, steps, at_once, seconds, times;
static pthread_barrier_t all_there;
static volatile uint64_t sink;
static pthread_attr_t small;

__attribute__((noinline)) static uint64_t heavy(uint64_t x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x + 1;
}

__attribute__((noinline)) static uint64_t light(uint64_t x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 6364136223846793005u + 3037000493u;
	return x + 1;
}

static void work(void)
{
	sink = light(heavy(sink, steps * 3 / 4), steps / 4);
}

/* The value of a line of /proc/self/status, in kB. */
static long status(const char *key)
{
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			kb = strtol(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

static void must(int r, const char *what)
{
	if (r == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(r));
	exit(1);
}

static void tell(long done)
{
	if (threads >= 10 && done % (threads / 10) == 0)
		printf("after %ld: %ld kB\n", done, status("VmRSS:"));
}

static void *short_life(void *unused)
{
	(void)unused;
	work();
	return NULL;
}

static void run(void)
{
	pthread_t *ring = calloc((size_t)at_once, sizeof *ring);
	for (long i = 0; i < threads + at_once; i++) {
		if (i >= at_once) {
			must(pthread_join(ring[i % at_once], NULL), "pthread_join");
			tell(i - at_once + 1);
		}
		if (i < threads)
			must(pthread_create(&ring[i % at_once], &small, short_life, NULL),
			     "pthread_create");
	}
	free(ring);
}

/* Each thread creates the next one, and may have ended before that one begins. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static long left;

static void *link_of_chain(void *number)
{
	long i = (long)(intptr_t)number;
	pthread_t next;
	work();
	tell(i);
	if (i < threads) {
		must(pthread_create(&next, &small, link_of_chain, (void *)(intptr_t)(i + 1)),
		     "pthread_create");
		must(pthread_detach(next), "pthread_detach");
	}
	pthread_mutex_lock(&lock);
	if (--left == 0)
		pthread_cond_signal(&all_done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void chain(void)
{
	pthread_t first;
	left = threads;
	must(pthread_create(&first, &small, link_of_chain, (void *)1), "pthread_create");
	must(pthread_detach(first), "pthread_detach");
	pthread_mutex_lock(&lock);
	while (left)
		pthread_cond_wait(&all_done, &lock);
	pthread_mutex_unlock(&lock);
	while (status("Threads:") > 1) { /* the last threads have not ended yet */
		struct timespec t = {0, 1000000};
		nanosleep(&t, NULL);
	}
}

static void *long_life(void *number)
{
	/* each thread begins at another time within the tenth of a second */
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t at = t.tv_sec * 1000000000ll + t.tv_nsec;
	at += (intptr_t)number * (100000000 / threads);
	uint64_t random = (uint64_t)at;
	for (long i = 0; i < 10 * seconds; i++) {
		/* 50 to 150 ms later: if a thread ran in step with the kernel's ticks, they would
		 * interrupt it at the same place each time, or never */
		random = random * 6364136223846793005u + 1442695040888963407u;
		at += 50000000 + (int64_t)((random >> 32) * 100000000 >> 32);
		t = (struct timespec){at / 1000000000, at % 1000000000};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		work();
	}
	return NULL;
}

static void *busy_life(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&all_there);
	for (long i = 0; i < times; i++)
		work();
	return NULL;
}

static void together(void *(*life)(void *))
{
	pthread_t *all = calloc((size_t)threads, sizeof *all);
	for (long i = 0; i < threads; i++)
		must(pthread_create(&all[i], &small, life, (void *)(intptr_t)i), "pthread_create");
	for (long i = 0; i < threads; i++)
		must(pthread_join(all[i], NULL), "pthread_join");
	free(all);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	threads = strtol(argv[2], NULL, 10);
	steps = strtol(argv[3], NULL, 10);
	at_once = seconds = times = strtol(argv[4], NULL, 10);
	must(pthread_attr_init(&small), "pthread_attr_init");
	must(pthread_attr_setstacksize(&small, 64 * 1024), "pthread_attr_setstacksize");
	must(pthread_barrier_init(&all_there, NULL, (unsigned)threads), "pthread_barrier_init");
	if (strcmp(argv[1], "hold") == 0)
		together(long_life);
	else if (strcmp(argv[1], "busy") == 0)
		together(busy_life);
	else if (at_once)
		run();
	else
		chain();
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("cpu %ld us\nmost %ld kB\n",
	       (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
		   u.ru_stime.tv_usec,
	       status("VmHWM:"));
	return 0;
}
