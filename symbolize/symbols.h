/* The code symbols of a load module: .symtab, .dynsym and the entries of the
 * procedure linkage table, sorted for lookup by file address. */
#ifndef SYMBOLIZE_SYMBOLS_H
#define SYMBOLIZE_SYMBOLS_H

#include "formats/base/vec.h"
#include "symbolize/symbolize.h"

#include <libelf.h>

struct code_symbol {
	uint64_t low, high; /* [low, high) */
	const char *name;   /* in the ELF file's string table, or interned */
	uint8_t rank;       /* of several symbols at an address the lowest is preferred */
	uint8_t sized;      /* high came from the symbol, not from its neighbour */
	bool local;         /* other units do not see it */
};

/* From an address on, up to the next place. */
struct symbol_place {
	uint64_t from;
	size_t symbol; /* index, or SIZE_MAX for none */
};

struct symbols {
	VEC(struct code_symbol) all;     /* sorted by low, then best last */
	VEC(struct symbol_place) places; /* sorted */
};

/* Read the symbols of one table (SHT_SYMTAB or SHT_DYNSYM) of elf, which must outlive them. Of a
 * broken table, what can be read is used. -1 only if memory ran out. */
int symbols_read(struct symbols *s, Elf *elf, unsigned section_type);
void symbols_free(struct symbols *s);
/* Find the places of symbols that the caller sorted. symbols_read does this. -1 if memory ran out.
 */
int symbols_place(struct symbols *s);

/* The symbol that contains the address. If there are several, the one with the nearest start; then
 * a function before an untyped symbol, a global one before a weak one before a local one, and a
 * smaller one before a larger one. NULL if there is none. */
const struct code_symbol *symbols_find(const struct symbols *s, uint64_t address);

#endif
