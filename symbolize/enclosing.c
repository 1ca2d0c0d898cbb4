#include "symbolize/enclosing.h"

#include "formats/base/search.h"
#include "formats/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

/* A DIE that may enclose others, and where its descendants are in memory, as libdw has them. */
struct enclosing_span {
	Dwarf_Die die;
	const char *end; /* NULL: the end of what encloses it */
	uint32_t parent; /* index, or NONE */
};

enum { NONE = UINT32_MAX };

struct enclosing_unit {
	VEC(struct enclosing_span) spans; /* by address: the order of the unit */
};

/* A DIE to be visited, and the span that it is in. */
struct enclosing_step {
	Dwarf_Die die;
	uint32_t parent;
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

static bool read_unit(struct enclosing_unit *u, Dwarf_Die *root)
{
	VEC(struct enclosing_step) steps = {0};
	Dwarf_Die child;
	bool ok = dwarf_child(root, &child) != 0 ||
		  vec_push(&steps, (struct enclosing_step){child, NONE});

	while (ok && steps.len) {
		struct enclosing_step now = steps.at[steps.len - 1];
		bool inside = encloses(dwarf_tag(&now.die)) && dwarf_haschildren(&now.die) > 0 &&
			      dwarf_child(&now.die, &child) == 0;
		Dwarf_Die next;
		/* A corrupt sibling reference may point backwards. */
		bool more = dwarf_siblingof(&now.die, &next) == 0 && next.addr > now.die.addr;
		if (more)
			steps.at[steps.len - 1].die = next;
		else
			steps.len--;
		if (!inside)
			continue;
		ok = u->spans.len < NONE &&
		     vec_push(&u->spans, (struct enclosing_span){now.die, more ? next.addr : NULL,
								 now.parent}) &&
		     vec_push(&steps, (struct enclosing_step){child, (uint32_t)u->spans.len - 1});
	}
	vec_free(&steps);
	return ok;
}

static void free_unit(struct enclosing_unit *u)
{
	vec_free(&u->spans);
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
	if (!u || !read_unit(u, root) || !vec_reserve(&e->units, e->units.len + 1) ||
	    interner_insert(&e->dies, (uintptr_t)root->addr) == INTERNER_NONE) {
		if (u)
			free_unit(u);
		return NULL;
	}
	return e->units.at[e->units.len++] = u;
}

/* Whether address, which is not below the span's, is in span i. */
static bool is_in(const struct enclosing_unit *u, uint32_t i, const char *address)
{
	for (; i != NONE; i = u->spans.at[i].parent)
		if (u->spans.at[i].end)
			return address < u->spans.at[i].end;
	return true;
}

int enclosing_of(struct enclosing *e, const Dwarf_Die *die, Dwarf_Die *parent)
{
	Dwarf_Die self = *die, root;
	struct enclosing_unit *u;
	uint32_t i;

	if (!dwarf_diecu(&self, &root, NULL, NULL))
		return 0;
	u = unit_of(e, &root);
	if (!u)
		return -1;
	i = SEARCH_FIRST(k, 0, u->spans.len,
			 (const char *)u->spans.at[k].die.addr >= (const char *)die->addr);
	for (i--; i != NONE && !is_in(u, i, die->addr);)
		i = u->spans.at[i].parent;
	if (i == NONE)
		return 0;
	*parent = u->spans.at[i].die;
	return 1;
}
