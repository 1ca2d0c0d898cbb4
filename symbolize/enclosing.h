/* What encloses a DIE. DWARF links a DIE to its children only, so the first question about a unit
 * reads all of it once. */
#ifndef SYMBOLIZE_ENCLOSING_H
#define SYMBOLIZE_ENCLOSING_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "symbolize/work.h"

#include <elfutils/libdw.h>

/* The units that were read. All zeros with work is none. For one thread, and for as long as the
 * Dwarf. */
struct enclosing {
	struct interner dies;               /* addresses of the units' DIEs */
	VEC(struct enclosing_unit *) units; /* [dies] */
	struct work *work;
};

void enclosing_free(struct enclosing *e);

/* The namespace, type, function or block that die is in: 1 and *parent filled, 0 if there is none,
 * -1 if memory ran out. */
int enclosing_of(struct enclosing *e, const Dwarf_Die *die, Dwarf_Die *parent);

#endif
