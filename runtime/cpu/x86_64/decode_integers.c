/* Instructions on integers whose opcode begins with 0F. */
#include "runtime/cpu/x86_64/decoder.h"

static void bits(struct decoder *d, uint8_t opcode)
{
	enum { TEST = 0xa3, GROUP = 0xba, BT = 4 };
	take_modrm(d);
	if (opcode == GROUP) {
		skip(d, 1);
		d->failed |= field(d) < BT;
		accesses(d, field(d) == BT ? READ : BOTH, width(d));
	} else if (opcode != TEST && in_register(d)) {
		writes(d, rm(d), width(d)); /* in memory, its register says where */
	}
}

static void group_9(struct decoder *d)
{
	enum { EXCHANGE = 1, RANDOM = 6 };
	take_modrm(d);
	if (!in_register(d) && field(d) == EXCHANGE) {
		accesses(d, BOTH, d->rex & W ? 16 : 8);
		writes(d, RAX, width(d));
		writes(d, RDX, width(d));
	} else if (in_register(d) && field(d) >= RANDOM) {
		writes(d, rm(d), width(d));
	}
}

/* The base of FS would be another one in our handler. */
static void group_15(struct decoder *d)
{
	enum { READ_BASES = 1, WRITE_BASES = 3 };
	take_modrm(d);
	if (!in_register(d) || d->repeat != REPEAT || field(d) > WRITE_BASES)
		return;
	if (field(d) <= READ_BASES)
		writes(d, rm(d), width(d));
	else
		d->insn->stops = true;
}

static void group_7(struct decoder *d)
{
	enum { XGETBV = 0xd0, RDTSCP = 0xf9 };
	take_modrm(d);
	d->insn->stops = in_register(d) && d->modrm != XGETBV && d->modrm != RDTSCP;
}

static bool moves_0f(struct decoder *d, uint8_t opcode)
{
	switch (opcode) {
	case 0xb0: /* cmpxchg */
	case 0xb1:
		take_modrm(d);
		accesses(d, BOTH, opcode & 1 ? width(d) : 1);
		writes(d, RAX, opcode & 1 ? width(d) : 1);
		return true;
	case 0xb6: /* movzx, movsx */
	case 0xb7:
	case 0xbe:
	case 0xbf:
		take_modrm(d);
		accesses(d, READ, opcode & 1 ? 2 : 1);
		d->insn->loads = !in_register(d);
		writes(d, reg(d), width(d));
		return true;
	case 0xc0: /* xadd */
	case 0xc1:
		take_modrm(d);
		accesses(d, BOTH, opcode & 1 ? width(d) : 1);
		writes(d, reg(d), opcode & 1 ? width(d) : 1);
		return true;
	case 0xc3: /* movnti */
		take_modrm(d);
		accesses(d, WRITE, d->rex & W ? 8 : 4);
		return true;
	default:
		return false;
	}
}

bool csprof_decode_integers(struct decoder *d, uint8_t opcode)
{
	struct csprof_insn *i = d->insn;
	if (opcode >= 0x80 && opcode <= 0x8f) {
		skip(d, 4);
		d->failed |= d->small;
		i->flow = CSPROF_FLOW_BRANCH;
		return true;
	}
	if (opcode >= 0xc8 && opcode <= 0xcf) { /* bswap */
		writes(d, (uint8_t)((opcode & 7) | (d->rex & B ? 8 : 0)), width(d));
		return true;
	}
	if (opcode >= 0x40 && opcode <= 0x4f) { /* cmov */
		take_modrm(d);
		reads_into(d, width(d), reg(d), width(d), false);
		return true;
	}
	if (opcode >= 0x90 && opcode <= 0x9f) { /* set */
		take_modrm(d);
		accesses(d, WRITE, 1);
		return true;
	}
	switch (opcode) {
	case 0x05: /* system calls */
	case 0x07:
	case 0x34:
	case 0x35:
		i->stops = true;
		return true;
	case 0x01:
		group_7(d);
		return true;
	case 0xa3:
	case 0xab:
	case 0xb3:
	case 0xba:
	case 0xbb:
		bits(d, opcode);
		return true;
	case 0xa4: /* shld, shrd */
	case 0xa5:
	case 0xac:
	case 0xad:
		take_modrm(d);
		skip(d, opcode & 1 ? 0 : 1);
		accesses(d, BOTH, width(d));
		return true;
	case 0xae:
		group_15(d);
		return true;
	case 0xaf: /* imul */
		take_modrm(d);
		reads_into(d, width(d), reg(d), width(d), false);
		has_operand(d, 0, width(d));
		return true;
	case 0xb2: /* far pointers */
	case 0xb4:
	case 0xb5:
		take_modrm(d);
		i->stops = true;
		return true;
	case 0xb8: /* popcnt, bsf, tzcnt, bsr, lzcnt */
	case 0xbc:
	case 0xbd:
		take_modrm(d);
		d->failed |= opcode == 0xb8 && d->repeat != REPEAT;
		reads_into(d, width(d), reg(d), width(d), false);
		return true;
	case 0xc7:
		group_9(d);
		return true;
	default:
		if (moves_0f(d, opcode))
			return true;
		/* no operation, or none that is of interest */
		if (opcode > 0x03 && opcode != 0x0d && (opcode < 0x18 || opcode > 0x23))
			return false;
		take_modrm(d);
		return true;
	}
}
