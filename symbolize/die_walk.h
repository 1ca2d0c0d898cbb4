/* Walks the DIEs of a unit in their order, each at most once, in time that is linear in the bytes
 * of the unit, whatever its references to siblings say. libdw finds the sibling of a DIE without
 * DW_AT_sibling by reading all DIEs below it; here that is done only for DIEs that are skipped. */
#ifndef SYMBOLIZE_DIE_WALK_H
#define SYMBOLIZE_DIE_WALK_H

#include "symbolize/work.h"

#include <elfutils/libdw.h>
#include <stdint.h>

struct die_visitor {
	/* Called for each DIE. outer: what visit said in *inner of the DIE that it is in. 1: also
	 * visit what is below it; 0: skip that; -1: end the walk. */
	int (*visit)(void *context, Dwarf_Die *die, uint32_t outer, uint32_t *inner);
	/* Called after what is below a DIE, whose *inner it was, was visited. end: the address of
	 * the first byte after it; may be NULL: to the end of the unit. The function may be NULL.
	 */
	bool (*leave)(void *context, uint32_t inner, const char *end);
	void *context;
};

/* Walk what is below root. outer: of its children. -1 if visit or leave failed or memory ran out; 0
 * also if the unit is damaged or the work was not paid for: then what is left was not visited. */
int die_walk(struct work *work, Dwarf_Die *root, uint32_t outer, const struct die_visitor *v);

/* Make *die its next sibling, which is behind it. False if there is none, or the work was not paid
 * for. */
bool die_walk_next(struct work *work, Dwarf_Die *die);

#endif
