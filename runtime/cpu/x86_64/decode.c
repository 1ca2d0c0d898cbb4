/* What x86-64 instructions do, from their encoding: Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 2, chapter 2 and appendix A. For value profiles (insn.h): what is rare
 * or has no value of interest has a length only, and what is not in the manual's maps is refused.
 */
#include "runtime/cpu/x86_64/decode.h"

#include "runtime/cpu/x86_64/decoder.h"

/* ---- one byte ------------------------------------------------------------------------------ */

static void arithmetic(struct decoder *d, uint8_t opcode)
{
	enum {
		COMPARE = 7,
		RM_BYTE = 0,
		RM = 1,
		REG_BYTE = 2,
		REG = 3,
		RAX_BYTE = 4,
		XOR = 6,
		SUB = 5
	};
	uint8_t operation = opcode >> 3, form = opcode & 7;
	uint8_t bytes = form % 2 == 0 ? 1 : width(d);
	if (form >= RAX_BYTE) {
		skip(d, form == RAX_BYTE ? 1 : d->small ? 2 : 4);
		if (operation != COMPARE)
			writes(d, RAX, bytes);
		return;
	}
	take_modrm(d);
	bool zeroes = (operation == XOR || operation == SUB) && in_register(d) && reg(d) == rm(d);
	if (operation == COMPARE)
		accesses(d, READ, bytes);
	else if (zeroes)
		return;
	else if (form == RM_BYTE || form == RM)
		accesses(d, BOTH, bytes);
	else
		reads_into(d, bytes, reg(d), bytes, false);
}

static void immediate_group(struct decoder *d, uint8_t opcode)
{
	enum { COMPARE = 7, BYTE = 0x80, LARGE = 0x81 };
	uint8_t bytes = opcode == BYTE ? 1 : width(d);
	take_modrm(d);
	skip(d, opcode != LARGE ? 1 : d->small ? 2 : 4);
	accesses(d, field(d) == COMPARE ? READ : BOTH, bytes);
}

static void shifts(struct decoder *d, uint8_t opcode)
{
	take_modrm(d);
	if (opcode < 0xd0)
		skip(d, 1);
	accesses(d, BOTH, opcode & 1 ? width(d) : 1);
}

/* test, not, neg, mul, imul, div, idiv */
static void group_3(struct decoder *d, uint8_t opcode)
{
	enum { NOT = 2, MUL = 4 };
	uint8_t bytes = opcode & 1 ? width(d) : 1;
	take_modrm(d);
	if (field(d) < NOT) {
		skip(d, bytes == 8 ? 4 : bytes);
		accesses(d, READ, bytes);
	} else if (field(d) < MUL) {
		accesses(d, BOTH, bytes);
	} else {
		accesses(d, READ, bytes);
		has_operand(d, 0, bytes);
		writes(d, RAX, bytes == 1 ? 2 : bytes);
		if (bytes > 1)
			writes(d, RDX, bytes);
	}
}

/* inc, dec, call, jmp, push */
static void group_5(struct decoder *d, uint8_t opcode)
{
	enum { DEC = 1, CALL = 2, FAR_CALL = 3, JUMP = 4, FAR_JUMP = 5, PUSH = 6 };
	struct csprof_insn *i = d->insn;
	take_modrm(d);
	uint8_t what = field(d);
	if (what <= DEC) {
		accesses(d, BOTH, opcode & 1 ? width(d) : 1);
		return;
	}
	if (!(opcode & 1) || what > PUSH)
		d->failed = true;
	else if (what == FAR_CALL || what == FAR_JUMP)
		i->stops = true;
	else
		accesses(d, READ, 8);
	if (what == CALL || what == JUMP)
		i->flow = CSPROF_FLOW_INDIRECT;
	if (what == CALL)
		i->access |= CSPROF_INSN_CALLS;
}

static void move_immediate(struct decoder *d, uint8_t opcode)
{
	enum { TRANSACTION = 0xf8 };
	uint8_t bytes = opcode & 1 ? width(d) : 1;
	take_modrm(d);
	if (field(d) != 0) {
		if (d->modrm != TRANSACTION)
			d->failed = true;
		d->insn->stops = true;
	}
	skip(d, bytes == 8 ? 4 : bytes);
	if (!in_register(d))
		accesses(d, WRITE, bytes);
}

