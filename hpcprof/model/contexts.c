#include "hpcprof/model/contexts.h"

#include "hpcprof/model/hugepage.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10 };

void contexts_close(struct contexts *c)
{
	free(c->slots);
	c->slots = NULL;
}

void contexts_deinit(struct contexts *c)
{
	if (!c)
		return;
	contexts_close(c);
	free(c->keys);
	free(c->paths);
	memset(c, 0, sizeof *c);
}

static inline void put(struct context_slot *slots, unsigned shift, struct context_slot s)
{
	uint64_t mask = (UINT64_C(1) << (64 - shift)) - 1, i = s.path >> shift;

	while (slots[i].id)
		i = (i + 1) & mask;
	slots[i] = s;
}

/* Slots are in the order of their hashes, except for those displaced by collisions. So both tables
 * are accessed sequentially. */
static bool grow_slots(struct contexts *c)
{
	unsigned bits = c->slots ? 64 - c->shift + 1 : FIRST_BITS;
	uint64_t have = c->slots ? UINT64_C(1) << (bits - 1) : 0;
	struct context_slot *slots;

	if (bits > 34)
		return false;
	slots = hugepage_zeroed((UINT64_C(1) << bits) * sizeof *slots);
	if (!slots)
		return false;
	for (uint64_t i = 0; i < have; i++)
		if (c->slots[i].id)
			put(slots, 64 - bits, c->slots[i]);
	free(c->slots);
	c->slots = slots;
	c->shift = 64 - bits;
	return true;
}

static bool grow_arrays(struct contexts *c)
{
	uint64_t cap = c->cap ? (uint64_t)c->cap * 2 : 64;
	uint64_t *keys, *paths;

	if (cap > CONTEXT_NONE)
		cap = CONTEXT_NONE;
	keys = realloc(c->keys, cap * sizeof *keys);
	if (keys)
		c->keys = hugepage_advise(keys, cap * sizeof *keys);
	paths = realloc(c->paths, cap * sizeof *paths);
	if (paths)
		c->paths = hugepage_advise(paths, cap * sizeof *paths);
	if (!keys || !paths)
		return false;
	c->cap = (uint32_t)cap;
	return true;
}

uint32_t contexts_insert(struct contexts *c, uint32_t parent, uint64_t path, uint32_t frame)
{
	uint64_t room = c->slots ? (UINT64_C(1) << (64 - c->shift)) / 2 : 0;

	if (c->len >= CONTEXT_NONE - 1 || (c->len == c->cap && !grow_arrays(c)) ||
	    (c->len >= room && !grow_slots(c)))
		return CONTEXT_NONE;
	c->keys[c->len] = (uint64_t)parent << 32 | frame;
	c->paths[c->len] = path;
	put(c->slots, c->shift, (struct context_slot){path, parent, c->len + 1});
	return c->len++;
}
