/*
 * Bounded reading of unwind information in this process's memory. Private to runtime/cpu.
 * Async-signal-safe.
 *
 * A read past the end returns 0 and sets `bad` permanently, so a parser can read a whole record
 * and check `bad` once.
 */
#ifndef CSPROF_CPU_BYTES_H
#define CSPROF_CPU_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct csprof_bytes {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t csprof_bytes_fail(struct csprof_bytes *b)
{
	b->bad = true;
	b->at = b->end;
	return 0;
}

static inline uint8_t csprof_bytes_u8(struct csprof_bytes *b)
{
	if (b->at >= b->end)
		return (uint8_t)csprof_bytes_fail(b);
	return *b->at++;
}

#define CSPROF_BYTES_FIXED(name, type)                                                             \
	static inline type csprof_bytes_##name(struct csprof_bytes *b)                             \
	{                                                                                          \
		type v;                                                                            \
		if ((size_t)(b->end - b->at) < sizeof(v))                                          \
			return (type)csprof_bytes_fail(b);                                         \
		memcpy(&v, b->at, sizeof(v));                                                      \
		b->at += sizeof(v);                                                                \
		return v;                                                                          \
	}

CSPROF_BYTES_FIXED(u16, uint16_t)
CSPROF_BYTES_FIXED(u32, uint32_t)
CSPROF_BYTES_FIXED(u64, uint64_t)

static inline void csprof_bytes_skip(struct csprof_bytes *b, uint64_t n)
{
	if (n > (uint64_t)(b->end - b->at))
		csprof_bytes_fail(b);
	else
		b->at += n;
}

/* DWARF 5 section 7.6. Ten bytes hold 64 bits; longer numbers are an error. */
static inline uint64_t csprof_bytes_uleb(struct csprof_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = csprof_bytes_u8(b);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return csprof_bytes_fail(b);
}

static inline int64_t csprof_bytes_sleb(struct csprof_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = csprof_bytes_u8(b);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (shift + 7 < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)value;
	}
	return (int64_t)csprof_bytes_fail(b);
}

#endif
