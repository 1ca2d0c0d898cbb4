#include "formats/base/utf8.h"
#include "tests/lib/unit/cmocka_all.h"

static void characters_remain_whole(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		size_t n, cut;
	} cases[] = {
	    {"abc", 2, 2},
	    {"abc", 0, 0},
	    {"a\xc3\xa9z", 2, 1},
	    {"a\xc3\xa9z", 3, 3},
	    {"\xc3\xa9z", 1, 0},
	    {"\xf0\x9f\x98\x80z", 3, 0},
	    {"\xf0\x9f\x98\x80z", 4, 4},
	    {"\x80\x80\x80\x80\x80\x80", 5, 5},
	    {"\x80\x80", 1, 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(utf8_cut(cases[i].in, cases[i].n), cases[i].cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(characters_remain_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
