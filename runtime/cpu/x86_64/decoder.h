/* Internal to the decoder: the instruction that is being decoded, and its operands. */
#ifndef RUNTIME_CPU_X86_64_DECODER_H
#define RUNTIME_CPU_X86_64_DECODER_H

#include "runtime/cpu/insn.h"

#include <string.h>

enum { RAX, RCX, RDX, RSP = 4, RBP, XMM = CSPROF_INSN_VECTORS, NONE = CSPROF_INSN_NONE };
enum { READ = CSPROF_INSN_READS, WRITE = CSPROF_INSN_WRITES, BOTH = READ | WRITE };
enum { OPERAND_SIZE = 0x66, REPEAT = 0xf3, REPEAT_NE = 0xf2 };
enum { W = 8, R = 4, X = 2, B = 1 }; /* of REX */
enum encoding { LEGACY, VEX, EVEX };

struct decoder {
	const uint8_t *at, *begin, *end;
	struct csprof_insn *insn;
	enum encoding encoding;
	uint8_t rex;       /* W R X B, also of VEX */
	bool has_rex;      /* then byte registers are spl, bpl, sil, dil */
	bool small;        /* prefix 66 */
	bool address_32;   /* prefix 67 */
	uint8_t repeat;    /* F2, F3 or 0 */
	uint8_t mandatory; /* of the vector maps: 0, 66, F3, F2 */
	bool wide;         /* VEX.L: 32 bytes */
	uint8_t third;     /* VEX.vvvv */
	uint8_t modrm;
	bool failed;
};

/* ---- bytes --------------------------------------------------------------------------------- */

static inline uint8_t take(struct decoder *d)
{
	if (d->at < d->end)
		return *d->at++;
	d->failed = true;
	return 0;
}

static inline void skip(struct decoder *d, size_t n)
{
	if ((size_t)(d->end - d->at) < n)
		d->failed = true;
	else
		d->at += n;
}

static inline int32_t take_8(struct decoder *d)
{
	int32_t byte = take(d);
	return byte < 0x80 ? byte : byte - 0x100;
}

static inline int32_t take_32(struct decoder *d)
{
	int32_t value = 0;
	const uint8_t *from = d->at;
	skip(d, sizeof value);
	if (!d->failed)
		memcpy(&value, from, sizeof value);
	return value;
}

/* ---- operands ------------------------------------------------------------------------------ */

static inline uint8_t width(const struct decoder *d)
{
	return d->rex & W ? 8 : d->small ? 2 : 4;
}

static inline bool in_register(const struct decoder *d)
{
	return d->modrm >> 6 == 3;
}

static inline uint8_t field(const struct decoder *d)
{
	return d->modrm >> 3 & 7;
}

/* The registers of the ModRM byte. */
static inline uint8_t reg(const struct decoder *d)
{
	return (uint8_t)(field(d) | (d->rex & R ? 8 : 0));
}

static inline uint8_t rm(const struct decoder *d)
{
	return (uint8_t)((d->modrm & 7) | (d->rex & B ? 8 : 0));
}

static inline void take_sib(struct decoder *d)
{
	enum { NO_INDEX = 4, NO_BASE = 5 };
	struct csprof_insn *i = d->insn;
	uint8_t sib = take(d);
	uint8_t index = (uint8_t)((sib >> 3 & 7) | (d->rex & X ? 8 : 0));
	i->index = index == NO_INDEX ? NONE : index;
	i->scale = (uint8_t)(1 << (sib >> 6));
	i->base = (uint8_t)((sib & 7) | (d->rex & B ? 8 : 0));
	if ((sib & 7) == NO_BASE && d->modrm >> 6 == 0) {
		i->base = NONE;
		i->offset = take_32(d);
	}
}

/* The ModRM byte and what belongs to it. */
static inline void take_modrm(struct decoder *d)
{
	enum { SIB = 4, RELATIVE = 5 };
	struct csprof_insn *i = d->insn;
	d->modrm = take(d);
	uint8_t mode = d->modrm >> 6, low = d->modrm & 7;
	if (mode == 3)
		return;
	i->base = rm(d);
	if (low == SIB)
		take_sib(d);
	else if (low == RELATIVE && mode == 0) {
		i->base = NONE;
		i->relative = true;
		i->offset = take_32(d);
	}
	if (mode == 1)
		i->offset = take_8(d);
	else if (mode == 2)
		i->offset = take_32(d);
}

/* A register number of an instruction on bytes: ah, ch, dh and bh are not of interest. */
static inline bool is_low_byte(const struct decoder *d, uint8_t number, uint8_t bytes)
{
	return bytes > 1 || d->has_rex || number < RSP || number >= XMM;
}

static inline void writes(struct decoder *d, uint8_t number, uint8_t bytes)
{
	struct csprof_insn *i = d->insn;
	i->dest_bytes = bytes;
	if (i->dests < sizeof i->dest && number < CSPROF_INSN_REGISTERS &&
	    is_low_byte(d, number, bytes))
		i->dest[i->dests++] = number;
}

/* The operand that is a register or memory is used so. */
static inline void accesses(struct decoder *d, uint8_t access, uint8_t bytes)
{
	if (in_register(d) && access & WRITE)
		writes(d, rm(d), bytes);
	if (in_register(d))
		return;
	d->insn->access = access;
	d->insn->bytes = bytes;
}

/* It is read into the register of the instruction, or what is computed with it is. */
static inline void reads_into(struct decoder *d, uint8_t bytes, uint8_t to, uint8_t to_bytes,
			      bool plain)
{
	accesses(d, READ, bytes);
	d->insn->loads = plain && !in_register(d);
	writes(d, to, to_bytes);
}

/* Of a multiplication or division. */
static inline void has_operand(struct decoder *d, uint8_t first, uint8_t bytes)
{
	struct csprof_insn *i = d->insn;
	i->operand_in_memory = !in_register(d);
	i->operand_bytes = bytes;
	if (in_register(d) && is_low_byte(d, rm(d), bytes))
		i->operand = (uint8_t)(rm(d) + first);
}

/* The opcodes after 0F: those of integers; false: it is none. And the others, of the maps 1 (0F), 2
 * (0F 38) and 3 (0F 3A), whose ModRM byte comes next. */
bool csprof_decode_integers(struct decoder *d, uint8_t opcode);
void csprof_decode_vectors(struct decoder *d, uint8_t map, uint8_t opcode);

#endif
