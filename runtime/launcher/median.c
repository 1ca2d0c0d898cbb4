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

int64_t launch_lower_quartile(int64_t *values, int n)
{
	launch_median(values, n);
	return values[n / 4];
}

static int64_t deviation(const int64_t *values, int n, int i)
{
	return llabs(values[i] - values[n / 2]);
}

/* The median of the absolute deviations of sorted values from their median. The half of the values
 * that are nearest to the median are next to each other, so the others are left out from both ends:
 * the largest deviation of the rest is the median one. */
static int64_t median_deviation(const int64_t *values, int n)
{
	int lo = 0, hi = n - 1;
	while (hi - lo > n / 2)
		if (deviation(values, n, lo) > deviation(values, n, hi))
			lo++;
		else
			hi--;
	int64_t low = deviation(values, n, lo), high = deviation(values, n, hi);
	return low > high ? low : high;
}

/* From the median absolute deviation d the standard error is 1.2533 * 1.4826 * d / sqrt(n), as for
 * a normal distribution. */
bool launch_is_certain(int64_t *values, int n, int part)
{
	int64_t middle = launch_median(values, n);
	double error = 1.858 * (double)median_deviation(values, n) * part;
	return middle > 0 && error * error < (double)middle * (double)middle * n;
}

uint32_t launch_clip(int64_t ns)
{
	return ns < 0 ? 0 : ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}
