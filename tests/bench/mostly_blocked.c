/* A server of many threads that mostly wait: mostly_blocked THREADS REQUESTS US.
 *
 * Each thread waits for a byte on a pipe of its own, computes for a few microseconds, and answers
 * on a common pipe. main sends REQUESTS to threads in turn, one each US microseconds. Prints the
 * CPU time of the process in microseconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, WORK = 2000 };
static int requests[MOST][2], answers[2];
static volatile unsigned sink;

static void *serve(void *pipe_end)
{
	char byte;
	while (read(*(int *)pipe_end, &byte, 1) == 1) {
		for (int i = 0; i < WORK; i++)
			sink += (unsigned)i;
		if (write(answers[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[1]) : 0;
	long n = argc > 3 ? atol(argv[2]) : 0, us = argc > 3 ? atol(argv[3]) : 0;
	struct timespec pause = {us / 1000000, us % 1000000 * 1000}, used;
	pthread_t thread;
	char byte = 0;

	if (threads < 1 || threads > MOST || pipe(answers) != 0)
		return 2;
	for (int i = 0; i < threads; i++)
		if (pipe(requests[i]) != 0 ||
		    pthread_create(&thread, NULL, serve, &requests[i][0]) != 0)
			return 1;
	for (long i = 0; i < n; i++) {
		if (write(requests[i * 7919 % threads][1], &byte, 1) != 1 ||
		    read(answers[0], &byte, 1) != 1)
			return 1;
		nanosleep(&pause, NULL);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%ld\n", used.tv_sec * 1000000L + used.tv_nsec / 1000);
	return 0;
}
