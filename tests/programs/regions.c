/* Regions of a program's own (runtime/hpcrun.h): regions WHAT. Spins for known CPU times in them,
 * which are given in units of 0.4 ms. */
#include "runtime/hpcrun.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink;

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

APART static void spin(double parts)
{
	double end = cpu() + 0.4 * parts;
	while (cpu() < end)
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
	sink = 0;
}

/* outer: 100 of its own, in it 10 x inner of 10; besides, 100 in no region. */
APART static void nested(void)
{
	hpcrun_region_begin("outer");
	spin(100);
	for (int i = 0; i < 10; i++) {
		HPCRUN_REGION("inner");
		spin(10);
	}
	hpcrun_region_end("outer");
	spin(100);
	sink = 0;
}

APART static void below(int depth)
{
	if (depth > 0)
		below(depth - 1);
	else
		nested();
	sink = 0;
}

static void *in_thread(void *arg)
{
	for (int i = 0; i < 100; i++) {
		HPCRUN_REGION("step");
		sink = sink + 1;
	}
	nested();
	if (arg)
		hpcrun_region_begin("open");
	return arg;
}

static void threads(void)
{
	pthread_t t[4];
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, in_thread, i == 3 ? &t[i] : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void forked(void)
{
	hpcrun_region_begin("outer");
	spin(50);
	if (fork() == 0) {
		hpcrun_region_begin("inner");
		spin(100);
		hpcrun_region_end("inner");
		hpcrun_region_end("outer");
		spin(50);
		exit(0);
	}
	wait(NULL);
	hpcrun_region_end("outer");
}

static jmp_buf back;

APART static void jumps(void)
{
	hpcrun_region_begin("left");
	spin(50);
	longjmp(back, 1);
}

/* left: 3 x 50, each left by longjmp; then 100 in no region, and 50 in after. */
static void jumped(void)
{
	for (volatile int i = 0; i < 3; i++)
		if (setjmp(back) == 0)
			jumps();
	spin(100);
	hpcrun_region_begin("after");
	spin(50);
	hpcrun_region_end("after");
}

static void unbalanced(void)
{
	hpcrun_region_end("never");
	hpcrun_region_begin("outer");
	hpcrun_region_begin("inner");
	spin(50);
	hpcrun_region_end("outer"); /* and inner */
	spin(50);
	hpcrun_region_end("outer");
	hpcrun_region_begin(NULL);
	hpcrun_region_end(NULL);
}

/* Regions that are begun for others, by functions that have returned. */
APART static void begin(const char *name, unsigned for_caller)
{
	if (for_caller)
		hpcrun_region_begin_for_caller(name, for_caller);
	else
		hpcrun_region_begin(name);
	sink = 0;
}

APART static void begin_for_others(const char *name, unsigned for_caller)
{
	char room[256];
	memset(room, 1, sizeof room);
	begin(name, for_caller);
	sink = (unsigned char)room[sink % 256];
}

APART static void wrapped(void)
{
	begin("outer", 1);
	spin(100);
	begin_for_others("inner", 2);
	spin(100);
	hpcrun_region_end("inner");
	hpcrun_region_end("outer");
	begin("direct", 0); /* not told, but there is only one between */
	spin(100);
	hpcrun_region_end("direct");
	begin_for_others("far", 0); /* nobody knows whose it is */
	spin(100);
	hpcrun_region_end("far");
	begin("none", 1000);
	spin(100);
	hpcrun_region_end("none");
	sink = 0;
}

/* More of them in each other than are kept. */
static void many(void)
{
	char name[400];
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "r%0*d", i % 2 ? 300 : 3, i);
		hpcrun_region_begin(name);
	}
	spin(50);
	for (int i = 0; i < 100; i++)
		hpcrun_region_end(NULL);
	hpcrun_region_begin("after");
	spin(50);
	hpcrun_region_end("after");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nested";
	if (strcmp(what, "nested") == 0)
		nested();
	else if (strcmp(what, "deep") == 0)
		below(3000);
	else if (strcmp(what, "threads") == 0)
		threads();
	else if (strcmp(what, "fork") == 0)
		forked();
	else if (strcmp(what, "longjmp") == 0)
		jumped();
	else if (strcmp(what, "unbalanced") == 0)
		unbalanced();
	else if (strcmp(what, "wrapped") == 0)
		wrapped();
	else if (strcmp(what, "many") == 0)
		many();
	else if (strcmp(what, "killed") == 0) {
		nested();
		hpcrun_region_begin("open");
		raise(SIGKILL);
	}
	puts("done");
	return 0;
}
