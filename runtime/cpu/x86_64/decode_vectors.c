/* Instructions on vector registers, and those that the prefixes of these have added on integers. Of
 * vectors the low 64 bits are of interest. */
#include "runtime/cpu/x86_64/decoder.h"

static bool no_modrm(uint8_t opcode)
{
	static const uint8_t those[] = {0x06, 0x08, 0x09, 0x0b, 0x0e, 0x30, 0x31, 0x32, 0x33,
					0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa};
	return memchr(those, opcode, sizeof those) != NULL;
}

static bool is_undefined(uint8_t opcode)
{
	static const uint8_t those[] = {0x04, 0x0a, 0x0c, 0x0f, 0x24, 0x25, 0x26,
					0x27, 0x36, 0x39, 0x3b, 0x3c, 0x3d, 0x3e,
					0x3f, 0x7a, 0x7b, 0xa6, 0xa7, 0xb9, 0xff};
	return memchr(those, opcode, sizeof those) != NULL;
}

/* Has an immediate byte, in map 1. */
static bool has_byte(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
	       (opcode >= 0xc4 && opcode <= 0xc6);
}

static uint8_t scalar(const struct decoder *d)
{
	return d->mandatory == REPEAT ? 4 : d->mandatory == REPEAT_NE ? 8 : d->wide ? 32 : 16;
}

static uint8_t full(const struct decoder *d)
{
	return d->wide ? 32 : 16;
}

static uint8_t general(const struct decoder *d)
{
	return d->rex & W ? 8 : 4;
}

static void writes_vector(struct decoder *d, uint8_t bytes)
{
	writes(d, (uint8_t)(XMM + reg(d)), bytes < 8 ? bytes : 8);
}

static void load(struct decoder *d, uint8_t bytes)
{
	accesses(d, READ, bytes);
	d->insn->loads = !in_register(d);
	writes_vector(d, bytes);
}

static void store(struct decoder *d, uint8_t bytes)
{
	if (in_register(d))
		writes(d, (uint8_t)(XMM + rm(d)), bytes < 8 ? bytes : 8);
	else
		accesses(d, WRITE, bytes);
}

/* Of the same register twice: always zero, or all ones. */
static bool is_constant(const struct decoder *d, uint8_t opcode)
{
	uint8_t first = d->encoding == LEGACY ? reg(d) : d->third;
	return in_register(d) && first == rm(d) &&
	       (opcode == 0x57 || opcode == 0xef || (opcode >= 0x74 && opcode <= 0x76));
}

static void compute(struct decoder *d, uint8_t opcode, uint8_t bytes, uint8_t result)
{
	accesses(d, READ, bytes);
	if (!is_constant(d, opcode))
		writes_vector(d, result);
}

/* 51 to 5F */
static void arithmetic(struct decoder *d, uint8_t opcode)
{
	enum { MULTIPLY = 0x59, CONVERT = 0x5a, DIVIDE = 0x5e };
	bool single = d->mandatory == REPEAT, is_double = d->mandatory == REPEAT_NE;
	uint8_t bytes = scalar(d), result = single ? 4 : 8;
	if (opcode == CONVERT) {
		bytes = single ? 4 : is_double ? 8 : d->mandatory ? full(d) : full(d) / 2;
		result = is_double ? 4 : 8;
	}
	compute(d, opcode, bytes, result);
	if (opcode == MULTIPLY || opcode == DIVIDE)
		has_operand(d, XMM, d->mandatory == REPEAT || !d->mandatory ? 4 : 8);
}

/* 10 to 17 */
static void parts(struct decoder *d, uint8_t opcode)
{
	switch (opcode) {
	case 0x10:
		load(d, scalar(d));
		break;
	case 0x11:
		store(d, scalar(d));
		break;
	case 0x12:
		load(d, d->mandatory == REPEAT ? full(d) : 8);
		break;
	case 0x13:
	case 0x17:
		accesses(d, in_register(d) ? 0 : WRITE, 8);
		break;
	case 0x16:
		if (d->mandatory == REPEAT)
			load(d, full(d));
		else
			accesses(d, READ, 8); /* into the upper half */
		break;
	default:
		compute(d, opcode, full(d), 8);
	}
}

/* 28 to 2F, and 50 */
static void conversions(struct decoder *d, uint8_t opcode)
{
	bool single = d->mandatory == REPEAT, is_scalar = single || d->mandatory == REPEAT_NE;
	switch (opcode) {
	case 0x28:
		load(d, full(d));
		break;
	case 0x29:
	case 0x2b:
		store(d, full(d));
		break;
	case 0x2a:
		compute(d, opcode, is_scalar ? general(d) : 8, single ? 4 : 8);
		break;
	case 0x2c:
	case 0x2d:
		if (is_scalar)
			reads_into(d, single ? 4 : 8, reg(d), general(d), false);
		break;
	case 0x50:
		writes(d, reg(d), 4);
		break;
	default:
		accesses(d, READ, d->mandatory == OPERAND_SIZE ? 8 : 4);
	}
}

