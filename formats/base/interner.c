#include "formats/base/interner.h"

#include "formats/base/vec.h"

#include <stdlib.h>
#include <string.h>

void interner_deinit(struct interner *in)
{
	if (!in)
		return;
	if (in->cap)
		free(in->keys);
	free(in->slots);
	memset(in, 0, sizeof *in);
}

static void put(uint32_t *slots, uint32_t mask, uint64_t key, uint32_t id)
{
	uint32_t i = (uint32_t)hash_number(key) & mask;
	while (slots[i])
		i = (i + 1) & mask;
	slots[i] = id + 1;
}

/* Make want slots, a power of two, for the keys. */
static bool make_slots(struct interner *in, uint64_t want)
{
	uint32_t *slots;

	if (want > UINT64_C(1) << 32)
		return false;
	slots = calloc(want, sizeof *slots);
	if (!slots)
		return false;
	for (uint32_t id = 0; id < in->len; id++)
		put(slots, (uint32_t)(want - 1), in->keys[id], id);
	free(in->slots);
	in->slots = slots;
	in->mask = (uint32_t)(want - 1);
	return true;
}

/* Double the slots. Called before two thirds of them are used. */
static bool grow_slots(struct interner *in)
{
	return make_slots(in, in->slots ? ((uint64_t)in->mask + 1) * 2 : 16);
}

bool interner_over(struct interner *in, const uint64_t *keys, uint32_t n)
{
	uint64_t want = 16;

	while (n >= want / 3 * 2)
		want *= 2;
	*in = (struct interner){.keys = (uint64_t *)keys, .len = n};
	if (make_slots(in, want))
		return true;
	memset(in, 0, sizeof *in);
	return false;
}

uint32_t interner_insert(struct interner *in, uint64_t key)
{
	size_t cap = in->cap;

	if (in->len >= UINT32_MAX - 1)
		return INTERNER_NONE;
	if ((!in->slots || in->len >= (in->mask + UINT64_C(1)) / 3 * 2) && !grow_slots(in))
		return INTERNER_NONE;
	if (in->len == in->cap) {
		if (!vec_grow((void **)&in->keys, &cap, (size_t)in->len + 1, sizeof *in->keys))
			return INTERNER_NONE;
		in->cap = cap > UINT32_MAX ? UINT32_MAX : (uint32_t)cap;
	}
	in->keys[in->len] = key;
	put(in->slots, in->mask, key, in->len);
	return in->len++;
}
