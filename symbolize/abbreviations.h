/* What the abbreviations of units cost. libdw reads those of a unit from the beginning of its table
 * up to the one that it looks for, keeps them for this unit alone, and reads the first DIE of all
 * units that it comes by. So it is asked about a unit only when that is paid for. */
#ifndef SYMBOLIZE_ABBREVIATIONS_H
#define SYMBOLIZE_ABBREVIATIONS_H

#include "symbolize/section.h"
#include "symbolize/work.h"

/* All zeros with work is none. For one thread, and for as long as the Dwarfs. */
struct abbreviations {
	struct work *work;
	struct dwarf_sections tables; /* .debug_abbrev */
	struct interner units;        /* that were paid for, by the address of their DIE */
	struct interner refused;      /* the others that were asked for */
	bool failed;                  /* memory ran out */
};

void abbreviations_free(struct abbreviations *a);

/* Pay for the first DIEs of all units of a file. False if that cannot be paid for: then nothing is
 * to be asked about it. */
bool abbreviations_pay_units(struct abbreviations *a, Elf *elf);

/* Pay for all DIEs of the unit that die is in, once. False if that cannot be paid for, memory ran
 * out, or the unit has abbreviations with more attributes without bytes than compilers write. */
bool abbreviations_pay(struct abbreviations *a, Dwarf_Die *die);

#endif
