/* The code symbols of a load module: .symtab, .dynsym and the entries of the
 * procedure linkage table, sorted for lookup by file address. */
#ifndef SYMBOLIZE_SYMBOLS_H
#define SYMBOLIZE_SYMBOLS_H

#include "symbolize/symbolize.h"

#include <libelf.h>

struct code_symbol {
	uint64_t low, high; /* [low, high) */
	size_t left;        /* the nearest one before this that ends higher, or SIZE_MAX */
	const char *name;   /* in the ELF file's string table, or interned */
	uint8_t rank;       /* of several symbols at an address the lowest is preferred */
	uint8_t sized;      /* high came from the symbol, not from its neighbour */
};

struct symbols {
	struct code_symbol *at; /* sorted by low, then best last */
	size_t len, cap;
};

/* Read the symbols of one table (SHT_SYMTAB or SHT_DYNSYM) of elf, which must outlive them. Of a
 * broken table, what can be read is used. -1 only if memory ran out. */
int symbols_read(struct symbols *s, Elf *elf, unsigned section_type);
void symbols_free(struct symbols *s);
/* Set left of symbols that the caller sorted. symbols_read does this. */
void symbols_link(struct symbols *s);

/* The symbol that contains the address. If there are several, the one with the nearest start; then
 * a function before an untyped symbol, a global one before a weak one before a local one, and a
 * smaller one before a larger one. NULL if there is none. */
const struct code_symbol *symbols_find(const struct symbols *s, uint64_t address);

#endif
