/* A hash table from 64-bit keys to pointers: open addressing, no removal. */
#ifndef SYMBOLIZE_MAP_H
#define SYMBOLIZE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL: a free slot */
};

/* All zeros is an empty map. */
struct map {
	struct map_slot *slots;
	size_t len, cap; /* cap is 0 or a power of two */
};

void map_free(struct map *m);
/* The value of key, or NULL. */
void *map_get(const struct map *m, uint64_t key);
/* Set the value (not NULL) of key; false if memory ran out. */
bool map_put(struct map *m, uint64_t key, void *value);

/* Spread the bits of a key; also good for combining keys. The finalizer of
 * splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t map_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

#endif
