/* Machine code as text, by the Capstone library; the only file that knows it. */
#ifndef HPCPROF_DISASSEMBLE_H
#define HPCPROF_DISASSEMBLE_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instruction {
	uint64_t address;
	uint32_t size;
	uint64_t target; /* of a jump or call whose address stands in it, else 0 */
	char text[192];  /* mnemonic and operands; ".byte 0x.." for what is no instruction */
};

struct disassembler;

/* For a machine, EM_* of ELF. NULL and *e (ERROR_USAGE: not known here; or want of memory). */
struct disassembler *disassembler_create(uint16_t machine, bool big, struct error *e);
void disassembler_destroy(struct disassembler *d); /* takes NULL */

/* The instruction at the beginning of n > 0 bytes that lie at an address. Always takes at
 * least one byte. */
void disassemble(struct disassembler *d, const uint8_t *bytes, size_t n, uint64_t address,
		 struct instruction *out);

#endif
