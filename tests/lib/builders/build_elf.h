/* ELF files for x86-64 with hand-made sections, for readers of what no compiler writes. The first
 * failure to allocate or write ends the program. */
#ifndef TESTS_BUILD_ELF_H
#define TESTS_BUILD_ELF_H

#include "formats/base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct elf_bytes {
	VEC(uint8_t) v;
};

void elf_put(struct elf_bytes *b, const void *bytes, size_t n);
void elf_put_int(struct elf_bytes *b, uint64_t value, unsigned size); /* little-endian */
void elf_put_uleb(struct elf_bytes *b, uint64_t value);
void elf_put_text(struct elf_bytes *b, const char *s); /* with its zero */
/* Put the size of what follows from at on into the 4 bytes before at. */
void elf_patch_size(struct elf_bytes *b, size_t at);

struct elf_section {
	const char *name;
	uint32_t type;
	uint64_t flags, address;
	const struct elf_bytes *bytes; /* NULL: size bytes that are not in the file */
	uint64_t size;
	uint32_t link;
	uint64_t entry_size;
};

/* Write the sections, which are numbered from 1; a section with the bytes of one before it is at
 * the same place in the file. Returns the bytes of the file. */
size_t elf_write(const char *path, const struct elf_section *sections, size_t n);

#endif
