#include "hpcprof/export/formats/protobuf.h"

#include <string.h>

/* The types of fields that are used here. */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };
enum { LONGEST_VARINT = 10 };

void protobuf_clear(struct protobuf *p)
{
	p->bytes.len = 0;
	p->failed = false;
}

void protobuf_deinit(struct protobuf *p)
{
	vec_free(&p->bytes);
	*p = (struct protobuf){0};
}

/* Room for n more bytes; NULL if memory ran out. */
static uint8_t *room(struct protobuf *p, size_t n)
{
	if (p->failed || !vec_reserve(&p->bytes, p->bytes.len + n)) {
		p->failed = true;
		return NULL;
	}
	return p->bytes.at + p->bytes.len;
}

void protobuf_varint(struct protobuf *p, uint64_t value)
{
	uint8_t *to = room(p, LONGEST_VARINT);

	if (!to)
		return;
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	p->bytes.len = (size_t)(to - p->bytes.at);
}

void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	protobuf_varint(p, (uint64_t)field << 3 | WIRE_VARINT);
	protobuf_varint(p, value);
}

void protobuf_bytes(struct protobuf *p, uint32_t field, const void *at, size_t n)
{
	uint8_t *to;

	protobuf_varint(p, (uint64_t)field << 3 | WIRE_BYTES);
	protobuf_varint(p, n);
	to = room(p, n);
	if (!to || !n)
		return;
	memcpy(to, at, n);
	p->bytes.len += n;
}

void protobuf_message(struct protobuf *p, uint32_t field, const struct protobuf *inner)
{
	p->failed |= inner->failed;
	protobuf_bytes(p, field, inner->bytes.at, inner->bytes.len);
}
