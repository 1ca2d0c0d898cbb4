/* What OpenTelemetry SDKs publish in a process's memory for profilers: of the process (OTEP 4719,
 * version 2) and of each thread (OTEP 4947). Numbers are in the CPU's byte order. What is read here
 * was copied by the caller; texts are where it put it, need not be UTF-8 and end with no zero.
 * Async-signal-safe. */
#ifndef FORMATS_IDENTITY_OTEL_H
#define FORMATS_IDENTITY_OTEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- of the process: a mapping with this name begins with the header ------------------- */

#define OTEL_NAME "OTEL_CTX"
enum { OTEL_VERSION = 2 };

struct otel_header {
	char signature[8]; /* OTEL_NAME without a zero */
	uint32_t version, payload_bytes;
	uint64_t published; /* ns since 1970; 0: it is being written */
	uint64_t payload;   /* its address */
};

struct otel_text {
	const char *at;
	size_t n;
};

/* What is in a payload, in its order. */
struct otel_process {
	/* An attribute whose value is a text, an integer or a truth value, as a text. */
	void (*attribute)(void *context, struct otel_text key, struct otel_text value);
	/* The name of the threads' attributes with that number. */
	void (*key)(void *context, uint32_t number, struct otel_text name);
	void *context;
};
enum { OTEL_KEYS = 256 }; /* there are no more */

/* A payload: a ProcessContext (the resource as field 1, attributes as field 2) or, as early
 * publishers have it, a Resource (attributes as field 1). Returns false if it is damaged; what is
 * before that has been told. */
bool otel_process_read(const void *payload, size_t n, const struct otel_process *out);

/* ---- of a thread: where the thread-local variable of this name points ------------------ */

#define OTEL_THREAD_VARIABLE "otel_thread_ctx_v1"

struct otel_record {
	uint8_t trace[16], span[8]; /* zeros: none */
	uint8_t valid;              /* 1: it is */
	uint8_t flags;
	uint16_t bytes; /* of the attributes, which follow */
};
_Static_assert(sizeof(struct otel_record) == 28, "without gaps");
enum { OTEL_RECORD_BYTES = 640 }; /* all of it, as is recommended */

struct otel_value {
	uint32_t key;
	struct otel_text value;
};

/* The attribute at *at of n bytes; *at is behind it then. Of several with one key the last one
 * holds. Returns false at the end, or if the rest is none. */
bool otel_record_next(const uint8_t *attributes, size_t n, size_t *at, struct otel_value *out);

/* Whether the name is that of an identifier of traces or spans, which has another value each
 * time. */
bool otel_is_id(struct otel_text name);

#endif
