/* The code symbols of a load module: .symtab, .dynsym and the entries of the
 * procedure linkage table, sorted for lookup by file address. */
#ifndef SYMBOLIZE_SYMBOLS_H
#define SYMBOLIZE_SYMBOLS_H

#include "symbolize/symbolize.h"

#include <libelf.h>

struct code_symbol {
	uint64_t low, high; /* [low, high) */
	size_t left;        /* the nearest before this that reaches higher, or SIZE_MAX */
	const char *name;   /* in the ELF file's string table, or in the arena's */
	uint8_t rank;       /* of namesakes at one address the lowest is chosen */
	uint8_t sized;      /* high came from the symbol, not from its neighbour */
};

struct symbols {
	struct code_symbol *at; /* sorted by low, then best last */
	size_t len, cap;
};

/* Read the symbols of one table (SHT_SYMTAB or SHT_DYNSYM) of elf, which must
 * outlive them. A broken table gives what can be read. -1 only if memory ran out. */
int symbols_read(struct symbols *s, Elf *elf, unsigned section_type);
void symbols_free(struct symbols *s);
/* Fill left of symbols that were sorted by hand. symbols_read has done so. */
void symbols_link(struct symbols *s);

/* The symbol that covers the address: of several the one that begins nearest, then
 * a function before an untyped symbol, a global one before a weak before a local
 * one, a smaller before a larger. NULL if none does. */
const struct code_symbol *symbols_find(const struct symbols *s, uint64_t address);

#endif
