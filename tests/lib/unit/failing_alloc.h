/* Counts the allocations of a test, and makes the N-th one fail. Works in tests that are linked
 * with $(wrap_alloc) (tests/tests.mk). It sees calls of malloc, calloc, realloc and free in our own
 * objects. Not thread-safe. */
#ifndef TESTS_LIB_UNIT_FAILING_ALLOC_H
#define TESTS_LIB_UNIT_FAILING_ALLOC_H

#include <stddef.h>

/* Reset the counters. The n-th allocation from now on fails (1: the next one); with 0 none does. */
void failing_alloc_start(unsigned long n);
/* Since the start: number of allocations, number of those not freed yet, and the most bytes in use
 * at a time. */
unsigned long failing_alloc_count(void);
long failing_alloc_live(void);
size_t failing_alloc_peak(void);

#endif
