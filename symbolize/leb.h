/* Numbers of DWARF: LEB128 (DWARF 5, 7.6), initial lengths (7.4), and those of 2 bytes. False at
 * the end of the bytes. */
#ifndef SYMBOLIZE_LEB_H
#define SYMBOLIZE_LEB_H

#include "formats/base/cursor.h"

/* Bits beyond 64 are dropped. */
static inline bool leb_read_bits(struct cursor *c, uint64_t *value, unsigned *bits, uint8_t *last)
{
	*value = 0;
	*bits = 0;
	do {
		if (!cursor_u8(c, last))
			return false;
		if (*bits < 64)
			*value |= (uint64_t)(*last & 127) << *bits;
		*bits += 7;
	} while (*last & 128);
	return true;
}

static inline bool leb_read(struct cursor *c, uint64_t *out)
{
	unsigned bits;
	uint8_t last;
	if (cursor_left(c) && c->base[c->pos] < 128) { /* nearly all */
		*out = c->base[c->pos++];
		return true;
	}
	return leb_read_bits(c, out, &bits, &last);
}

static inline bool leb_read_signed(struct cursor *c, int64_t *out)
{
	uint64_t value;
	unsigned bits;
	uint8_t last;
	if (!leb_read_bits(c, &value, &bits, &last))
		return false;
	if (bits < 64 && last & 64)
		value |= ~(uint64_t)0 << bits;
	*out = (int64_t)value;
	return true;
}

static inline bool leb_read_u16(struct cursor *c, uint16_t *out)
{
	const uint8_t *b;
	if (!cursor_bytes(c, 2, &b))
		return false;
	*out = c->big ? (uint16_t)(b[0] << 8 | b[1]) : (uint16_t)(b[1] << 8 | b[0]);
	return true;
}

/* Bound c to the unit or table that it is at, and move it behind its length. width: of offsets
 * there. */
static inline bool leb_read_length(struct cursor *c, unsigned *width)
{
	uint64_t length;
	*width = 4;
	if (!cursor_word(c, 4, &length))
		return false;
	if (length == 0xffffffff) {
		*width = 8;
		if (!cursor_word(c, 8, &length))
			return false;
	}
	if (length > cursor_left(c))
		return false;
	c->size = c->pos + (size_t)length;
	return true;
}

#endif
