/* What is published with OpenTelemetry: payloads and records, written byte by byte. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/identity/otel.h"

#include <stdio.h>
#include <string.h>

struct told {
	size_t n;
	char text[4096];
};

static void attribute(void *context, struct otel_text key, struct otel_text value)
{
	struct told *t = context;
	t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%.*s=%.*s ", (int)key.n,
				 key.at, (int)value.n, value.at);
}

static void key(void *context, uint32_t number, struct otel_text name)
{
	struct told *t = context;
	t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, "%u:%.*s ", number,
				 (int)name.n, name.at);
}

#define READ(bytes, whole, text) check_read(bytes, sizeof bytes - 1, whole, text)

static void check_read(const char *bytes, size_t n, bool whole, const char *text)
{
	struct told t = {.n = 0};
	const struct otel_process out = {attribute, key, &t};
	assert_int_equal(otel_process_read(bytes, n, &out), whole);
	assert_string_equal(t.text, text);
}

/* KeyValue a="x": 0a 01 'a' 12 03 (0a 01 'x'). */
#define A_IS_X "\012\001a\022\003\012\001x"

static void contexts(void **unused)
{
	(void)unused;
	READ("", true, "");
	/* of early publishers: a Resource, of which 9 attributes were dropped */
	READ("\012\010" A_IS_X "\020\011", true, "a=x ");
	/* the resource, and an attribute besides */
	READ("\012\012\012\010" A_IS_X "\022\010" A_IS_X, true, "a=x a=x ");
	/* a resource with a number in field 2 */
	READ("\012\014\012\010" A_IS_X "\020\001", true, "a=x ");
	/* one without attributes, and fields of other numbers and types */
	READ("\012\000\032\001?\045abcd\051abcdefgh", true, "");
}

static void values(void **unused)
{
	(void)unused;
	/* 42, -1, the smallest number, true, false */
	READ("\022\007\012\001a\022\002\030\052", true, "a=42 ");
	READ("\022\020\012\001a\022\013\030\377\377\377\377\377\377\377\377\377\001", true,
	     "a=-1 ");
	READ("\022\020\012\001a\022\013\030\200\200\200\200\200\200\200\200\200\001", true,
	     "a=-9223372036854775808 ");
	READ("\022\007\012\001a\022\002\020\001", true, "a=true ");
	READ("\022\007\012\001a\022\002\020\000", true, "a=false ");
	/* a double, bytes, no value, no key */
	READ("\022\016\012\001a\022\011\041abcdefgh", true, "");
	READ("\022\010\012\001a\022\003\072\001x", true, "");
	READ("\022\005\012\001a\022\000", true, "");
	READ("\022\005\022\003\012\001x", true, "");
	/* an empty text */
	READ("\022\007\012\001a\022\002\012\000", true, "a= ");
}

#define MAP "\012\035threadlocal.attribute_key_map"

static void keys(void **unused)
{
	(void)unused;
	/* b, a number that is no name, and c */
	READ("\022\062" MAP "\022\021*\017\012\003\012\001b\012\003\030\200\001\012\003\012\001c",
	     true, "0:b 1:128 2:c ");
	/* one text is no map */
	READ("\022\044" MAP "\022\003\012\001b", true, "");
}

static void damaged(void **unused)
{
	(void)unused;
	READ("\022\010" A_IS_X "\022\011" A_IS_X, false, "a=x "); /* too long */
	READ("\022\010" A_IS_X "\022", false, "a=x ");            /* no length */
	READ("\023\010" A_IS_X, false, "");                       /* a group */
	READ("\377\377\377\377\377\377\377\377\377\377\001", false, "");
	READ("\022\010\012\001a\022\003\012\002x", true, ""); /* within the value */
	READ("\045abc", false, "");
	/* the resource is; the rest is not */
	READ("\012\013\012\010" A_IS_X "\012\022\010" A_IS_X, false, "a=x a=x ");
}

/* "KEY=VALUE ..." of the bytes, and where they end. */
static const char *record_of(const char *bytes, size_t n, size_t *end)
{
	static char out[512];
	struct otel_value v;
	size_t used = 0;
	out[0] = '\0';
	for (*end = 0; otel_record_next((const uint8_t *)bytes, n, end, &v);)
		used += (size_t)snprintf(out + used, sizeof out - used, "%u=%.*s ", v.key,
					 (int)v.value.n, v.value.at);
	return out;
}

static void records(void **unused)
{
	size_t end;
	(void)unused;
	assert_string_equal(record_of("", 0, &end), "");
	assert_string_equal(record_of("\000\002ab\377\000\001\001c", 9, &end), "0=ab 255= 1=c ");
	assert_int_equal(end, 9);
	assert_string_equal(record_of("\000\002ab\001", 5, &end), "0=ab ");
	assert_int_equal(end, 4);
	assert_string_equal(record_of("\000\002ab\001\002c", 7, &end), "0=ab ");
}

static bool is_id(const char *name)
{
	return otel_is_id((struct otel_text){name, strlen(name)});
}

static void ids(void **unused)
{
	(void)unused;
	assert_true(is_id("trace_id"));
	assert_true(is_id("datadog.local_root_span_id"));
	assert_true(is_id("span.id"));
	assert_false(is_id("span_identity"));
	assert_false(is_id("id"));
	assert_false(is_id(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(contexts), cmocka_unit_test(values),  cmocka_unit_test(keys),
	    cmocka_unit_test(damaged),  cmocka_unit_test(records), cmocka_unit_test(ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
