/* formats/base/cursor.h: bounded reads in both orders. */
#include "formats/base/cursor.h"

#include "tests/lib/unit/cmocka_all.h"

static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void reads_little_and_big(void **state)
{
	(void)state;
	struct cursor little = cursor_of(bytes, sizeof bytes, false);
	struct cursor big = cursor_of(bytes, sizeof bytes, true);
	uint32_t v32;
	uint64_t v64;
	uint8_t v8;
	assert_true(cursor_u64(&little, &v64));
	assert_int_equal(v64, 0x0807060504030201);
	assert_true(cursor_u8(&little, &v8));
	assert_int_equal(v8, 9);
	assert_int_equal(cursor_left(&little), 0);
	assert_true(cursor_u32(&big, &v32));
	assert_int_equal(v32, 0x01020304);
	assert_true(cursor_u32(&big, &v32));
	assert_int_equal(v32, 0x05060708);
	assert_int_equal(cursor_left(&big), 1);
}

static void words_have_two_widths(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, sizeof bytes, true);
	uint64_t v;
	assert_true(cursor_word(&c, 4, &v));
	assert_int_equal(v, 0x01020304);
	c.pos = 0;
	assert_true(cursor_word(&c, 8, &v));
	assert_int_equal(v, 0x0102030405060708);
}

static void a_failed_read_does_not_move(void **state)
{
	(void)state;
	const uint8_t *p;
	uint64_t v64 = 77;
	uint32_t v32 = 77;
	uint8_t v8 = 77;
	for (size_t size = 0; size < 8; size++) {
		struct cursor c = cursor_of(bytes, size, false);
		assert_false(cursor_u64(&c, &v64));
		assert_false(cursor_bytes(&c, size + 1, &p));
		assert_false(cursor_skip(&c, size + 1));
		assert_false(cursor_bytes(&c, SIZE_MAX, &p));
		assert_false(cursor_skip(&c, SIZE_MAX));
		if (size < 4) {
			assert_false(cursor_u32(&c, &v32));
			assert_false(cursor_word(&c, 4, &v64));
		}
		if (size == 0)
			assert_false(cursor_u8(&c, &v8));
		assert_int_equal(c.pos, 0);
	}
	assert_int_equal(v64, 77);
	assert_int_equal(v32, 77);
	assert_int_equal(v8, 77);
}

static void bytes_are_not_copied(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, sizeof bytes, false);
	const uint8_t *p;
	assert_true(cursor_skip(&c, 2));
	assert_true(cursor_bytes(&c, 7, &p));
	assert_ptr_equal(p, bytes + 2);
	assert_true(cursor_bytes(&c, 0, &p));
	assert_int_equal(c.pos, sizeof bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_little_and_big),
	    cmocka_unit_test(words_have_two_widths),
	    cmocka_unit_test(a_failed_read_does_not_move),
	    cmocka_unit_test(bytes_are_not_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
