/* Least significant digit first; digits that are the same in all keys cost no pass. */
#include "hpcprof/radix.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static unsigned digit_of(uint64_t key, unsigned shift)
{
	return (unsigned)(key >> shift) & (DIGITS - 1);
}

struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= items[i].key ^ items[0].key;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		size_t start[DIGITS + 1];
		struct radix_item *kept = items;
		if (!digit_of(differ, shift))
			continue;
		memset(start, 0, sizeof start);
		for (size_t i = 0; i < n; i++)
			start[digit_of(items[i].key, shift) + 1]++;
		for (unsigned d = 0; d < DIGITS; d++)
			start[d + 1] += start[d];
		for (size_t i = 0; i < n; i++)
			room[start[digit_of(items[i].key, shift)]++] = items[i];
		items = room;
		room = kept;
	}
	return items;
}
