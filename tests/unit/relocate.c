/* Mapping ips to modules: extents that are known, read from ELF files, or assumed. */
#include "hpcprof/load/relocate.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct reader_text text(const char *s)
{
	return (struct reader_text){s, (uint32_t)strlen(s)};
}

static struct relocated at(const struct reader_module *modules, uint32_t n, uint64_t ip)
{
	struct reader_epoch epoch = {modules, n};
	struct relocator r;
	struct error e;
	struct relocated found;

	assert_int_equal(relocate_init(&r, &epoch, relocate_elf_extent, NULL, &e), 0);
	found = relocate(&r, ip);
	relocate_deinit(&r);
	return found;
}

/* Not sorted by address: files may have any order. */
static const struct reader_module known[] = {
    {.name = {"/b", 2}, .virtual_address = 0, .mapped_address = 0x7f0000100000, .extent = 0x1000},
    {.name = {"/a", 2}, .virtual_address = 0x400000, .mapped_address = 0x500000, .extent = 0x800},
    {.name = {"/c", 2},
     .virtual_address = 0,
     .mapped_address = UINT64_MAX - 0xfff,
     .extent = 0x1000},
};

static void test_known_extents(void **state)
{
	(void)state;
	static const struct {
		uint64_t ip;
		uint32_t module;
		uint64_t address;
	} cases[] = {
	    {0x500000, 1, 0x400000},
	    {0x5007ff, 1, 0x4007ff},
	    {0x500800, RELOCATE_NOWHERE, 0x500800},
	    {0x4fffff, RELOCATE_NOWHERE, 0x4fffff},
	    {0, RELOCATE_NOWHERE, 0},
	    {0x7f0000100000, 0, 0},
	    {0x7f0000100fff, 0, 0xfff},
	    {0x7f0000101000, RELOCATE_NOWHERE, 0x7f0000101000},
	    {UINT64_MAX, 2, 0xfff},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct relocated r = at(known, 3, cases[i].ip);
		assert_int_equal(r.module, cases[i].module);
		assert_int_equal(r.address, cases[i].address);
		assert_false(r.assumed);
	}
}

static void test_unknown_extent_reaches_to_the_next(void **state)
{
	(void)state;
	struct reader_module m[] = {
	    {.name = text("/nowhere/a"), .mapped_address = 0x10000},
	    {.name = text("/nowhere/b"), .mapped_address = 0x20000, .virtual_address = 0x1000},
	};
	struct relocated r = at(m, 2, 0x1ffff);

	assert_int_equal(r.module, 0);
	assert_int_equal(r.address, 0xffff);
	assert_true(r.assumed);
	r = at(m, 2, 0x20000);
	assert_int_equal(r.module, 1);
	assert_int_equal(r.address, 0x1000);
	r = at(m, 2, UINT64_MAX);
	assert_int_equal(r.module, 1);
	assert_true(r.assumed);
	assert_int_equal(at(m, 0, 0x10000).module, RELOCATE_NOWHERE);
}

static void test_same_address_twice(void **state)
{
	(void)state;
	struct reader_module m[] = {
	    {.name = text("/old"), .mapped_address = 0x10000, .extent = 0x4000},
	    {.name = text("/new"), .mapped_address = 0x10000, .extent = 0x1000},
	};

	assert_int_equal(at(m, 2, 0x10010).module, 1);
	assert_int_equal(at(m, 2, 0x12000).module, RELOCATE_NOWHERE);
}

/* Without a trailer the program headers give the extent of a module. */
static void test_extent_of_elf_file(void **state)
{
	(void)state;
	uint64_t last;
	struct reader_module m = {.mapped_address = 0x7f0000000000};

	elfmake_run("echo 'char big[100000]; int f(void) { return big[7]; }' > x.c; "
		    "cc -shared -fPIC -o x.so x.c");
	last = elfmake_symbol("x.so", "big") + 99999;
	m.name = text(elfmake_path("x.so"));
	assert_int_equal(at(&m, 1, m.mapped_address + last).module, 0);
	assert_false(at(&m, 1, m.mapped_address + last).assumed);
	assert_int_equal(at(&m, 1, m.mapped_address + last + 0x2000).module, RELOCATE_NOWHERE);
}

static void test_files_that_are_no_elf(void **state)
{
	(void)state;
	struct reader_module m = {.name = text("/dev/null")};
	char *here;

	assert_int_equal(relocate_elf_extent(NULL, &m), 0);
	m.name = text("[vdso]");
	assert_int_equal(relocate_elf_extent(NULL, &m), 0);
	m.name = text("");
	assert_int_equal(relocate_elf_extent(NULL, &m), 0);
	/* A name that does not begin at the root is of another folder than this one. */
	here = getcwd(NULL, 0);
	assert_non_null(here);
	m.name = text(elfmake_path("x.so") + 1);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(relocate_elf_extent(NULL, &m), 0);
	assert_int_equal(chdir(here), 0);
	free(here);
	elfmake_run("head -c 100 x.so > cut.so");
	m.name = text(elfmake_path("cut.so"));
	assert_int_equal(relocate_elf_extent(NULL, &m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_extents),
	    cmocka_unit_test(test_unknown_extent_reaches_to_the_next),
	    cmocka_unit_test(test_same_address_twice),
	    cmocka_unit_test(test_extent_of_elf_file),
	    cmocka_unit_test(test_files_that_are_no_elf),
	};
	int failed;

	elfmake_folder();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
