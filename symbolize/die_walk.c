#include "symbolize/die_walk.h"

#include "formats/base/vec.h"

#include <dwarf.h>

/* Steps for a DIE besides its bytes: its attributes are looked for several times. */
enum { STEPS_PER_DIE = 8 };

/* The DIEs in one DIE. */
struct die_level {
	Dwarf_Die at;   /* that was visited last, or is the next */
	uint32_t outer; /* for visit */
};

struct die_walk {
	struct work *work;
	const struct die_visitor *v;
	const char *end; /* of the unit */
	VEC(struct die_level) levels;
};

static const char *address_of(const Dwarf_Die *die)
{
	return die->addr;
}

/* The end of the unit that has this DIE; NULL if it is not known. */
static const char *unit_end(Dwarf_Die *die)
{
	Dwarf_Die root;
	Dwarf_Off offset, next;
	Dwarf_Half version;
	uint64_t signature;
	uint8_t type;
	size_t header;

	if (!dwarf_diecu(die, &root, NULL, NULL) ||
	    dwarf_cu_info(root.cu, &version, &type, NULL, NULL, NULL, NULL, NULL) != 0)
		return NULL;
	/* Version 4 has the types in a section of their own. */
	bool types = version == 4 && type == DW_UT_type;
	offset = dwarf_dieoffset(&root) - dwarf_cuoffset(&root);
	if (dwarf_next_unit(dwarf_cu_getdwarf(root.cu), offset, &next, &header, NULL, NULL, NULL,
			    NULL, types ? &signature : NULL, NULL) != 0 ||
	    next <= dwarf_dieoffset(&root))
		return NULL;
	return address_of(&root) + (next - dwarf_dieoffset(&root));
}

/* The DIE at an address of the unit that has die. */
static Dwarf_Die die_at(const Dwarf_Die *die, const char *address)
{
	return (Dwarf_Die){.addr = (void *)address, .cu = die->cu};
}

static bool pay(struct work *work, const Dwarf_Die *from, const Dwarf_Die *to)
{
	return work_pay(work, STEPS_PER_DIE + (uint64_t)(address_of(to) - address_of(from)));
}

/* The sibling of a DIE, with all below it skipped. 0; or 1 if it is the last, and *next is at the
 * byte that ends its level; or -1 if the unit ends or is damaged. */
static int sibling_of(struct work *work, Dwarf_Die *die, Dwarf_Die *next)
{
	*next = (Dwarf_Die){.cu = die->cu};
	int result = dwarf_siblingof(die, next);
	if (result < 0 || address_of(next) <= address_of(die) || !pay(work, die, next))
		return -1;
	return result;
}

bool die_walk_next(struct work *work, Dwarf_Die *die)
{
	Dwarf_Die next;
	if (sibling_of(work, die, &next) != 0)
		return false;
	*die = next;
	return true;
}

/* The level at the top ends before end. */
static bool leave(struct die_walk *w, const char *end)
{
	uint32_t outer = w->levels.at[--w->levels.len].outer;
	return !w->levels.len || !w->v->leave || w->v->leave(w->v->context, outer, end);
}

/* Go on after die, which was visited: found is the result of sibling_of for it. */
static bool go_on(struct die_walk *w, int found, Dwarf_Die next)
{
	while (found > 0) {
		const char *after = address_of(&next) + 1;
		if (!leave(w, after))
			return false;
		if (!w->levels.len)
			return true;
		next = die_at(&next, after);
		if (!w->end || after >= w->end)
			found = -1;
		else
			found = *after == 0;
	}
	if (found == 0) {
		w->levels.at[w->levels.len - 1].at = next;
		return true;
	}
	while (w->levels.len)
		if (!leave(w, NULL))
			return false;
	return true;
}

static bool walk(struct die_walk *w)
{
	while (w->levels.len) {
		struct die_level top = w->levels.at[w->levels.len - 1];
		Dwarf_Die next = {0};
		uint32_t inner = top.outer;
		int into = w->v->visit(w->v->context, &top.at, top.outer, &inner), found;
		if (into < 0)
			return false;
		if (into && dwarf_haschildren(&top.at) > 0 && dwarf_child(&top.at, &next) == 0 &&
		    pay(w->work, &top.at, &next)) {
			if (!vec_push(&w->levels, (struct die_level){next, inner}))
				return false;
			continue;
		}
		found = sibling_of(w->work, &top.at, &next);
		if (into && w->v->leave &&
		    !w->v->leave(w->v->context, inner, found < 0 ? NULL : address_of(&next)))
			return false;
		if (!go_on(w, found, next))
			return false;
	}
	return true;
}

int die_walk(struct work *work, Dwarf_Die *root, uint32_t outer, const struct die_visitor *v)
{
	struct die_walk w = {.work = work, .v = v, .end = unit_end(root)};
	Dwarf_Die child;
	int result = 0;
	if (dwarf_child(root, &child) == 0)
		result = vec_push(&w.levels, (struct die_level){child, outer}) && walk(&w) ? 0 : -1;
	vec_free(&w.levels);
	return result;
}
