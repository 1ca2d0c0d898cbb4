/* The list of programs that were not measured. */
#include "hpcprof/load/unmeasured.h"
#include "tests/lib/unit/cmocka_all.h"

#include <string.h>

static void lists(void **unused)
{
	static const struct {
		const char *text, *names[4];
		size_t starts[4];
	} cases[] = {
	    {"", {NULL}, {0}},
	    {"static\t/bin/a\n", {"a"}, {1}},
	    {"static\ta", {"a"}, {1}}, /* without its newline */
	    {"static\tb\nstatic\ta\nrights\tb\n", {"a", "b", "b"}, {1, 1, 1}},
	    {"static\t/x/b\nstatic\t./a\nstatic\t/y/b\n", {"b", "a"}, {2, 1}},
	    {"static\n\t\n\nstatic\t\nstatic\t/\nunknown\t/a\nstatic a\nforeign\t/c d\n",
	     {"c d"},
	     {1}},
	};
	(void)unused;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unmeasured_list list = {0};
		struct arena a;
		struct error e;
		size_t n = 0;
		arena_init(&a);
		assert_int_equal(
		    unmeasured_add(&list, cases[i].text, strlen(cases[i].text), &a, &e), 0);
		unmeasured_sort(&list);
		for (; n < 4 && cases[i].names[n]; n++) {
			assert_true(n < list.len);
			assert_string_equal(list.at[n].name, cases[i].names[n]);
			assert_int_equal(list.at[n].starts, cases[i].starts[n]);
		}
		assert_int_equal(list.len, n);
		vec_free(&list);
		arena_deinit(&a);
	}
}

static void reasons(void **unused)
{
	static const char text[] = "static\ta\nrights\tb\nforeign\tc\nstatic\td\0d\n";
	unmeasured_list list = {0};
	struct arena a;
	struct error e;
	(void)unused;

	arena_init(&a);
	assert_int_equal(unmeasured_add(&list, text, sizeof text - 1, &a, &e), 0);
	unmeasured_sort(&list);
	assert_int_equal(list.len, 3);
	assert_string_equal(list.at[0].reason, "statically linked");
	assert_non_null(strstr(list.at[1].reason, "setuid"));
	assert_non_null(strstr(list.at[2].reason, "architecture"));
	vec_free(&list);
	assert_int_equal(unmeasured_read(&list, "/nonexistent", &a, &e), 0);
	assert_int_equal(list.len, 0);
	arena_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(reasons)};

	return cmocka_run_group_tests_name("unmeasured", tests, NULL, NULL);
}