/* Those whose operands are a ModRM byte, and perhaps an immediate. */
static bool with_modrm(struct decoder *d, uint8_t opcode)
{
	uint8_t bytes = opcode & 1 ? width(d) : 1;
	switch (opcode) {
	case 0x63: /* movsxd */
		take_modrm(d);
		reads_into(d, 4, reg(d), width(d), true);
		return true;
	case 0x69: /* imul */
	case 0x6b:
		take_modrm(d);
		skip(d, opcode == 0x6b ? 1 : d->small ? 2 : 4);
		reads_into(d, width(d), reg(d), width(d), false);
		has_operand(d, 0, width(d));
		return true;
	case 0x80:
	case 0x81:
	case 0x83:
		immediate_group(d, opcode);
		return true;
	case 0x84: /* test */
	case 0x85:
		take_modrm(d);
		accesses(d, READ, bytes);
		return true;
	case 0x86: /* xchg */
	case 0x87:
		take_modrm(d);
		accesses(d, BOTH, bytes);
		writes(d, reg(d), bytes);
		return true;
	case 0x88: /* mov */
	case 0x89:
		take_modrm(d);
		accesses(d, WRITE, bytes);
		return true;
	case 0x8a:
	case 0x8b:
		take_modrm(d);
		reads_into(d, bytes, reg(d), bytes, true);
		return true;
	case 0x8c: /* mov from a segment register */
		take_modrm(d);
		return true;
	case 0x8d: /* lea: with no register, its result is a constant */
		take_modrm(d);
		if (d->insn->base != NONE || d->insn->index != NONE)
			writes(d, reg(d), width(d));
		return true;
	case 0x8e: /* mov to one: the next instruction is not stepped */
		take_modrm(d);
		d->insn->stops = true;
		return true;
	case 0x8f: /* pop; otherwise XOP */
		take_modrm(d);
		d->failed |= field(d) != 0;
		return true;
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		shifts(d, opcode);
		return true;
	case 0xc6:
	case 0xc7:
		move_immediate(d, opcode);
		return true;
	case 0xf6:
	case 0xf7:
		group_3(d, opcode);
		return true;
	case 0xfe:
	case 0xff:
		group_5(d, opcode);
		return true;
	default:
		if (opcode < 0xd8 || opcode > 0xdf)
			return false;
		take_modrm(d); /* x87 */
		return true;
	}
}

/* The immediate bytes of the others; the opcodes that are in 64-bit mode no instructions fail. */
static size_t immediate_bytes(struct decoder *d, uint8_t opcode)
{
	size_t large = d->small ? 2 : 4;
	switch (opcode) {
	case 0x68:
	case 0xa9:
		return large;
	case 0x6a:
	case 0xa8:
	case 0xcd:
	case 0xe4:
	case 0xe5:
	case 0xe6:
	case 0xe7:
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
	case 0xeb:
		return 1;
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa3:
		return d->address_32 ? 4 : 8;
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xe8:
	case 0xe9:
		return 4; /* also with the prefix 66, which CPUs of one maker read as 2 */
	case 0x60:
	case 0x61:
	case 0x62:
	case 0x82:
	case 0x9a:
	case 0xc4:
	case 0xc5:
	case 0xce:
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xea:
		d->failed = true;
		return 0;
	default:
		return opcode >= 0xb0 && opcode <= 0xb7   ? 1
		       : opcode >= 0xb8 && opcode <= 0xbf ? (d->rex & W ? 8 : large)
		       : opcode >= 0x70 && opcode <= 0x7f ? 1
							  : 0;
	}
}

/* The flow, and those before which steps must end: pushf would store the flag by which we step,
 * popf and iret load it, and after a system call, or with another mode of the CPU, nothing is
 * known. */
static void flow_of(struct decoder *d, uint8_t opcode)
{
	struct csprof_insn *i = d->insn;
	switch (opcode) {
	case 0x9c:
	case 0x9d:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcd:
	case 0xcf:
	case 0xf1:
	case 0xf4:
		i->stops = true;
		break;
	case 0xc2:
	case 0xc3:
		i->flow = CSPROF_FLOW_RETURN;
		break;
	case 0xe8:
		i->flow = CSPROF_FLOW_CALL;
		break;
	case 0xe9:
	case 0xeb:
		i->flow = CSPROF_FLOW_JUMP;
		break;
	default:
		if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
			i->flow = CSPROF_FLOW_BRANCH;
	}
	if (i->flow != CSPROF_FLOW_NEXT && d->small && !(d->rex & W))
		d->failed = true; /* see immediate_bytes */
}

static void one_byte(struct decoder *d, uint8_t opcode)
{
	uint8_t low = (uint8_t)((opcode & 7) | (d->rex & B ? 8 : 0));
	if (opcode < 0x40 && (opcode & 7) < 6) {
		arithmetic(d, opcode);
		return;
	}
	if (opcode < 0x40) {
		d->failed = true; /* segment registers, and arithmetic with decimals */
		return;
	}
	if (with_modrm(d, opcode))
		return;
	skip(d, immediate_bytes(d, opcode));
	flow_of(d, opcode);
	if (opcode >= 0x58 && opcode <= 0x5f) { /* pop */
		writes(d, low, d->small ? 2 : 8);
	} else if (opcode >= 0x90 && opcode <= 0x97 && low != RAX) { /* xchg */
		writes(d, RAX, width(d));
		writes(d, low, width(d));
	} else if (opcode == 0x98) { /* cbw, cwde, cdqe */
		writes(d, RAX, width(d));
	} else if (opcode == 0x99) { /* cwd, cdq, cqo */
		writes(d, RDX, width(d));
	}
}

