/* Many threads or processes that wait briefly all the time.
 *
 *     naps threads|processes N MILLISECONDS
 *
 * Each of N sleeps 2 ms at a time: for the first tenth of MILLISECONDS in starts, then in serves.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000, NAP_NS = 2000000 };

static double seconds;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void nap(void)
{
	const struct timespec t = {.tv_nsec = NAP_NS};
	nanosleep(&t, NULL);
}

static __attribute__((noinline)) int starts(double until)
{
	int naps = 0;
	for (; now() < until; naps++)
		nap();
	return naps;
}

static __attribute__((noinline)) int serves(double until)
{
	int naps = 0;
	while (now() < until) {
		nap();
		naps += 2;
	}
	return naps;
}

static void *live(void *unused)
{
	double from = now();
	int naps = starts(from + seconds / 10) + serves(from + seconds);
	return naps ? unused : NULL;
}

int main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[2]) : 0;
	if (n < 1 || n > MOST)
		return 2;
	seconds = atof(argv[3]) / 1000;
	pthread_t threads[MOST];
	if (strcmp(argv[1], "threads") == 0) {
		for (int i = 0; i < n; i++)
			if (pthread_create(&threads[i], NULL, live, NULL) != 0)
				return 1;
		for (int i = 0; i < n; i++)
			pthread_join(threads[i], NULL);
		return 0;
	}
	for (int i = 0; i < n; i++) {
		pid_t child = fork();
		if (child < 0)
			return 1;
		if (child == 0) {
			live(NULL);
			exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
