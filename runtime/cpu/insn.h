/* What an instruction does, as far as value profiles need it (sample/values.c): its registers and
 * memory. */
#ifndef RUNTIME_CPU_INSN_H
#define RUNTIME_CPU_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers have the numbers of instructions: x86-64: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to
 * r15, and from 16 on xmm0 to xmm15, of which the low 64 bits are meant. */
enum { CSPROF_INSN_VECTORS = 16, CSPROF_INSN_REGISTERS = 32, CSPROF_INSN_NONE = 255 };

enum csprof_flow {
	CSPROF_FLOW_NEXT,
	CSPROF_FLOW_BRANCH,   /* may jump to a constant place */
	CSPROF_FLOW_JUMP,     /* does */
	CSPROF_FLOW_CALL,     /* calls a constant place */
	CSPROF_FLOW_INDIRECT, /* jumps or calls to a place that it loads */
	CSPROF_FLOW_RETURN
};

enum { CSPROF_INSN_READS = 1, CSPROF_INSN_WRITES = 2, CSPROF_INSN_CALLS = 4 };

struct csprof_insn {
	uint8_t length;
	uint8_t flow;  /* enum csprof_flow */
	bool stops;    /* single steps must end before it */
	uint8_t dests; /* registers that it writes with values that are not constants */
	uint8_t dest[2];
	uint8_t dest_bytes; /* written of each: 1, 2, 4 or 8 */
	/* of a division or multiplication: the register that is its divisor or factor, and its
	 * bytes; or in_memory, and it is what it reads */
	uint8_t operand;
	bool operand_in_memory;
	uint8_t operand_bytes;

	uint8_t access; /* of memory: mask of CSPROF_INSN_READS, _WRITES; 0: none that is known */
	uint8_t bytes;  /* of memory */
	bool loads;     /* it reads memory, and the destination is what it has read */
	bool relative;  /* the address is after the instruction, plus offset; no registers */
	uint8_t base, index, scale; /* registers; CSPROF_INSN_NONE: none */
	uint8_t segment;            /* 0, or 4 (FS) or 5 (GS), whose bases are not known here */
	int32_t offset;
};

/* What the instruction at `code` does, of which at most `most` bytes are read (15 is the longest).
 * False: it is not known. Pure; async-signal-safe. Null if the CPU cannot step (see cpu.h). */
typedef bool csprof_decode(const uint8_t *code, size_t most, struct csprof_insn *insn);

#endif
