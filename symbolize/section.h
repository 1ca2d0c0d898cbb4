/* Sections of ELF files by their names. */
#ifndef SYMBOLIZE_SECTION_H
#define SYMBOLIZE_SECTION_H

#include "formats/base/cursor.h"
#include "formats/base/interner.h"
#include "formats/base/vec.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The bytes of the first section named ".debug_...", or ".zdebug_..." (see inflate.h), that has
 * bytes in the file and is not compressed (any more); empty if there is none. They live as long as
 * elf. */
struct cursor section_read(Elf *elf, const char *name);

/* The same of a section of strings, without what follows the last zero, so that each offset below
 * the size is that of a string. */
struct cursor section_read_strings(Elf *elf, const char *name);

/* What libdw takes a section for, by its name. */
enum section_kind {
	SECTION_OTHER,
	SECTION_DEBUG,        /* .debug_* */
	SECTION_ZIPPED,       /* .zdebug_* */
	SECTION_SPLIT,        /* .debug_*.dwo */
	SECTION_ZIPPED_SPLIT, /* .zdebug_*.dwo */
	SECTION_LINK,         /* to a supplementary file */
	SECTION_STRANGE       /* debug information or a link, but section_read does not find it */
};
enum section_kind section_kind(const char *name);

/* One section of each of some Dwarfs. All zeros is none. */
struct dwarf_sections {
	struct interner dwarfs; /* by address */
	VEC(struct cursor) at;  /* [dwarfs] */
};

/* The section of this name, or with ".dwo" behind it, empty if there is none; for one struct,
 * always the same name. NULL if memory ran out. It lives as long as the Dwarf, or until the next
 * call. */
const struct cursor *dwarf_sections_get(struct dwarf_sections *s, Dwarf *dwarf, const char *name);
void dwarf_sections_free(struct dwarf_sections *s);

#endif
