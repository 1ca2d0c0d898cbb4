/*
 * The cost of a sample, in ns, at a depth, when so many frames have changed since the last one: a
 * recursion returns through them and calls them again, and then its path is recorded (hpcrun.h),
 * which walks the stack and adds the path to the tree as a sample does. Run by changed.sh, which
 * subtracts what the calls take.
 *
 *	changed DEPTH CHANGED [libunwind]
 *	changed DEPTH 0 spin
 *
 * prints the median of the times of one turn. With libunwind, each turn is a walk by it instead;
 * WITH_LIBUNWIND must be defined. With spin, what one second of work took.
 */
#ifdef WITH_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "runtime/hpcrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 41, TURN_NS = 3000000 };

static int metric, use_libunwind, use_spin;
static unsigned long times = 1;
static volatile unsigned sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#ifdef WITH_LIBUNWIND
static void walk(void)
{
	unw_context_t context;
	unw_cursor_t cursor;

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (unw_step(&cursor) > 0)
		sink++;
}
#else
static void walk(void)
{
}
#endif

/* About a second: so many turns of a loop, whatever happens meanwhile. */
static void spin(void)
{
	double start = now();

	for (unsigned long i = 0; i < 500000000; i++)
		sink++;
	printf("%.0f\n", now() - start);
}

__attribute__((noinline)) static void record(void)
{
	if (use_libunwind)
		walk();
	else
		hpcrun_record(metric, 1);
	sink++;
}

/* The frames that change. */
__attribute__((noinline)) static void changing(unsigned n)
{
	if (n > 1)
		changing(n - 1);
	else
		record();
	sink++;
}

static double turn(unsigned changed)
{
	double start = now();

	for (unsigned long i = 0; i < times; i++)
		if (changed)
			changing(changed);
		else
			record();
	return (now() - start) / (double)times;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) static void measure(unsigned changed)
{
	double took[TURNS];

	turn(changed);
	while (turn(changed) * (double)times < TURN_NS)
		times *= 2;
	for (int i = 0; i < TURNS; i++)
		took[i] = turn(changed);
	qsort(took, TURNS, sizeof *took, by_value);
	printf("%.0f\n", took[TURNS / 2]);
}

/* The frames that stay. */
__attribute__((noinline)) static void staying(unsigned depth, unsigned changed)
{
	if (depth > changed)
		staying(depth - 1, changed);
	else if (use_spin)
		spin();
	else
		measure(changed);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	use_libunwind = argc > 3 && strcmp(argv[3], "libunwind") == 0;
	use_spin = argc > 3 && strcmp(argv[3], "spin") == 0;
	metric = hpcrun_metric_new("RECORDS", "count");
	staying((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	return 0;
}
