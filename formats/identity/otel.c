#include "formats/identity/otel.h"

#include <string.h>

/* ---- protocol buffers: varints, and fields with a number and a wire type ---------------- */

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct message {
	const uint8_t *at, *end;
	bool damaged;
};

struct field {
	uint64_t number;
	uint32_t type;
	uint64_t value;       /* of a varint */
	struct message bytes; /* of BYTES */
};

static bool fail(struct message *m)
{
	m->damaged = true;
	m->at = m->end;
	return false;
}

static bool read_varint(struct message *m, uint64_t *out)
{
	enum { MOST = 64 };
	*out = 0;
	for (unsigned shift = 0; m->at < m->end && shift < MOST; shift += 7) {
		uint8_t byte = *m->at++;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return fail(m);
}

static bool pass(struct message *m, uint64_t n)
{
	if (n > (uint64_t)(m->end - m->at))
		return fail(m);
	m->at += n;
	return true;
}

/* The next field. Returns false at the end, or if it is damaged. */
static bool next_field(struct message *m, struct field *f)
{
	uint64_t tag, n;
	*f = (struct field){0};
	if (m->at == m->end || !read_varint(m, &tag))
		return false;
	f->number = tag >> 3;
	f->type = tag & 7;
	switch (f->type) {
	case VARINT:
		return read_varint(m, &f->value);
	case FIXED64:
		return pass(m, sizeof(uint64_t));
	case FIXED32:
		return pass(m, sizeof(uint32_t));
	case BYTES:
		if (!read_varint(m, &n))
			return false;
		f->bytes.at = m->at;
		if (!pass(m, n))
			return false;
		f->bytes.end = m->at;
		return true;
	default:
		return fail(m);
	}
}

static bool is_bytes(const struct field *f, uint64_t number)
{
	return f->type == BYTES && f->number == number;
}

static struct otel_text text_of(const struct field *f)
{
	return (struct otel_text){(const char *)f->bytes.at, (size_t)(f->bytes.end - f->bytes.at)};
}

/* ---- opentelemetry.proto.common.v1 ------------------------------------------------------ */

/* The fields of AnyValue, ArrayValue, KeyValue, Resource and ProcessContext. */
enum { VALUE_STRING = 1, VALUE_BOOL = 2, VALUE_INT = 3, VALUE_ARRAY = 5 };
enum { ARRAY_VALUES = 1 };
enum { PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { CONTEXT_RESOURCE = 1, CONTEXT_ATTRIBUTES = 2 };
enum { RESOURCE_ATTRIBUTES = 1 };

enum { DIGITS = 24 };

/* Decimal digits before end, after a minus if it is negative. */
static struct otel_text digits_of(char *end, int64_t value)
{
	char *at = end;
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		*--at = (char)('0' + left % 10);
	while ((left /= 10) != 0);
	if (value < 0)
		*--at = '-';
	return (struct otel_text){at, (size_t)(end - at)};
}

/* The last one of a oneof's fields holds. Returns false if it is of another kind. */
static bool scalar_of(struct message *value, char digits[DIGITS], struct otel_text *out)
{
	struct field f;
	bool is = false;
	while (next_field(value, &f)) {
		is = true;
		if (is_bytes(&f, VALUE_STRING))
			*out = text_of(&f);
		else if (f.type == VARINT && f.number == VALUE_INT)
			*out = digits_of(digits + DIGITS, (int64_t)f.value);
		else if (f.type == VARINT && f.number == VALUE_BOOL)
			*out = f.value ? (struct otel_text){"true", 4}
				       : (struct otel_text){"false", 5};
		else
			is = false;
	}
	return is;
}

static bool is_text(struct otel_text t, const char *text)
{
	return t.n == strlen(text) && memcmp(t.at, text, t.n) == 0;
}

static void tell_keys(const struct otel_process *out, struct message *value)
{
	struct field array, item;
	char digits[DIGITS];
	while (next_field(value, &array))
		for (uint32_t n = 0; is_bytes(&array, VALUE_ARRAY) && n < OTEL_KEYS &&
				     next_field(&array.bytes, &item);) {
			struct otel_text name = {"", 0};
			if (!is_bytes(&item, ARRAY_VALUES))
				continue;
			if (scalar_of(&item.bytes, digits, &name))
				out->key(out->context, n, name);
			n++;
		}
}

/* A KeyValue. */
static void tell_pair(const struct otel_process *out, struct message pair)
{
	struct otel_text key = {"", 0}, text = {"", 0};
	struct message value = {0};
	struct field f;
	char digits[DIGITS];
	while (next_field(&pair, &f))
		if (is_bytes(&f, PAIR_KEY))
			key = text_of(&f);
		else if (is_bytes(&f, PAIR_VALUE))
			value = f.bytes;
	if (pair.damaged || key.n == 0)
		return;
	if (is_text(key, "threadlocal.attribute_key_map"))
		tell_keys(out, &value);
	else if (scalar_of(&value, digits, &text))
		out->attribute(out->context, key, text);
}

/* Field 2 of a Resource is a number: what has bytes there is a KeyValue. */
static bool is_pair(struct message m)
{
	struct field f;
	while (next_field(&m, &f))
		if (is_bytes(&f, PAIR_VALUE))
			return true;
	return false;
}

static bool tell_resource(const struct otel_process *out, struct message resource)
{
	struct field f;
	while (next_field(&resource, &f))
		if (is_bytes(&f, RESOURCE_ATTRIBUTES))
			tell_pair(out, f.bytes);
	return !resource.damaged;
}

bool otel_process_read(const void *payload, size_t n, const struct otel_process *out)
{
	struct message m = {.at = payload, .end = (const uint8_t *)payload + n};
	bool whole = true;
	struct field f;
	while (next_field(&m, &f))
		if (is_bytes(&f, CONTEXT_ATTRIBUTES))
			tell_pair(out, f.bytes);
		else if (is_bytes(&f, CONTEXT_RESOURCE) && is_pair(f.bytes))
			tell_pair(out, f.bytes);
		else if (is_bytes(&f, CONTEXT_RESOURCE))
			whole &= tell_resource(out, f.bytes);
	return whole && !m.damaged;
}

/* ---- of a thread ---------------------------------------------------------------------- */

bool otel_record_next(const uint8_t *attributes, size_t n, size_t *at, struct otel_value *out)
{
	enum { HEAD = 2 };
	if (n - *at < HEAD || n - *at - HEAD < attributes[*at + 1])
		return false;
	out->key = attributes[*at];
	out->value = (struct otel_text){(const char *)attributes + *at + HEAD, attributes[*at + 1]};
	*at += HEAD + out->value.n;
	return true;
}

bool otel_is_id(struct otel_text name)
{
	static const char *const ends[] = {"trace_id", "span_id", "trace.id", "span.id"};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n = strlen(ends[i]);
		if (name.n >= n && memcmp(name.at + name.n - n, ends[i], n) == 0)
			return true;
	}
	return false;
}