/* ---- prefixes -------------------------------------------------------------------------------- */

/* VEX: the bits that are inverted are those of REX and the third register. */
static void vex(struct decoder *d, uint8_t first)
{
	enum { TWO_BYTES = 0xc5, WIDE = 4 };
	static const uint8_t mandatory[] = {0, OPERAND_SIZE, REPEAT, REPEAT_NE};
	uint8_t map = 1, a = take(d), b = a;
	d->failed |= d->small || d->repeat || d->has_rex;
	d->encoding = VEX;
	d->rex = a & 0x80 ? 0 : R;
	if (first != TWO_BYTES) {
		b = take(d);
		map = a & 0x1f;
		d->rex |= (uint8_t)((a & 0x40 ? 0 : X) | (a & 0x20 ? 0 : B) | (b & 0x80 ? W : 0));
	}
	d->third = ~b >> 3 & 0xf;
	d->wide = b & WIDE;
	d->mandatory = mandatory[b & 3];
	csprof_decode_vectors(d, map, take(d));
}

/* Only its length: the registers are 32, and a displacement may be in units of its operand. */
static void evex(struct decoder *d)
{
	enum { MAP = 7, GENERAL = 3, MASK = 4 };
	struct csprof_insn *i = d->insn;
	uint8_t map = take(d) & MAP;
	d->failed |= d->small || d->repeat || d->has_rex || map == 0 || map == MASK || map == MAP;
	d->encoding = EVEX;
	skip(d, 2);
	uint8_t opcode = take(d);
	take_modrm(d);
	if (map == GENERAL || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					    (opcode >= 0xc4 && opcode <= 0xc6))))
		skip(d, 1);
	i->base = i->index = NONE;
}

static void two_bytes(struct decoder *d)
{
	enum { THREE_38 = 0x38, THREE_3A = 0x3a };
	uint8_t opcode = take(d);
	d->mandatory = d->repeat ? d->repeat : d->small ? OPERAND_SIZE : 0;
	if (opcode == THREE_38)
		csprof_decode_vectors(d, 2, take(d));
	else if (opcode == THREE_3A)
		csprof_decode_vectors(d, 3, take(d));
	else if (!csprof_decode_integers(d, opcode))
		csprof_decode_vectors(d, 1, opcode);
}

/* Returns the byte after them. A REX prefix counts directly before the opcode only. */
static uint8_t prefixes(struct decoder *d)
{
	enum { FS = 0x64, GS = 0x65, ADDRESS_SIZE = 0x67, LOCK = 0xf0 };
	for (;;) {
		uint8_t byte = take(d);
		bool is_rex = (byte & 0xf0) == 0x40;
		if (byte == OPERAND_SIZE)
			d->small = true;
		else if (byte == ADDRESS_SIZE)
			d->address_32 = true;
		else if (byte == FS || byte == GS)
			d->insn->segment = byte - FS + 4;
		else if (byte == REPEAT || byte == REPEAT_NE)
			d->repeat = byte;
		else if (!is_rex && byte != LOCK && (byte & 0xe7) != 0x26)
			return byte;
		d->rex = is_rex ? byte & 0xf : 0;
		d->has_rex = is_rex;
		if (d->failed)
			return 0;
	}
}

bool csprof_x86_decode(const uint8_t *code, size_t most, struct csprof_insn *insn)
{
	enum { LONGEST = 15, VEX_3 = 0xc4, VEX_2 = 0xc5, EVEX_4 = 0x62, TWO = 0x0f };
	struct decoder d = {.at = code,
			    .begin = code,
			    .end = code + (most < LONGEST ? most : LONGEST),
			    .insn = insn};
	*insn = (struct csprof_insn){
	    .base = NONE, .index = NONE, .operand = NONE, .dest = {NONE, NONE}};
	uint8_t opcode = prefixes(&d);
	if (opcode == VEX_2 || opcode == VEX_3)
		vex(&d, opcode);
	else if (opcode == EVEX_4)
		evex(&d);
	else if (opcode == TWO)
		two_bytes(&d);
	else
		one_byte(&d, opcode);
	if (d.address_32)
		insn->access = 0;
	insn->length = (uint8_t)(d.at - d.begin);
	return !d.failed;
}
