/* Hashes for tables whose keys strangers choose. The functions are drawn at random when the program
 * starts, so that nobody can make keys that fall into one place and a table that takes quadratic
 * time. For tables only: they are others in each process. Safe in any thread. */
#ifndef FORMATS_BASE_HASH_H
#define FORMATS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_seed {
	uint64_t mask, factor; /* factor is odd */
	uint64_t point;        /* less than 2^61 - 1 */
};

extern struct hash_seed hash_seed; /* set before main */

/* 32 bits. Multiplication by a random odd number, and the second half of MurmurHash3's finalizer.
 */
static inline uint64_t hash_number(uint64_t key)
{
	key = (key ^ hash_seed.mask) * hash_seed.factor;
	key ^= key >> 32;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key >> 32;
}

/* 32 bits. The bytes are the coefficients of a polynomial modulo the prime 2^61 - 1, which is
 * evaluated at a random point (Carter and Wegman, "Universal classes of hash functions", 1979): two
 * texts of n bytes have the same value with a probability of at most (n / 7 + 2) / 2^61. */
uint64_t hash_bytes(const void *bytes, size_t n);

#endif
