/* The chunk CODE: which function and line an address has, and what is not accepted. */
#include "reader/reader.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define AT(n) (CSP_SOURCE_BASE + (n))

static struct reader *read_codes(const struct build_code *codes, uint32_t n, bool big,
				 struct built *b)
{
	struct build_file f = build_example;
	struct reader *r;
	struct error e;

	f.codes = codes;
	f.num_codes = n;
	f.big = big;
	build(&f, b);
	assert_int_equal(reader_open_memory(b->bytes, b->n, &r, &e), 0);
	return r;
}

static void test_lines(void **state)
{
	/* in no order; g is right behind f */
	static const struct build_code codes[] = {
	    {AT(20), 9, 7, "g", "\11\1\5\1\5\177", 6},
	    {AT(10), 10, 100, "f", "\2\3\377\177\4\13\201\1", 8},
	};
	/* f: one that is not known, one 1 line before, two that are not known, five 129 after it */
	static const uint32_t lines[] = {0, 99, 0, 0, 228, 228, 228, 228, 228, 0,
					 8, 8,  8, 8, 9,   9,   8,   8,   0};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct built b;
		struct reader *r = read_codes(codes, 2, big, &b);
		assert_null(reader_warning(r));
		assert_int_equal(reader_num_code(r), 2);
		assert_memory_equal(reader_code(r, 0)->name.at, "f", 1);
		for (uint32_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			const struct reader_code *code = reader_code_of(r, AT(10 + i));
			assert_ptr_equal(code, reader_code(r, i >= 10));
			assert_int_equal(reader_code_line(code, AT(10 + i)), lines[i]);
		}
		assert_null(reader_code_of(r, AT(9)));
		assert_null(reader_code_of(r, AT(29)));
		assert_null(reader_code_of(r, 0));
		assert_null(reader_code_of(r, UINT64_MAX));
		reader_close(r);
		built_free(&b);
	}
}

static void test_none(void **state)
{
	struct built b;
	struct reader *r = read_codes(NULL, 0, false, &b);

	(void)state;
	assert_int_equal(reader_num_code(r), 0);
	assert_null(reader_code_of(r, AT(0)));
	reader_close(r);
	built_free(&b);
}

static void test_damaged(void **state)
{
	static const struct {
		struct build_code codes[2];
		const char *expected;
	} cases[] = {
	    {{{AT(0), 0, 1, "f", "", 0}, {AT(9), 1, 1, "g", "", 0}}, "number of a function's addr"},
	    {{{AT(0), 9, 1, "f", "", 0}, {AT(8), 1, 1, "g", "", 0}}, "without common addresses"},
	    {{{AT(8), 1, 1, "f", "", 0}, {AT(8), 1, 1, "g", "", 0}}, "without common addresses"},
	    {{{AT(0), 1, 1, "f", "", 0}, {AT(0) - 1, 1, 1, "g", "", 0}}, "in a source file"},
	    {{{AT(0), 1, 1, "f", "", 0}, {AT(CSP_SOURCES_EXTENT), 1, 1, "g", "", 0}},
	     "in a source file"},
	    {{{AT(0), 1, 1, "f", "", 0}, {AT(0xffffffff), 2, 1, "g", "", 0}},
	     "number of a function's addr"},
	    {{{AT(0), 1, 1, "f", "\5", 1}, {AT(9), 1, 1, "g", "", 0}}, "a number of a function's"},
	    {{{AT(0), 1, 1, "f", "\205", 1}, {AT(9), 1, 1, "g", "", 0}},
	     "a number of a function's"},
	    {{{AT(0), 1, 1, "f", "\205\200\200\200\200\0\0", 7}, {AT(9), 1, 1, "g", "", 0}},
	     "at most 5 bytes"},
	    {{{AT(0), 1, 1, "f", "\5\176", 2}, {AT(9), 1, 1, "g", "", 0}}, "a line below 2^32"},
	    {{{AT(0), 1, UINT32_MAX, "f", "\5\1", 2}, {AT(9), 1, 1, "g", "", 0}},
	     "a line below 2^32"},
	    {{{AT(0), 1, 1, "f", "\377\377\377\377\77\0", 6}, {AT(9), 1, 1, "g", "", 0}},
	     "fewer than 2^32 addresses"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct built b;
		struct reader *r = read_codes(cases[i].codes, 2, i & 1, &b);
		assert_non_null(reader_warning(r));
		if (!strstr(reader_warning(r)->text, cases[i].expected) ||
		    !strstr(reader_warning(r)->text, "chunk CODE ignored"))
			fail_msg("%zu: %s", i, reader_warning(r)->text);
		assert_int_equal(reader_num_code(r), 0);
		assert_null(reader_code_of(r, AT(0)));
		reader_close(r);
		built_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
