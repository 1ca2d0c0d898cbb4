/* Least significant digit first. Digits that are the same in all keys need no pass. */
#include "hpcprof/model/radix.h"

#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	BYTES = 1 << 8, /* for short lists: the counters are cleared for each list */
};

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

static void insert_words(uint64_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t word = at[i];
		size_t k = i;
		for (; k > 0 && at[k - 1] >> 32 > word >> 32; k--)
			at[k] = at[k - 1];
		at[k] = word;
	}
}

void radix_sort_words(uint64_t *at, uint64_t *room, size_t n)
{
	uint64_t differ = 0, *from = at, *to = room;

	if (n <= RADIX_FEW) {
		insert_words(at, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		differ |= at[i] ^ at[0];
	for (unsigned shift = 32; shift < 64; shift += 8) {
		size_t start[BYTES + 1] = {0};
		uint64_t *swap = from;
		if (!(differ >> shift & (BYTES - 1)))
			continue;
		for (size_t i = 0; i < n; i++)
			start[(from[i] >> shift & (BYTES - 1)) + 1]++;
		for (unsigned d = 0; d < BYTES; d++)
			start[d + 1] += start[d];
		for (size_t i = 0; i < n; i++)
			to[start[from[i] >> shift & (BYTES - 1)]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != at)
		memcpy(at, from, n * sizeof *at);
}