/* 60 to 7F: without a prefix they are about MMX. */
static void moves(struct decoder *d, uint8_t opcode)
{
	bool sse = d->mandatory == OPERAND_SIZE, single = d->mandatory == REPEAT;
	switch (opcode) {
	case 0x6e:
		if (sse) {
			load(d, general(d));
			return;
		}
		break;
	case 0x6f:
		if (sse || single)
			load(d, full(d));
		break;
	case 0x71:
	case 0x72:
	case 0x73:
		if (sse && in_register(d))
			writes(d, (uint8_t)(XMM + (d->encoding == LEGACY ? rm(d) : d->third)), 8);
		break;
	case 0x7e:
		if (single)
			load(d, 8);
		else if (sse)
			accesses(d, WRITE, general(d));
		break;
	case 0x7f:
		if (sse || single)
			store(d, full(d));
		break;
	default:
		if (d->mandatory)
			compute(d, opcode, full(d), 8);
	}
}

/* C2 to FE */
static void others(struct decoder *d, uint8_t opcode)
{
	bool sse = d->mandatory == OPERAND_SIZE;
	switch (opcode) {
	case 0xc2:
		compute(d, opcode, scalar(d), d->mandatory == REPEAT ? 4 : 8);
		break;
	case 0xc4:
		if (sse)
			compute(d, opcode, 2, 8);
		break;
	case 0xc5:
	case 0xd7:
		writes(d, reg(d), 4);
		break;
	case 0xc6:
		compute(d, opcode, full(d), 8);
		break;
	case 0xd6:
		if (sse)
			store(d, 8);
		break;
	case 0xe6:
		compute(d, opcode, d->mandatory == REPEAT ? 8 : full(d), 8);
		break;
	case 0xe7:
		accesses(d, in_register(d) ? 0 : WRITE, sse ? full(d) : 8);
		break;
	case 0xf0:
		if (d->mandatory == REPEAT_NE)
			load(d, full(d));
		break;
	case 0xf7:
		break;
	case 0xd0:
		compute(d, opcode, full(d), 8);
		break;
	default:
		if (sse)
			compute(d, opcode, full(d), 8);
	}
}

static void map_1(struct decoder *d, uint8_t opcode)
{
	enum { MASK_TO_GENERAL = 0x93 };
	if (no_modrm(opcode)) {
		d->failed |= d->encoding != LEGACY && opcode != 0x77;
		return;
	}
	d->failed |= is_undefined(opcode);
	/* SSE4a */
	d->failed |= (opcode == 0x78 || opcode == 0x79) && d->mandatory;
	take_modrm(d);
	if (has_byte(opcode))
		skip(d, 1);
	if (opcode >= 0x10 && opcode <= 0x17)
		parts(d, opcode);
	else if ((opcode >= 0x28 && opcode <= 0x2f) || opcode == 0x50)
		conversions(d, opcode);
	else if (opcode >= 0x51 && opcode <= 0x5f)
		arithmetic(d, opcode);
	else if (opcode >= 0x60 && opcode <= 0x7f)
		moves(d, opcode);
	else if (opcode >= 0xc2)
		others(d, opcode);
	else if (d->encoding == VEX && opcode == MASK_TO_GENERAL && in_register(d))
		writes(d, reg(d), general(d));
}

/* ---- 0F 38 ----------------------------------------------------------------------------------- */

static void crc_or_swap(struct decoder *d, uint8_t opcode)
{
	enum { BYTE_OR_LOAD = 0xf0 };
	if (d->repeat == REPEAT_NE) {
		uint8_t bytes = opcode == BYTE_OR_LOAD ? 1 : width(d);
		reads_into(d, bytes, reg(d), general(d), false);
	} else if (opcode == BYTE_OR_LOAD) {
		reads_into(d, width(d), reg(d), width(d), false);
	} else {
		accesses(d, WRITE, width(d));
	}
}

/* F0 to FF: on integers. */
static void integers_38(struct decoder *d, uint8_t opcode)
{
	bool vex = d->encoding == VEX;
	if (!vex && opcode <= 0xf1) {
		crc_or_swap(d, opcode);
	} else if (opcode == 0xf6 && !vex) { /* adcx, adox */
		if (d->mandatory == OPERAND_SIZE || d->mandatory == REPEAT)
			reads_into(d, general(d), reg(d), general(d), false);
	} else if (opcode == 0xf9 && !vex) { /* movdiri */
		accesses(d, WRITE, general(d));
	} else if (opcode == 0xf3 && vex) { /* blsr, blsmsk, blsi */
		reads_into(d, general(d), d->third, general(d), false);
	} else if (opcode == 0xf6 && vex) { /* mulx */
		reads_into(d, general(d), reg(d), general(d), false);
		has_operand(d, 0, general(d));
		writes(d, d->third, general(d));
	} else if (vex && (opcode == 0xf2 || opcode == 0xf5 || opcode == 0xf7)) {
		reads_into(d, general(d), reg(d), general(d), false);
	}
}

