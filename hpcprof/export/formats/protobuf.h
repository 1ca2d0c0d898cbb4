/* An encoder for the wire format of Protocol Buffers. A message inside of another is encoded by
 * itself and added as bytes. Used by one thread. */
#ifndef HPCPROF_EXPORT_FORMATS_PROTOBUF_H
#define HPCPROF_EXPORT_FORMATS_PROTOBUF_H

#include "formats/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty message. */
struct protobuf {
	VEC(uint8_t) bytes;
	bool failed; /* memory ran out; what was added since is missing */
};

void protobuf_clear(struct protobuf *p); /* to encode another message */
void protobuf_deinit(struct protobuf *p);

/* A number without a field, as in a packed list. */
void protobuf_varint(struct protobuf *p, uint64_t value);
/* A field with a number. 0 is the value of a field that is left out, and is. */
void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value);
/* A field with a string, a message or a packed list, even an empty one. */
void protobuf_bytes(struct protobuf *p, uint32_t field, const void *at, size_t n);
/* The same for what another message contains. */
void protobuf_message(struct protobuf *p, uint32_t field, const struct protobuf *inner);

#endif
