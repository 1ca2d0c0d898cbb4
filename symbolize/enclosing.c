#include "symbolize/enclosing.h"

#include "formats/base/search.h"
#include "formats/base/vec.h"
#include "symbolize/die_walk.h"

#include <dwarf.h>
#include <stdlib.h>

/* From an address of a unit on, as libdw has it in memory: the innermost DIE that may enclose
 * others. */
struct enclosing_place {
	const char *from;
	uint32_t die; /* index, or NONE */
};

/* A DIE that may enclose others. */
struct enclosing_die {
	Dwarf_Die die;
	uint32_t parent; /* index, or NONE */
};

enum { NONE = UINT32_MAX };

struct enclosing_unit {
	VEC(struct enclosing_die) dies;
	VEC(struct enclosing_place) places; /* ascending */
	const char *last;                   /* that was visited */
};

static bool encloses(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

static bool add_place(struct enclosing_unit *u, const char *from, uint32_t die)
{
	return vec_push(&u->places, (struct enclosing_place){from, die});
}

static int enter(void *context, Dwarf_Die *die, uint32_t outer, uint32_t *inner)
{
	struct enclosing_unit *u = context;

	u->last = die->addr;
	if (!encloses(dwarf_tag(die)) || dwarf_haschildren(die) <= 0)
		return 0;
	if (u->dies.len == NONE || !vec_push(&u->dies, (struct enclosing_die){*die, outer}))
		return -1;
	*inner = (uint32_t)u->dies.len - 1;
	/* it does not enclose itself */
	return add_place(u, (const char *)die->addr + 1, *inner) ? 1 : -1;
}

static bool leave(void *context, uint32_t inner, const char *end)
{
	struct enclosing_unit *u = context;

	return !end || add_place(u, end, u->dies.at[inner].parent);
}

static bool read_unit(struct enclosing_unit *u, struct work *work, Dwarf_Die *root)
{
	const struct die_visitor v = {.visit = enter, .leave = leave, .context = u};

	if (die_walk(work, root, NONE, &v) != 0)
		return false;
	/* nothing is known of what was not paid for */
	return !work->over || !u->last || add_place(u, u->last + 1, NONE);
}

static void free_unit(struct enclosing_unit *u)
{
	vec_free(&u->dies);
	vec_free(&u->places);
	free(u);
}

void enclosing_free(struct enclosing *e)
{
	for (size_t i = 0; i < e->units.len; i++)
		free_unit(e->units.at[i]);
	vec_free(&e->units);
	interner_deinit(&e->dies);
}

/* The unit that root is the DIE of, which is read if it is new. NULL if memory ran out. */
static struct enclosing_unit *unit_of(struct enclosing *e, Dwarf_Die *root)
{
	uint32_t id = interner_find(&e->dies, (uintptr_t)root->addr);
	struct enclosing_unit *u;

	if (id != INTERNER_NONE)
		return e->units.at[id];
	u = calloc(1, sizeof *u);
	if (!u || !read_unit(u, e->work, root) || !vec_reserve(&e->units, e->units.len + 1) ||
	    interner_insert(&e->dies, (uintptr_t)root->addr) == INTERNER_NONE) {
		if (u)
			free_unit(u);
		return NULL;
	}
	return e->units.at[e->units.len++] = u;
}

int enclosing_of(struct enclosing *e, const Dwarf_Die *die, Dwarf_Die *parent)
{
	Dwarf_Die self = *die, root;
	struct enclosing_unit *u;
	size_t i;

	if (!dwarf_diecu(&self, &root, NULL, NULL))
		return 0;
	u = unit_of(e, &root);
	if (!u)
		return -1;
	i = SEARCH_FIRST(k, 0, u->places.len, u->places.at[k].from > (const char *)die->addr);
	if (!i || u->places.at[i - 1].die == NONE)
		return 0;
	*parent = u->dies.at[u->places.at[i - 1].die].die;
	return 1;
}
