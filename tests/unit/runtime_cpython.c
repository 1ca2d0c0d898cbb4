/* CPython's tables of lines, and where it says that it has what. */
#include "runtime/interpreters/cpython_layout.h"
#include "runtime/interpreters/cpython_lines.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* n bytes at whose end memory that cannot be touched begins. */
static uint8_t *before_a_wall(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (n + page - 1) / page * page;
	uint8_t *at =
	    mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(mprotect(at + room, page, PROT_NONE), 0);
	return at + room - n;
}

/* ---- reading what is written ----------------------------------------------------------- */

static uint64_t take_unsigned(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		assert_true(*p < end && shift < 64);
		v |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return v;
	}
}

static int64_t take_signed(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		assert_true(*p < end && shift < 64);
		byte = *(*p)++;
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (byte & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return (int64_t)v;
}

/* The line of each unit, as "10 10 11"; "-" if it is not known. */
static void spell(const uint8_t *at, size_t n, uint32_t first, char *out, size_t room)
{
	const uint8_t *end = at + n;
	int64_t line = first;

	*out = '\0';
	while (at < end) {
		uint64_t head = take_unsigned(&at, end);
		if (head & 1)
			line += take_signed(&at, end);
		for (uint64_t i = 0; i < head >> 1 && strlen(out) + 16 < room; i++)
			sprintf(out + strlen(out), head & 1 ? "%s%d" : "%s-", *out ? " " : "",
				(int)line);
	}
}

static void expect(enum cpython_table kind, const char *table, size_t n, uint32_t units,
		   const char *lines)
{
	uint8_t *copy = before_a_wall(n), out[256];
	struct cpython_code_lines c = {
	    .kind = kind, .table = copy, .table_bytes = n, .first = 10, .units = units};
	char text[1024];
	size_t written;

	memcpy(copy, table, n);
	written = csprof_cpython_lines(&c, out, sizeof out);
	assert_true(written <= sizeof out);
	spell(out, written, c.first, text, sizeof text);
	assert_string_equal(text, lines);
	/* with less room, a beginning of it */
	for (size_t room = 0; room < written; room++) {
		uint8_t *less = before_a_wall(room);
		size_t got = csprof_cpython_lines(&c, less, room);
		char part[1024];
		assert_true(got <= room);
		spell(less, got, c.first, part, sizeof part);
		assert_int_equal(strncmp(part, lines, strlen(part)), 0);
	}
}
#define EXPECT(kind, table, units, lines) expect(kind, table, sizeof(table) - 1, units, lines)

/* ---- tables ---------------------------------------------------------------------------- */

static void test_lnotab(void **state)
{
	(void)state;
	EXPECT(CPYTHON_LNOTAB, "", 3, "10 10 10");
	EXPECT(CPYTHON_LNOTAB, "\x04\x01\x02\x02", 5, "10 10 11 13 13");
	EXPECT(CPYTHON_LNOTAB, "\x00\x01\x02\x01", 3, "11 12 12"); /* a decorator is before it */
	EXPECT(CPYTHON_LNOTAB, "\x04\x02\x02\xff\x02\x01", 6, "10 10 12 11 12 12"); /* backwards */
	/* more than a byte holds: lines, and instructions */
	EXPECT(CPYTHON_LNOTAB, "\x02\x7f\x00\x7f\x00\x02", 2, "10 266");
	EXPECT(CPYTHON_LNOTAB, "\x02\x80\x00\x7f\x02\x01", 3, "10 9 10");
	EXPECT(CPYTHON_LNOTAB, "\x04", 2, "10 10");             /* half of a pair */
	EXPECT(CPYTHON_LNOTAB, "\xfe\x01\x02\x01", 2, "10 10"); /* more than there is */
}

static void test_linetable(void **state)
{
	(void)state;
	EXPECT(CPYTHON_LINETABLE, "", 2, "");
	EXPECT(CPYTHON_LINETABLE, "\x04\x01\x02\x02\x02\xfd", 4, "11 11 13 10");
	/* without a line: that of the one before; the next is counted from the last known one */
	EXPECT(CPYTHON_LINETABLE, "\x02\x01\x02\x80\x02\x01", 3, "11 11 12");
	EXPECT(CPYTHON_LINETABLE, "\x02\x80\x02\x01", 2, "10 11");
	EXPECT(CPYTHON_LINETABLE, "\x00\x7f\x02\x7f\x02\x00", 2, "264 264");
	EXPECT(CPYTHON_LINETABLE, "\x04\x01\x02", 3, "11 11"); /* half of a pair */
	EXPECT(CPYTHON_LINETABLE, "\xfe\x01\xfe\x01", 2, "11 11");
}

static void test_locations(void **state)
{
	(void)state;
	EXPECT(CPYTHON_LOCATIONS, "", 2, "");
	/* kinds 0 to 9 have a byte, and the line before; 10 to 12 two, and up to 2 lines more */
	EXPECT(CPYTHON_LOCATIONS, "\x81\x10\xd8\x01\x02\xe0\x01\x02", 4, "10 10 11 13");
	/* 13: a number; 14: and three more; 15: without a line */
	EXPECT(CPYTHON_LOCATIONS, "\xe8\x02\xf0\x03\x01\x02\x03\xf9", 4, "11 10 10 10");
	EXPECT(CPYTHON_LOCATIONS, "\xf8\xe8\x04", 2, "10 12");
	/* numbers of several bytes, of 6 bits each: 100 and -100 */
	EXPECT(CPYTHON_LOCATIONS, "\xe8\x48\x03\xe8\x49\x03", 2, "110 10");
	EXPECT(CPYTHON_LOCATIONS, "\xef\x00", 3, "10 10 10"); /* more than there is */
	EXPECT(CPYTHON_LOCATIONS, "\xe8", 1, "10");           /* cut */
	EXPECT(CPYTHON_LOCATIONS, "\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x00\x80\x00", 0, "");
}

static void test_many_lines(void **state)
{
	enum { UNITS = 3000 };
	static char table[2 * UNITS];
	uint8_t out[4 * UNITS];
	const uint8_t *at = out;
	struct cpython_code_lines c = {.kind = CPYTHON_LINETABLE,
				       .table = (const uint8_t *)table,
				       .table_bytes = sizeof table,
				       .first = 1,
				       .units = UNITS};
	uint64_t units = 0;
	size_t n;
	(void)state;

	for (int i = 0; i < UNITS; i++) {
		table[2 * i] = 2;
		table[2 * i + 1] = 100;
	}
	n = csprof_cpython_lines(&c, out, sizeof out);
	for (int64_t line = 1; at < out + n;) {
		units += take_unsigned(&at, out + n) >> 1;
		line += take_signed(&at, out + n);
		assert_int_equal(line, 1 + 100 * (int64_t)units);
	}
	assert_int_equal(units, UNITS);
	/* what there is no room for has no line */
	n = csprof_cpython_lines(&c, out, 100);
	assert_in_range(n, 96, 100);
}

/* Whatever the bytes, nothing is read behind the table or written behind the room, and no unit is
 * described twice. */
static void test_damaged(void **state)
{
	enum { MOST = 64, ROUNDS = 300000 };
	uint8_t *tables = before_a_wall(MOST), *outs = before_a_wall(MOST);
	(void)state;

	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = (size_t)random() % MOST, room = (size_t)random() % MOST;
		uint8_t *out = outs + MOST - room;
		const uint8_t *at = out;
		struct cpython_code_lines c = {.kind = (enum cpython_table)(round % 3),
					       .table = tables + MOST - n,
					       .table_bytes = n,
					       .first = round % 7 ? (uint32_t)random() : UINT32_MAX,
					       .units = (uint32_t)random() %
							(round % 5 ? 100 : UINT32_MAX / 2)};
		uint64_t units = 0;
		for (size_t i = MOST - n; i < MOST; i++)
			tables[i] = (uint8_t)(random() >> 8);
		size_t written = csprof_cpython_lines(&c, out, room);
		assert_true(written <= room);
		while (at < out + written) {
			uint64_t head = take_unsigned(&at, out + written);
			assert_true(head >> 1 > 0);
			units += head >> 1;
			if (head & 1)
				take_signed(&at, out + written);
		}
		assert_true(units <= c.units);
	}
}

