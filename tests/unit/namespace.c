/* Namespaces from the names of functions of C++, Rust, Go and Fortran. */
#include "hpcprof/correlate/namespace.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

struct sample {
	const char *name, *linkage_name, *expected;
};

/* Compiled with gcc 12, rustc 1.63, 1.95 and with -C symbol-mangling-version=v0, go 1.19 and
 * gfortran 12. */
static const struct sample samples[] = {
    /* C */
    {"main", "main", ""},
    {"memcpy@plt", "memcpy@plt", ""},
    {"read.part.0", "read.part.0", ""},
    {"reduce.constprop.0.isra.0", "reduce.constprop.0.isra.0", ""},
    {"0x1234", "0x1234", ""},
    {"", "", ""},
    /* C++ */
    {"search::Index::add(std::string const&)", "_ZN6search5Index3addERKSs", "search"},
    {"search::Index::size() const", "_ZNK6search5Index4sizeEv", "search"},
    {"std::vector<int>::size() const", "_ZNKSt6vectorIiSaIiEE4sizeEv", "std"},
    {"std::string::size() const", "_ZNKSs4sizeEv", "std"},
    {"std::move<int&>(int&)", "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std"},
    {"std::ostream& std::operator<< <char>(std::ostream&, char)",
     "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", "std"},
    {"(anonymous namespace)::work(int)", "_ZN12_GLOBAL__N_14workEi", "(anonymous namespace)"},
    {"work(int)", "_Z4worki", ""},
    {"Tree::insert(int)", "_ZN4Tree6insertEi", "Tree"},
    {"a::run(int)::{lambda()#1}::operator()() const", "_ZZN1a3runEiENKUlvE_clEv", "a"},
    {"run(int)::{lambda()#1}::operator()() const", "_ZZ3runiENKUlvE_clEv", ""},
    {"guard variable for a::run()::x", "_ZGVZN1a3runEvE1x", "a"},
    {"non-virtual thunk to a::B::f()", "_ZThn16_N1a1B1fEv", "a"},
    {"virtual thunk to a::B::f()", "_ZTv0_n24_N1a1B1fEv", "a"},
    {"covariant return thunk", "_ZTch0_h16_N1a1B1fEv", ""},
    /* C++, without a linkage name */
    {"std::unordered_map<std::string, int>::find(std::string const&) const", "find", "std"},
    {"int* a::b<int>(std::string)", "b<int>", "a"},
    {"unsigned long a::count<c::d>(c::d)", "count<c::d>", "a"},
    {"sort(std::vector<int>&)", "sort", ""},
    {"(anonymous namespace)::Work::run(std::string)", "run", "(anonymous namespace)"},
    {"operator==(a::B const&, a::B const&)", "operator==", ""},
    {"a::operator==(a::B const&, a::B const&)", "operator==", "a"},
    {"main::{lambda() at a.cc:12:3}::operator()", "operator()", ""},
    {"List<a::B>::push(a::B)", "push", "List"},
    /* Rust */
    {"alloc::vec::Vec<T>::push", "_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE", "alloc"},
    {"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
     "_ZN77_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$"
     "4drop17h0123456789abcdefE",
     "alloc"},
    {"<&T as core::fmt::Debug>::fmt",
     "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", "core"},
    {"mycrate::run", "_RNvCs1234_7mycrate3run", "mycrate"},
    {"mycrate::inner::run::<i32>", "_RINvNtCs1234_7mycrate5inner3runlE", "mycrate"},
    {"<mycrate::S>::run", "_RNvMCs1234_7mycrateNtB2_1S3run", "mycrate"},
    {"<mycrate::S as mycrate::T>::run", "_RNvXs_Cs1234_7mycrateNtB4_1SNtB4_1T3run", "mycrate"},
    {"_weird::run", "_RNvC6__weird3run", "_weird"},
    /* Go */
    {"main.main", "main.main", "main"},
    {"runtime.mallocgc", "runtime.mallocgc", "runtime"},
    {"net/http.(*conn).serve", "net/http.(*conn).serve", "net/http"},
    {"github.com/a/b-c.Do[...]", "github.com/a/b-c.Do[...]", "github.com/a/b-c"},
    {"gopkg.in/yaml%2ev2.yaml_emit", "gopkg.in/yaml%2ev2.yaml_emit", "gopkg.in/yaml%2ev2"},
    {"type..eq.main.T", "type..eq.main.T", ""},
    /* Fortran */
    {"__solver_MOD_step", "__solver_MOD_step", "solver"},
    {"__MOD_", "__MOD_", ""},
};

static void expect(const struct sample *s)
{
	/* heap copies, so that AddressSanitizer finds a byte too far */
	char *name = strdup(s->name), *linkage_name = strdup(s->linkage_name);
	size_t n = 1000;
	const char *found = namespace_in(name, linkage_name, &n);

	if (n != strlen(s->expected) || strncmp(found, s->expected, n) != 0)
		fail_msg("%s: %.*s, expected %s", s->linkage_name, (int)n, found, s->expected);
	free(name);
	free(linkage_name);
}

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		expect(&samples[i]);
}

/* What is cut off, or has a byte that does not belong there, gives some name inside the text. */
static void test_damaged(void **state)
{
	static const char bytes[] = "NZTSCM_9(<:.";

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		size_t length = strlen(samples[i].linkage_name);
		for (size_t at = 0; at < length; at++)
			for (size_t k = 0; k < sizeof bytes; k++) {
				char *text = strdup(samples[i].linkage_name);
				size_t n = 0;
				const char *found;
				text[at] = bytes[k];
				found = namespace_in(text, text, &n);
				if (found >= text && found <= text + length)
					assert_true(n <= strlen(found));
				else
					assert_true(n == strlen(found) || n == 0);
				free(text);
			}
	}
}

static void test_python_files(void **state)
{
	static const char *const files[][2] = {
	    {"/usr/lib/python3/dist-packages/numpy/core/numeric.py", "numpy.core"},
	    {"/usr/lib/python3/dist-packages/six.py", "six"},
	    {"/usr/lib/python3.11/concurrent/futures/thread.py", "concurrent.futures"},
	    {"/usr/lib/python3.13t/threading.py", "threading"},
	    {"/x/lib/python3.9/site-packages/a//b/__init__.py", "a.b"},
	    {"/x/python3.9/site-packages/y/site-packages/z/w.py", "z"},
	    {"/srv/u/python3.11.4/main.py", "main.py"},
	    {"/srv/u/python3.x/python.11/main.py", "main.py"},
	    {"/srv/u/python/main.py", "main.py"},
	    {"main.py", "main.py"},
	    {"<string>", "<string>"},
	    {"<frozen importlib._bootstrap>", "importlib"},
	    {"<frozen posixpath>", "posixpath"},
	    {"<frozen ", "<frozen "},
	    {"/usr/lib/python3.11/lib-dynload/", ""},
	    {"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *path = strdup(files[i][0]), out[NAMESPACE_BYTES];
		size_t n = namespace_of_file(path, out);
		if (n != strlen(files[i][1]) || memcmp(out, files[i][1], n) != 0)
			fail_msg("%s: %.*s", path, (int)n, out);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_python_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
