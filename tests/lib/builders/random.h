/* Pseudo-random numbers that are the same in each run. */
#ifndef TESTS_LIB_BUILDERS_RANDOM_H
#define TESTS_LIB_BUILDERS_RANDOM_H

#include <stdint.h>

/* The next number, below n. */
static inline uint32_t random_below(uint32_t n)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

#endif