/* ---- the layout ------------------------------------------------------------------------ */

static void test_versions(void **state)
{
	(void)state;
	for (uint32_t version = 0x0300; version < 0x0320; version++) {
		const struct cpython_layout *l = csprof_cpython_layout(version);
		assert_int_equal(l != NULL, version >= 0x0308 && version <= 0x030d);
		if (l)
			assert_int_equal(l->version, version);
	}
}

enum { RUNTIME_BYTES = 1024 };

static uint8_t *runtime_of_3_13(void)
{
	uint8_t *runtime = before_a_wall(RUNTIME_BYTES);
	uint64_t version = 0x030d00f0, offset = 4242;

	memset(runtime, 0xff, RUNTIME_BYTES); /* not offsets */
	memcpy(runtime, "xdebugpy", 8);
	memcpy(runtime + 8, &version, sizeof version);
	memset(runtime + 16, 0, 8);
	memcpy(runtime + 184, &offset, sizeof offset);
	return runtime;
}

static void test_what_3_13_says(void **state)
{
	struct cpython_layout l = *csprof_cpython_layout(0x030d), before = l;
	const char *why = NULL;
	uint8_t *runtime = runtime_of_3_13();
	(void)state;

	assert_true(csprof_cpython_layout_read(&l, runtime, &why));
	assert_int_equal(l.current, 4242);
	assert_null(why);
	before.current = 4242; /* what is no offset is not taken */
	assert_memory_equal(&l, &before, sizeof l);

	runtime[16] = 1; /* no lock */
	assert_false(csprof_cpython_layout_read(&l, runtime, &why));
	assert_non_null(strstr(why, "without a lock"));
	runtime[16] = 0;
	runtime[10] = 0x0e; /* 3.14 */
	assert_false(csprof_cpython_layout_read(&l, runtime, &why));
	assert_non_null(why);
	runtime[10] = 0x0d;
	runtime[0] = 'X';
	assert_false(csprof_cpython_layout_read(&l, runtime, &why));

	/* others say nothing */
	l = *csprof_cpython_layout(0x030c);
	before = l;
	assert_true(csprof_cpython_layout_read(&l, NULL, &why));
	assert_memory_equal(&l, &before, sizeof l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lnotab),         cmocka_unit_test(test_linetable),
	    cmocka_unit_test(test_locations),      cmocka_unit_test(test_many_lines),
	    cmocka_unit_test(test_damaged),        cmocka_unit_test(test_versions),
	    cmocka_unit_test(test_what_3_13_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
