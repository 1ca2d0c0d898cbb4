/* Random numbers for the times of samples. Async-signal-safe. A seed belongs to one thread and is
 * not 0. */
#ifndef RUNTIME_BASE_RANDOM_H
#define RUNTIME_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* 64 random bits: xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled"), good enough to keep samples from running in step with the program. */
static inline uint64_t csprof_random(uint64_t *seed)
{
	uint64_t x = *seed;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*seed = x;
	return x * 0x2545F4914F6CDD1Dull;
}

/* An exponential time with that mean, by comparisons only (von Neumann, "Various techniques used in
 * connection with random digits", 1951): a run of falling numbers that begins with x is of odd
 * length with probability exp(-x), and after each one of even length the mean is added. */
static inline uint64_t csprof_random_gap(uint64_t *seed, uint64_t mean)
{
	for (uint64_t whole = 0;; whole += mean) {
		uint64_t first = csprof_random(seed), last = first, next;
		bool odd = true;
		for (; (next = csprof_random(seed)) < last; last = next)
			odd = !odd;
		if (odd)
			return whole + (uint64_t)((unsigned __int128)first * mean >> 64);
	}
}

#endif
