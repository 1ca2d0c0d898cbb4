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

/* Append letter and the number n, as the names of both languages have it: "_" is 0, "0_" is 1. */
static void append_reference(char *name, char letter, const char *digits, size_t n)
{
	char text[16];
	size_t at = sizeof text - 1, base = strlen(digits);

	text[at] = '\0';
	text[--at] = '_';
	if (n > 0)
		for (n--;; n /= base) {
			text[--at] = digits[n % base];
			if (n < base)
				break;
		}
	text[--at] = letter;
	strcat(name, text + at);
}

/* Append types A<int, int>, B<A, A>, B<B, B> and so on, each of which names the one before it
 * twice, after some substitutions. Returns the number of the last one. */
static size_t append_doubling(char *name, unsigned levels, size_t before)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strcat(name, "1AIiiE");
	for (unsigned i = 1; i < levels; i++) {
		strcat(name, "1BI");
		append_reference(name, 'S', digits, before + 2 * i - 1);
		append_reference(name, 'S', digits, before + 2 * i - 1);
		strcat(name, "E");
	}
	return before + 2 * levels - 1;
}

static void names_that_double_stay_mangled(void **state)
{
	for (unsigned levels = 3; levels <= 120; levels += 39) {
		char name[2048] = "_Z1f";
		append_doubling(name, levels, 0);
		assert_string_equal(symbol_names_demangle(*state, name, NULL),
				    levels == 3 ? "f(A<int, int>, B<A<int, int>, A<int, int> >, "
						  "B<B<A<int, int>, A<int, int> >, B<A<int, int>, "
						  "A<int, int> > >)"
						: name);
	}
}

/* The return type expands a pack that its type does not have: all of that type is searched for one
 * before anything is printed. */
static void a_search_that_doubles_stays_mangled(void **state)
{
	for (unsigned levels = 3; levels <= 120; levels += 39) {
		char name[2048] = "_Z1fI";
		size_t last = append_doubling(name, levels, 1);
		strcat(name, "EDp");
		append_reference(name, 'S', "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", last);
		strcat(name, "v");
		assert_true(levels == 3 ||
			    strcmp(symbol_names_demangle(*state, name, NULL), name) == 0);
	}
}

/* Tuples of two of the one before. libiberty holds letters beyond ASCII in memory meanwhile. */
static void rust_names_that_double_stay_mangled(void **state)
{
	static const char digits[] =
	    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char *const first[] = {"l", "NtNtC3foou8gdel_5qau8gdel_5qa"};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned levels = 1; levels <= 61; levels += 20) {
			char name[2048] = "_RINvC3foo1f";
			size_t before = strlen(name) - 2, at;
			strcat(name, first[i]);
			for (unsigned k = 0; k < levels; k++, before = at) {
				at = strlen(name) - 2;
				strcat(name, "T");
				append_reference(name, 'B', digits, before);
				append_reference(name, 'B', digits, before);
				strcat(name, "E");
			}
			strcat(name, "E");
			assert_string_equal(symbol_names_demangle(*state, name, NULL),
					    levels > 1 ? name
					    : i == 0   ? "foo::f::<i32, (i32, i32)>"
						     : "foo::f::<foo::g\303\266del::g\303\266del, "
						       "(foo::g\303\266del::g\303\266del, "
						       "foo::g\303\266del::g\303\266del)>");
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_strings_have_equal_pointers),
	    cmocka_unit_test(paths_are_normalised),
	    cmocka_unit_test(names_are_demangled_once),
	    cmocka_unit_test(pathological_names_stay_mangled),
	    cmocka_unit_test(names_that_double_stay_mangled),
	    cmocka_unit_test(a_search_that_doubles_stays_mangled),
	    cmocka_unit_test(rust_names_that_double_stay_mangled),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
