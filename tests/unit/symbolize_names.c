/* symbolize/names.h: paths, demangling, interning. */
#include "symbolize/names.h"

#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static int make(void **state)
{
	*state = symbol_names_create();
	return *state ? 0 : -1;
}

static int drop(void **state)
{
	symbol_names_destroy(*state);
	return 0;
}

static void equal_strings_have_equal_pointers(void **state)
{
	const char *a = symbol_names_intern(*state, "abc", 3);
	assert_string_equal(a, "abc");
	assert_ptr_equal(a, symbol_names_intern(*state, "abcdef", 3));
	assert_ptr_not_equal(a, symbol_names_intern(*state, "abcdef", 6));
	assert_ptr_equal(a, symbol_names_path(*state, NULL, NULL, "./abc"));
}

static void paths_are_normalised(void **state)
{
	static const struct {
		const char *base, *directory, *file, *want;
	} cases[] = {
	    {"/src", "lib", "a.c", "/src/lib/a.c"},
	    {"/src", "/usr/include", "a.h", "/usr/include/a.h"},
	    {"/src", "lib", "/abs/a.c", "/abs/a.c"},
	    {"/src/build", "../lib", "a.c", "/src/lib/a.c"},
	    {"/src", NULL, "./x//y/./a.c", "/src/x/y/a.c"},
	    {"/src/", "", "a.c", "/src/a.c"},
	    {"/", NULL, "a.c", "/a.c"},
	    {"/src", NULL, "../../../a.c", "/a.c"},
	    {NULL, NULL, "a.c", "a.c"},
	    {NULL, "..", "a.c", "../a.c"},
	    {NULL, "../..", "a.c", "../../a.c"},
	    {NULL, "x/..", "a.c", "a.c"},
	    {NULL, "x/y/..", "../a.c", "a.c"},
	    {"rel", "x", "..a.c", "rel/x/..a.c"},
	    {"/src", "...", "a.c", "/src/.../a.c"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(
		    symbol_names_path(*state, cases[i].base, cases[i].directory, cases[i].file),
		    cases[i].want);
}

static void names_are_demangled_once(void **state)
{
	static const char *const cases[][2] = {
	    {"main", "main"},
	    {"_ZN3foo3barEv", "foo::bar()"},
	    {"_ZNSt6vectorIiSaIiEE9push_backERKi",
	     "std::vector<int, std::allocator<int> >::push_back(int const&)"},
	    {"_ZN3FooC4Ei", "Foo::Foo(int)"},
	    {"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
	    {"_RNvC6_123foo3bar", "123foo::bar"},
	    {"_Znotmangled", "_Znotmangled"},
	    {"_GLOBAL__I_main", "_GLOBAL__I_main"}, /* not "global constructors keyed to main" */
	    {"memcpy@@GLIBC_2.14", "memcpy"},
	    {"_ZN3foo3barEv@V1", "foo::bar()"},
	    {"@odd", "@odd"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *plain, *once = symbol_names_demangle(*state, cases[i][0], &plain);
		assert_string_equal(once, cases[i][1]);
		assert_ptr_equal(once, symbol_names_demangle(*state, plain, NULL));
	}
}

static void pathological_names_stay_mangled(void **state)
{
	/* Nested pointers as deep as the name is long. */
	size_t n = 200000;
	char *deep = malloc(n + 8);
	assert_non_null(deep);
	memcpy(deep, "_Z1f", 4);
	memset(deep + 4, 'P', n);
	memcpy(deep + 4 + n, "i", 2);
	assert_string_equal(symbol_names_demangle(*state, deep, NULL), deep);
	memcpy(deep + 10000, "i", 2);
	assert_string_equal(symbol_names_demangle(*state, deep, NULL), deep);
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_strings_have_equal_pointers),
	    cmocka_unit_test(paths_are_normalised),
	    cmocka_unit_test(names_are_demangled_once),
	    cmocka_unit_test(pathological_names_stay_mangled),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
