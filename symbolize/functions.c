#include "symbolize/functions.h"

void functions_init(struct functions *t, struct arena *arena)
{
	*t = (struct functions){.arena = arena};
}

void functions_deinit(struct functions *t)
{
	interner_deinit(&t->keys);
	vec_free(&t->by_key);
}

/* Combine a key with one more part. The multiplier is that of the golden ratio. */
static uint64_t combine(uint64_t key, uint64_t part)
{
	key = (key ^ part) * UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 32;
}

/* Functions with the same name, but without DWARF, have no file that distinguishes them; use their
 * address. */
static bool same_function(const struct symbol_function *a, const struct symbol_function *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line &&
	       a->source == b->source && (a->source == SYMBOL_DWARF || a->low == b->low);
}

struct function_record *functions_get(struct functions *t, const struct symbol_function *wanted)
{
	uint64_t key = combine((uintptr_t)wanted->name, (uintptr_t)wanted->file);
	key = combine(key, wanted->line);
	if (wanted->source != SYMBOL_DWARF)
		key = combine(key, wanted->low);
	if (!vec_reserve(&t->by_key, t->by_key.len + 1))
		return NULL;
	uint32_t id = interner_add(&t->keys, key);
	if (id == INTERNER_NONE)
		return NULL;
	if (id == t->by_key.len)
		t->by_key.at[t->by_key.len++] = NULL;
	struct function_record *first = t->by_key.at[id];
	for (struct function_record *r = first; r; r = r->same_key)
		if (same_function(&r->f, wanted))
			return r;
	struct function_record *r = arena_alloc(t->arena, sizeof *r);
	if (!r)
		return NULL;
	t->by_key.at[id] = r;
	*r = (struct function_record){.f = *wanted, .same_key = first, .older = t->newest};
	t->newest = r;
	return r;
}

void functions_add_copy(struct function_record *r, uint64_t entry, uint64_t low)
{
	if (low && (!r->f.low || low < r->f.low))
		r->f.low = low;
	if (entry && (!r->entry || entry < r->entry))
		r->entry = entry;
}
