/* Arithmetic of times and counts. */
#ifndef RUNTIME_BASE_SCALE_H
#define RUNTIME_BASE_SCALE_H

#include <stdint.h>

/* n * by / per; where the product has more than 64 bits, about that, and UINT64_MAX if the result
 * has. per is not 0. (A division of 128 bits would be a call of a library.) */
static inline uint64_t csprof_scale(uint64_t n, uint64_t by, uint64_t per)
{
	while (by && n > UINT64_MAX / by) {
		if (n > by)
			n >>= 1;
		else
			by >>= 1;
		per >>= 1;
	}
	return per ? n * by / per : UINT64_MAX;
}

static inline uint64_t csprof_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t csprof_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
