/* Machine code as text. Uses the Capstone library, which no other file does. */
#ifndef HPCPROF_CORRELATE_DISASSEMBLE_H
#define HPCPROF_CORRELATE_DISASSEMBLE_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_flow {
	INSTRUCTION_NEXT,
	INSTRUCTION_PADS,   /* does nothing: compilers put it before what they align */
	INSTRUCTION_BRANCH, /* may go to its target */
	INSTRUCTION_CALL,
	INSTRUCTION_LEAVES /* does not go to the next one: a jump, a return, or what is an error */
};
enum { INSTRUCTION_ARGUMENTS = 6 };

struct instruction {
	uint64_t address;
	uint32_t size;
	enum instruction_flow flow;
	/* On x86-64, of the registers of the first six integer arguments, bit i for the i-th. */
	uint8_t reads, writes;
	uint64_t target; /* of a jump or call with an immediate target, else 0 */
	char text[192]; /* mnemonic and operands; ".byte 0x.." for an invalid or unknown instruction
			 */
};

struct disassembler;

/* Create a disassembler for a machine, EM_* of ELF. NULL and *e (ERROR_USAGE: not supported; or
 * memory ran out). */
struct disassembler *disassembler_create(uint16_t machine, bool big, struct error *e);
void disassembler_destroy(struct disassembler *d); /* takes NULL */

/* Disassemble the first instruction of n > 0 bytes at an address. Always uses at least one byte. */
void disassemble(struct disassembler *d, const uint8_t *bytes, size_t n, uint64_t address,
		 struct instruction *out);

#endif
