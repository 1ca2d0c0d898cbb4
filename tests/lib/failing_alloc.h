/* Count what a test allocates, and let the N-th allocation fail. Works in tests
 * that are linked with $(wrap_alloc) (tests/tests.mk); it sees malloc, calloc,
 * realloc and free called from our own objects. Not thread-safe. */
#ifndef TESTS_LIB_FAILING_ALLOC_H
#define TESTS_LIB_FAILING_ALLOC_H

#include <stddef.h>

/* Start counting afresh; the n-th allocation from now on fails (1: the next one),
 * with 0 none does. */
void failing_alloc_start(unsigned long n);
/* Since the start: allocations asked for, those not freed yet, and the most bytes
 * that were in use at a time. */
unsigned long failing_alloc_count(void);
long failing_alloc_live(void);
size_t failing_alloc_peak(void);

#endif
