#include "symbolize/functions.h"

void functions_init(struct functions *t, struct arena *arena)
{
	*t = (struct functions){.arena = arena};
}

void functions_deinit(struct functions *t)
{
	map_free(&t->by_key);
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
	uint64_t key = map_mix((uintptr_t)wanted->name) ^ (uintptr_t)wanted->file;
	key = map_mix(key) ^ wanted->line;
	if (wanted->source != SYMBOL_DWARF)
		key = map_mix(key) ^ wanted->low;
	struct function_record *first = map_get(&t->by_key, key);
	for (struct function_record *r = first; r; r = r->same_key)
		if (same_function(&r->f, wanted))
			return r;
	struct function_record *r = arena_alloc(t->arena, sizeof *r);
	if (!r || !map_put(&t->by_key, key, r))
		return NULL;
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
