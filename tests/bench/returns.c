/*
 * The cost of a counted return: a recursion to a depth, its path recorded there (hpcrun.h) or
 * not, and the time of all its returns. With `hpcrun --mark marks --returns all` each of them
 * goes through a slot. Run by depth.sh.
 *
 *	returns DEPTH
 *
 * prints ns of a return after a recording, and of one without, each the median of TURNS, in pairs.
 */
#include "runtime/hpcrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TURNS = 201 };

static int metric;
static volatile unsigned sink;
static double bottom;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline)) static void down(unsigned depth, int recorded)
{
	if (depth) {
		down(depth - 1, recorded);
	} else {
		if (recorded)
			hpcrun_record(metric, 1);
		bottom = now();
	}
	sink++;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double took[2][TURNS];
	unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;

	metric = hpcrun_metric_new("RECORDS", "count");
	for (int i = 0; i < TURNS; i++)
		for (int recorded = 0; recorded < 2; recorded++) {
			down(depth, recorded);
			took[recorded][i] = (now() - bottom) / depth;
		}
	for (int i = 0; i < 2; i++)
		qsort(took[i], TURNS, sizeof **took, by_value);
	printf("%.2f %.2f\n", took[1][TURNS / 2], took[0][TURNS / 2]);
	return 0;
}
