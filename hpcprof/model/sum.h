/* Sums that saturate at 2^64 - 1 instead of wrapping. */
#ifndef HPCPROF_MODEL_SUM_H
#define HPCPROF_MODEL_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* a + b; sets *saturated if that exceeds 2^64 - 1, and never clears it. */
static inline uint64_t sum_add(uint64_t a, uint64_t b, bool *saturated)
{
	uint64_t s;
	if (!__builtin_add_overflow(a, b, &s))
		return s;
	*saturated = true;
	return UINT64_MAX;
}

/* The same for a * b. */
static inline uint64_t sum_mul(uint64_t a, uint64_t b, bool *saturated)
{
	uint64_t p;
	if (!__builtin_mul_overflow(a, b, &p))
		return p;
	*saturated = true;
	return UINT64_MAX;
}

#endif
