/* What it costs a program to say something of itself (runtime/hpcrun.h), in ns: a region, a region
 * in two others, a recording at a depth of 50 frames, a label that is set to a number, and
 * to stop measuring or to start it. */
#include "runtime/hpcrun.h"

#include <stdio.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static int metric;
static volatile unsigned sink;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

APART static double regions(int n)
{
	double begin = now();
	for (int i = 0; i < n; i++) {
		hpcrun_region_begin("assembly of the matrix");
		hpcrun_region_end("assembly of the matrix");
	}
	return (now() - begin) / n;
}

APART static double labels(int n)
{
	double begin = now();
	for (int i = 0; i < n; i++)
		hpcrun_label_set_number("request", i);
	double took = (now() - begin) / n;
	hpcrun_label_clear("request");
	return took;
}

APART static double stops(int n)
{
	double begin = now();
	for (int i = 0; i < n; i++) {
		hpcrun_stop();
		hpcrun_start();
	}
	return (now() - begin) / n / 2;
}

APART static double recordings(int depth, int n)
{
	double begin, took;
	if (depth > 0) {
		took = recordings(depth - 1, n);
		sink = sink + 1;
		return took;
	}
	begin = now();
	for (int i = 0; i < n; i++)
		hpcrun_record(metric, 1);
	return (now() - begin) / n;
}

int main(void)
{
	enum { TIMES = 5000000, RECORDINGS = 200000, DEPTH = 50 };
	double one, two;
	metric = hpcrun_metric_new("RECORDED", "count");
	one = regions(TIMES);
	hpcrun_region_begin("outer");
	hpcrun_region_begin("inner");
	two = regions(TIMES);
	hpcrun_region_end("inner");
	hpcrun_region_end("outer");
	printf("%.2f %.2f %.2f ", one, two, recordings(DEPTH, RECORDINGS));
	printf("%.2f ", labels(TIMES));
	printf("%.2f\n", stops(RECORDINGS));
	return 0;
}
