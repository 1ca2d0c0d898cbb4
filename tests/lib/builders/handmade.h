/* Load modules whose debug information is made by hand, for readers of what no compiler writes:
 * DWARF 4, without what a reader needs no more. The first failure to allocate or write ends the
 * program. */
#ifndef TESTS_HANDMADE_H
#define TESTS_HANDMADE_H

#include "tests/lib/builders/build_elf.h"

#include <stdbool.h>

enum { HANDMADE_BASE = 0x10000, HANDMADE_TEXT_BYTES = 1 << 24 };

/* The abbreviations of all modules. Attributes, in this order: */
enum {
	HANDMADE_UNIT = 1,     /* see handmade_unit */
	HANDMADE_FUNCTION,     /* a name, its address, 4 bytes of size; children */
	HANDMADE_BLOCK,        /* none; children */
	HANDMADE_WITH_SIBLING, /* a block: 4 bytes of its sibling; children */
	HANDMADE_WITH_CODE,    /* a block: its address, 4 bytes of size; children */
	HANDMADE_INLINED,      /* 4 bytes of its origin, its address, 4 of size; children */
	HANDMADE_WITH_RANGES,  /* inlined: 4 bytes of its origin, 4 of its ranges */
	HANDMADE_ABSTRACT,     /* a function: a name */
	HANDMADE_SMALL_UNIT,   /* see handmade_unit */
	HANDMADE_FAR, /* inlined: 4 bytes of its origin in .debug_info, its address, 4 of size */
	HANDMADE_SKELETON, /* a unit: its address, 8 of size, a name of a .dwo file, 8 bytes of its
			  number */
	HANDMADE_MORE      /* the first that is free */
};

/* A module that is being made, and the addresses to resolve in it. */
struct handmade {
	struct elf_bytes info, abbrev, ranges, line, str, symbols, names, compressed, alt;
	size_t info_headers;         /* of .debug_info, on the same bytes */
	size_t text_sections;        /* of HANDMADE_TEXT_BYTES together */
	const char *suffix;          /* of the names of .debug_info and .debug_abbrev */
	const char *compressed_name; /* of the section with compressed, unless that is empty */
	uint64_t compressed_flags;
	VEC(uint64_t) addresses;
};

/* With abbreviations, a folder in .debug_str, and a first symbol. */
void handmade_init(struct handmade *m);

/* Add an abbreviation: attributes are pairs of one and its form, up to a 0. */
void handmade_abbreviation(struct handmade *m, unsigned code, unsigned tag, bool children,
			   const uint16_t *attributes);

/* Begin a unit of HANDMADE_UNIT, HANDMADE_SMALL_UNIT, or another that ends in what these begin
 * with: its address, 8 bytes of size, and for these two 4 of .debug_line, and for the first 4 of
 * .debug_str. Returns what elf_patch_size needs afterwards, unless it is the only unit. */
size_t handmade_unit(struct handmade *m, unsigned abbreviation, uint64_t low, uint64_t size);

/* Begin a unit that has an abstract function, whose offset is returned, and begin a function. */
size_t handmade_function(struct handmade *m);

/* End so many levels of DIEs. */
void handmade_end(struct handmade *m, size_t n);

/* Returns the bytes of the file. */
size_t handmade_write(struct handmade *m, const char *path);
void handmade_free(struct handmade *m);

#endif
