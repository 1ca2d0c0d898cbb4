/* A program for queries on profiles with known answers:
 *
 *     asked ALPHA BETA
 *
 * spends ALPHA and BETA milliseconds of CPU time in alpha and in beta. It calls `inner` only from
 * alpha, `common` from both and `alone` from neither; makes 150 nested calls; and calls malloc from
 * three places, from one of them three times as often. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KEEP __attribute__((noinline, noclone))

volatile unsigned long sink;

static inline __attribute__((always_inline)) void turn(void)
{
	for (int i = 0; i < 2000; i++)
		sink = sink * 3 + 1;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

KEEP static void common(void)
{
	turn();
	sink++;
}

KEEP static void inner(void)
{
	turn();
	common();
	sink++;
}

KEEP static void alpha(double ms)
{
	for (double end = now() + ms; now() < end;) {
		turn();
		inner();
	}
}

KEEP static void beta(double ms)
{
	for (double end = now() + ms; now() < end;) {
		turn();
		common();
	}
}

KEEP static void alone(void)
{
	for (double end = now() + 50; now() < end;)
		turn();
}

KEEP static void down(int n)
{
	if (n > 0)
		down(n - 1);
	else /* reads no clock: the test does not know the lines of libc */
		for (int i = 0; i < 15000; i++)
			turn();
	sink++;
}

/* Blocks that are too large for malloc's caches of free blocks, so that malloc takes time. */
static size_t size_of(int i)
{
	return 1500 + 16 * (size_t)(i % 64);
}

KEEP static void *one(int i)
{
	void *p = malloc(size_of(i));
	sink++;
	return p;
}

KEEP static void often(void **list)
{
	for (int i = 0; i < 30000; i++) {
		free(list[i % 1000]);
		list[i % 1000] = malloc(size_of(i));
	}
	sink++;
}

KEEP static void seldom(void **list)
{
	for (int i = 0; i < 10000; i++) {
		free(list[i % 1000]);
		list[i % 1000] = malloc(size_of(i));
	}
	sink++;
}

int main(int argc, char **argv)
{
	static void *list[1000];
	if (argc < 3)
		return 2;
	alpha(atof(argv[1]));
	beta(atof(argv[2]));
	alone();
	down(150);
	for (double end = now() + 200; now() < end;) {
		often(list);
		seldom(list);
		for (int i = 0; i < 10000; i++) {
			free(list[i % 1000]);
			list[i % 1000] = one(i);
		}
	}
	puts("done");
	return 0;
}
