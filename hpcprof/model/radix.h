/* Sorts many records by a 64-bit key in linear time. */
#ifndef HPCPROF_MODEL_RADIX_H
#define HPCPROF_MODEL_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t id;
};

/* Sort the n items at items by key. The sort is stable. room also has n items. Returns where the
 * sorted items are: items or room. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room, size_t n);

/* Sort n words by their upper 32 bits. The sort is stable. room also has n words; it is used if
 * there are more than RADIX_FEW. Also fast for few words. */
enum { RADIX_FEW = 24 };
void radix_sort_words(uint64_t *at, uint64_t *room, size_t n);

#endif
