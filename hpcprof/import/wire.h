/* A decoder for the wire format of Protocol Buffers, through the bounded cursor. */
#ifndef HPCPROF_IMPORT_WIRE_H
#define HPCPROF_IMPORT_WIRE_H

#include "formats/base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_NUMBER = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;      /* of WIRE_NUMBER */
	struct cursor bytes; /* of WIRE_BYTES: over all of the message it is in, ended at its end */
};

/* Read a number. False, and nothing is read: it does not end, or is longer than 10 bytes. */
static inline bool wire_varint(struct cursor *c, uint64_t *out)
{
	struct cursor at = *c;
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		if (!cursor_u8(&at, &byte))
			return false;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = value;
			*c = at;
			return true;
		}
	}
	return false;
}

/* Read a field. False, and nothing is read: it is damaged, or there is none. */
static inline bool wire_field(struct cursor *c, struct wire_field *out)
{
	struct cursor at = *c;
	uint64_t key, n;

	if (!wire_varint(&at, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
		return false;
	*out =
	    (struct wire_field){.number = (uint32_t)(key >> 3), .type = (enum wire_type)(key & 7)};
	switch (key & 7) {
	case WIRE_NUMBER:
		if (!wire_varint(&at, &out->value))
			return false;
		break;
	case WIRE_BYTES:
		if (!wire_varint(&at, &n) || n > cursor_left(&at))
			return false;
		out->bytes = at;
		out->bytes.size = at.pos + (size_t)n;
		cursor_skip(&at, (size_t)n);
		break;
	case WIRE_FIXED64:
	case WIRE_FIXED32:
		if (!cursor_skip(&at, (key & 7) == WIRE_FIXED64 ? 8 : 4))
			return false;
		break;
	default:
		return false;
	}
	*c = at;
	return true;
}

/* Read the next number of a repeated field, which is packed or not: call it until it is false. */
static inline bool wire_next(struct wire_field *f, uint64_t *out)
{
	if (f->type == WIRE_BYTES)
		return wire_varint(&f->bytes, out);
	*out = f->value;
	if (f->type != WIRE_NUMBER)
		return false;
	f->type = WIRE_FIXED32; /* it has been read */
	return true;
}

#endif