/* pmovsx, pmovzx: of bytes to words, and so on. */
static uint8_t extended(const struct decoder *d, uint8_t opcode)
{
	static const uint8_t part[] = {2, 4, 8, 2, 4, 2};
	return full(d) / part[opcode & 7];
}

static bool accesses_parts(uint8_t opcode)
{
	/* masked and gathered */
	return (opcode >= 0x2c && opcode <= 0x2f) || opcode == 0x8c || opcode == 0x8e ||
	       (opcode >= 0x90 && opcode <= 0x93) || (opcode >= 0x49 && opcode <= 0x4b) ||
	       (opcode >= 0x5c && opcode <= 0x5e) || (opcode >= 0x80 && opcode <= 0x82);
}

static uint8_t broadcast(uint8_t opcode)
{
	switch (opcode) {
	case 0x18:
	case 0x58:
		return 4;
	case 0x19:
	case 0x59:
		return 8;
	case 0x1a:
	case 0x5a:
		return 16;
	case 0x78:
		return 1;
	case 0x79:
		return 2;
	default:
		return 0;
	}
}

static void map_2(struct decoder *d, uint8_t opcode)
{
	bool vex = d->encoding == VEX;
	bool fused = opcode >= 0x96 && opcode <= 0xbf && (opcode & 0xf) >= 6;
	take_modrm(d);
	if (opcode >= 0xf0) {
		integers_38(d, opcode);
	} else if (opcode >= 0xc8 && opcode <= 0xcd) { /* sha */
		compute(d, opcode, full(d), 8);
	} else if (d->mandatory != OPERAND_SIZE || (accesses_parts(opcode) && vex)) {
		return;
	} else if (opcode == 0x0e || opcode == 0x0f || opcode == 0x17) { /* tests */
		accesses(d, READ, full(d));
	} else if ((opcode >= 0x20 && opcode <= 0x25) || (opcode >= 0x30 && opcode <= 0x35)) {
		compute(d, opcode, extended(d, opcode), 8);
	} else if (vex && broadcast(opcode)) {
		load(d, broadcast(opcode));
	} else if (vex && opcode == 0x13) { /* vcvtph2ps */
		compute(d, opcode, full(d) / 2, 8);
	} else if (vex && fused && (opcode & 1) && (opcode & 0xf) >= 9) {
		compute(d, opcode, general(d), general(d)); /* scalars */
	} else if (opcode < 0x80 || opcode > 0x82) {
		compute(d, opcode, full(d), 8);
	}
}

/* ---- 0F 3A -------------------------------------------------------------------------------------
 */

static void extracts(struct decoder *d, uint8_t opcode)
{
	uint8_t bytes = opcode == 0x14 ? 1 : opcode == 0x15 ? 2 : opcode == 0x16 ? general(d) : 4;
	if (in_register(d))
		writes(d, rm(d), bytes < 4 ? 4 : bytes);
	else
		accesses(d, WRITE, bytes);
}

static void map_3(struct decoder *d, uint8_t opcode)
{
	bool vex = d->encoding == VEX;
	take_modrm(d);
	skip(d, 1);
	if (vex && opcode == 0xf0) { /* rorx */
		reads_into(d, general(d), reg(d), general(d), false);
	} else if (opcode == 0xcc) { /* sha1rnds4 */
		compute(d, opcode, 16, 8);
	} else if (d->mandatory != OPERAND_SIZE || (vex && opcode >= 0x30 && opcode <= 0x33)) {
		return;
	} else if (opcode >= 0x14 && opcode <= 0x17) {
		extracts(d, opcode);
	} else if (vex && (opcode == 0x19 || opcode == 0x39)) {
		store(d, 16);
	} else if (vex && opcode == 0x1d) { /* vcvtps2ph */
		store(d, full(d) / 2);
	} else if (opcode == 0x61 || opcode == 0x63) { /* pcmpestri, pcmpistri */
		accesses(d, READ, 16);
		writes(d, RCX, 4);
	} else if (opcode == 0x60 || opcode == 0x62) {
		accesses(d, READ, 16);
	} else {
		uint8_t bytes = opcode == 0x20                     ? 1
				: opcode == 0x22                   ? general(d)
				: opcode == 0x21 || opcode == 0x0a ? 4
				: opcode == 0x0b                   ? 8
				: opcode == 0x18 || opcode == 0x38 ? 16
								   : full(d);
		compute(d, opcode, bytes, opcode == 0x0a ? 4 : 8);
	}
}

void csprof_decode_vectors(struct decoder *d, uint8_t map, uint8_t opcode)
{
	if (map == 1)
		map_1(d, opcode);
	else if (map == 2)
		map_2(d, opcode);
	else if (map == 3)
		map_3(d, opcode);
	else
		d->failed = true;
}
