/* Sorting many records by a 64-bit key in time that grows with their number alone. */
#ifndef HPCPROF_RADIX_H
#define HPCPROF_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t id;
};

/* Sort the n items at items by key; those of equal keys stay in their order. room has n
 * items, too. Returns where the sorted items are: items or room. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room, size_t n);

/* Sort n words by their upper 32 bits; equal ones stay in their order. room has n words, too; it
 * is used where there are more than RADIX_FEW. Quick for few words as well. */
enum { RADIX_FEW = 24 };
void radix_sort_words(uint64_t *at, uint64_t *room, size_t n);

#endif
