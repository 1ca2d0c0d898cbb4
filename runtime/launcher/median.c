#include "runtime/launcher/median.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int64_t launch_median(int64_t *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, compare);
	return values[n / 2];
}

uint32_t launch_clip(int64_t ns)
{
	return ns < 0 ? 0 : ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}
