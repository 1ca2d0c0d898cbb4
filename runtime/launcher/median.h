/* The median of repeated measurements. */
#ifndef RUNTIME_LAUNCHER_MEDIAN_H
#define RUNTIME_LAUNCHER_MEDIAN_H

#include <stdint.h>

/* The larger one of the two in the middle of an even number. Sorts the n values, at least one. */
int64_t launch_median(int64_t *values, int n);

/* A time in ns as stored in csprof_cost: at least 0 and at most UINT32_MAX. */
uint32_t launch_clip(int64_t ns);

#endif
