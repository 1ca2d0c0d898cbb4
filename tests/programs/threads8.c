/* Eight OpenMP threads that sort and sum.
 *
 *     threads8 ROUNDS
 *
 * Built with -fopenmp. Prints a checksum. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 60000 };

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

__attribute__((noinline)) static uint64_t sort_some(uint32_t seed)
{
	uint32_t *list = malloc(COUNT * sizeof *list);
	uint64_t sum = 0;

	if (!list)
		abort();
	for (int i = 0; i < COUNT; i++)
		list[i] = seed = seed * 1664525 + 1013904223;
	qsort(list, COUNT, sizeof *list, ascending);
	for (int i = 0; i < COUNT; i++)
		sum += (uint64_t)list[i] * i;
	free(list);
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	uint64_t sum = 0;

	omp_set_num_threads(8);
	omp_set_dynamic(0);
	for (int round = 0; round < rounds; round++) {
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
		for (int part = 0; part < 8; part++)
			sum += sort_some(round * 8 + part);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
