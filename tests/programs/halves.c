/* Threads or processes that live for less than a period, with two halves of equal work.
 *
 *     halves threads|children TIMES
 *
 * They run one after the other. Each takes about 0.15 ms on a machine of 2020, half of it in
 * early(), the other half in late(). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 60000 };

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void spin(void)
{
	uint64_t x = sink;

	for (long i = 0; i < STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

__attribute__((noinline)) void early(void)
{
	spin();
}

__attribute__((noinline)) void late(void)
{
	spin();
}

static void *both(void *arg)
{
	early();
	late();
	return arg;
}

static void in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, both, NULL) != 0 || pthread_join(thread, NULL) != 0)
		exit(1);
}

static void in_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		both(NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	long times = argc == 3 ? atol(argv[2]) : 0;

	if (times < 1 || (strcmp(argv[1], "threads") != 0 && strcmp(argv[1], "children") != 0)) {
		fprintf(stderr, "usage: halves threads|children TIMES\n");
		return 2;
	}
	for (long i = 0; i < times; i++)
		(argv[1][0] == 't' ? in_thread : in_child)();
	return 0;
}
