#include "symbolize/map.h"

#include <stdlib.h>

void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

static struct map_slot *find(const struct map *m, uint64_t key)
{
	size_t i = map_mix(key) & (m->cap - 1);
	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

void *map_get(const struct map *m, uint64_t key)
{
	return m->cap ? find(m, key)->value : NULL;
}

static bool grow(struct map *m)
{
	struct map bigger = {.cap = m->cap ? m->cap * 2 : 64};
	bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value)
			*find(&bigger, m->slots[i].key) = m->slots[i];
	bigger.len = m->len;
	free(m->slots);
	*m = bigger;
	return true;
}

bool map_put(struct map *m, uint64_t key, void *value)
{
	/* At most two thirds full, so that a search always ends. */
	if (m->len + m->len / 2 >= m->cap && !grow(m))
		return false;
	struct map_slot *slot = find(m, key);
	if (!slot->value)
		m->len++;
	*slot = (struct map_slot){.key = key, .value = value};
	return true;
}
