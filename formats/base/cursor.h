/* A bounded cursor over bytes in memory, the only way in which the offline code parses binary
 * data. A read past the end returns false and does not move the cursor. No allocation; the bytes
 * belong to their owner. */
#ifndef FORMATS_BASE_CURSOR_H
#define FORMATS_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *base; /* first byte of the file or section */
	size_t size;         /* bytes at base */
	size_t pos;          /* where the next read begins; pos <= size */
	bool big;            /* integers are big-endian */
};

static inline struct cursor cursor_of(const void *base, size_t size, bool big)
{
	return (struct cursor){.base = base, .size = size, .pos = 0, .big = big};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->size - c->pos;
}

/* Point *out at the next n bytes and step over them. */
static inline bool cursor_bytes(struct cursor *c, size_t n, const uint8_t **out)
{
	if (n > cursor_left(c))
		return false;
	*out = c->base + c->pos;
	c->pos += n;
	return true;
}

static inline bool cursor_skip(struct cursor *c, size_t n)
{
	if (n > cursor_left(c))
		return false;
	c->pos += n;
	return true;
}

static inline bool cursor_u8(struct cursor *c, uint8_t *out)
{
	if (cursor_left(c) < 1)
		return false;
	*out = c->base[c->pos++];
	return true;
}

static inline uint32_t cursor_load_u32(const uint8_t *p, bool big)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		v = __builtin_bswap32(v);
	return v;
}

static inline uint64_t cursor_load_u64(const uint8_t *p, bool big)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		v = __builtin_bswap64(v);
	return v;
}

static inline bool cursor_u32(struct cursor *c, uint32_t *out)
{
	if (cursor_left(c) < 4)
		return false;
	*out = cursor_load_u32(c->base + c->pos, c->big);
	c->pos += 4;
	return true;
}

static inline bool cursor_u64(struct cursor *c, uint64_t *out)
{
	if (cursor_left(c) < 8)
		return false;
	*out = cursor_load_u64(c->base + c->pos, c->big);
	c->pos += 8;
	return true;
}

/* Read an unsigned integer of width 4 or 8 bytes. */
static inline bool cursor_word(struct cursor *c, unsigned width, uint64_t *out)
{
	uint32_t narrow;
	if (width == 8)
		return cursor_u64(c, out);
	if (!cursor_u32(c, &narrow))
		return false;
	*out = narrow;
	return true;
}

#endif
