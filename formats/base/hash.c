#include "formats/base/hash.h"

#include <string.h>
#include <sys/auxv.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

struct hash_seed hash_seed = {0, 0x9e3779b97f4a7c15, 0x9e3779b97f4a7c1};

/* The kernel gives each program 16 random bytes. glibc keeps secrets of its own in them, which a
 * hash does not give away: nothing is said but how long a table takes. */
__attribute__((constructor)) static void draw(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t words[2];

	if (!random)
		return;
	memcpy(words, random, sizeof words);
	hash_seed.mask = words[0];
	hash_seed.factor = words[1] | 1;
	hash_seed.point = (words[0] ^ hash_number(words[1]) << 29) % PRIME;
}

/* Below 2^61 + 8, if a is below 2^62. */
static uint64_t times_point(uint64_t a)
{
	unsigned __int128 product = (unsigned __int128)a * hash_seed.point;
	uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

	return (sum & PRIME) + (sum >> 61);
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
	const char *at = bytes;
	uint64_t value = n + 1, word;

	for (; n >= 7; n -= 7, at += 7) {
		word = 0;
		memcpy(&word, at, 7);
		value = times_point(value) + word;
	}
	if (n) {
		word = 0;
		memcpy(&word, at, n);
		value = times_point(value) + word;
	}
	return hash_number(times_point(value) % PRIME);
}
