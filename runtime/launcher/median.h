/* Statistics of repeated measurements. Each sorts the n values, of which there is at least one. */
#ifndef RUNTIME_LAUNCHER_MEDIAN_H
#define RUNTIME_LAUNCHER_MEDIAN_H

#include <stdbool.h>
#include <stdint.h>

/* The larger one of the two in the middle of an even number. */
int64_t launch_median(int64_t *values, int n);

/* A quarter of the values are less. If the values are times to which other work on the machine
 * adds, this varies less than their median. */
int64_t launch_lower_quartile(int64_t *values, int n);

/* Whether the median is positive and its standard error is 1/part of it at most. */
bool launch_is_certain(int64_t *values, int n, int part);

/* A time in ns as stored in csprof_cost: at least 0 and at most UINT32_MAX. */
uint32_t launch_clip(int64_t ns);

#endif
