/* The two radix sorts: of items with a key, and of words. */
#include "hpcprof/model/radix.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/random.h"

/* Words are sorted by their upper half, and the sort is stable. */
static void test_words(void **state)
{
	static const unsigned bits[] = {1, 5, 8, 9, 17, 32};

	(void)state;
	for (size_t n = 0; n < 700; n += n < 2 * RADIX_FEW ? 1 : 97)
		for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) {
			static uint64_t at[700], room[700];
			uint64_t seen = 0;
			for (size_t i = 0; i < n; i++)
				at[i] =
				    (uint64_t)random_below(UINT32_MAX) >> (32 - bits[k]) << 32 | i;
			radix_sort_words(at, room, n);
			for (size_t i = 0; i < n; i++)
				seen += (uint32_t)at[i];
			assert_int_equal(seen, n * (n - (n > 0)) / 2);
			for (size_t i = 1; i < n; i++)
				assert_true(at[i - 1] < at[i]);
		}
}

/* Items are sorted by key, and the sort is stable; keys have any digits in common. */
static void test_radix(void **state)
{
	enum { MOST = 3000 };
	static struct radix_item items[MOST], room[MOST];
	static const uint64_t masks[] = {UINT64_MAX, 0xff, 7, UINT64_C(0xfff0000000000000), 0};

	(void)state;
	for (size_t k = 0; k < sizeof masks / sizeof *masks; k++)
		for (size_t n = 0; n <= MOST; n = n < 4 ? n + 1 : n * 3) {
			const struct radix_item *sorted;
			uint64_t seen = 0;
			for (uint32_t i = 0; i < n; i++)
				items[i] =
				    (struct radix_item){((uint64_t)random_below(1 << 28) << 36 |
							 random_below(1 << 28)) &
							    masks[k],
							i};
			sorted = radix_sort(items, room, n);
			for (size_t i = 0; i < n; i++)
				seen += sorted[i].id;
			assert_int_equal(seen, n * (n - (n > 0)) / 2);
			for (size_t i = 1; i < n; i++)
				assert_true(sorted[i - 1].key < sorted[i].key ||
					    (sorted[i - 1].key == sorted[i].key &&
					     sorted[i - 1].id < sorted[i].id));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_radix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
