/* Compressed sections of an ELF file (SHF_COMPRESSED; the System V ABI, "Section Compression"; and
 * .zdebug_*, which GNU tools wrote before), decompressed by libdeflate, which takes half the time
 * of libelf's zlib. */
#ifndef SYMBOLIZE_INFLATE_H
#define SYMBOLIZE_INFLATE_H

#include "formats/base/vec.h"
#include "symbolize/work.h"

#include <libelf.h>

struct inflated {
	VEC(void *) buffers;
	bool no_memory; /* for some of the sections */
};

/* Decompress the sections that zlib's format was used for: elf_getdata returns their contents
 * afterwards, and their headers are those of sections that were never compressed. elf is opened
 * with ELF_C_READ_MMAP_PRIVATE. Sections that are damaged, or for which memory runs out, stay as
 * they are, for libelf; those that claim more than there can be, or that cannot be paid for, are
 * hidden from it: then the result is false. Call inflated_free after elf_end. */
bool inflate_sections(Elf *elf, struct work *work, struct inflated *kept);
void inflated_free(struct inflated *kept);

#endif
