/* Functions are separated by unwind tables if there are no symbols. */
#include "symbolize/bounds.h"
#include "symbolize/symbolize.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "static __attribute__((noinline)) int one(int x) { return x * x + 1; } "
    "static __attribute__((noinline)) int two(int x) { return one(x) * 3 + one(x + 1); } "
    "int main(int n, char **v) { (void)v; return two(n) + one(n); }";

static void make_program(void)
{
	elfmake_run("echo '%s' > p.c && cc -O1 -fasynchronous-unwind-tables -o p p.c && "
		    "strip -o stripped p",
		    source);
}

static void test_names_of_stripped_functions(void **state)
{
	(void)state;
	static const char *const names[] = {"one", "two", "main"};
	struct symbolizer *s = symbolizer_create(NULL);

	for (int i = 0; i < 3; i++) {
		uint64_t low = elfmake_symbol("p", names[i]), addresses[] = {low, low + 3};
		struct symbolize_request q = {.path = elfmake_path("stripped"),
					      .name = "stripped",
					      .addresses = addresses,
					      .num_addresses = 2};
		struct symbol_table t;
		char want[64];
		snprintf(want, sizeof want, "stripped+0x%" PRIx64, low);
		assert_int_equal(symbolize_module(s, &q, &t, NULL), 0);
		assert_ptr_equal(t.frames[0].function, t.frames[1].function);
		assert_string_equal(t.frames[1].function->name, want);
		assert_int_equal(t.frames[1].function->low, low);
		assert_int_equal(t.frames[1].function->source, SYMBOL_NONE);
		symbol_table_free(&t);
	}
	symbolizer_destroy(s);
}

/* The name of the function at address in file, without symbols. */
static void name_in(const char *file, uint64_t address, char name[64])
{
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbolize_request q = {.path = elfmake_path("%s", file),
				      .name = file,
				      .addresses = &address,
				      .num_addresses = 1};
	struct symbol_table t;

	assert_int_equal(symbolize_module(s, &q, &t, NULL), 0);
	snprintf(name, 64, "%s", t.frames[0].function->name);
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

static void test_where_a_program_is_entered(void **state)
{
	(void)state;
	uint64_t entry = elfmake_symbol("p", "_start");
	char name[64];

	name_in("stripped", entry + 5, name);
	assert_string_equal(name, "_start");
	elfmake_run("cc -no-pie -O1 -fasynchronous-unwind-tables -o fixed p.c && "
		    "strip -o fixed.stripped fixed");
	name_in("fixed.stripped", elfmake_symbol("fixed", "_start") + 5, name);
	assert_string_equal(name, "_start");
	/* a library's entry is something else */
	elfmake_run("cc -shared -fPIC -fvisibility=hidden -O1 -fasynchronous-unwind-tables "
		    "-Wl,-e,main -o lib.so p.c && strip -o lib.stripped lib.so");
	name_in("lib.stripped", elfmake_symbol("lib.so", "main"), name);
	assert_non_null(strstr(name, "lib.stripped+0x"));
}

/* The file's image with each byte of its tables changed: any result, but within the image. */
static void test_struck_tables(void **state)
{
	(void)state;
	uint64_t low = elfmake_symbol("p", "two"), found, high;
	int fd = open(elfmake_path("stripped"), O_RDONLY);
	Elf *elf;
	struct bounds good;
	size_t sizes[2];

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	bounds_read(&good, elf);
	assert_true(bounds_find(&good, low + 2, &found, &high));
	assert_int_equal(found, low);
	assert_false(bounds_find(&good, 0, &found, &high));
	assert_false(bounds_find(&good, UINT64_MAX, &found, &high));
	sizes[0] = good.table.size;
	sizes[1] = good.frames.size;
	for (int part = 0; part < 2; part++)
		for (size_t i = 0; i < 8 * sizes[part]; i++) {
			struct bounds b = good;
			struct cursor *c = part ? &b.frames : &b.table;
			uint8_t *copy = malloc(c->size);
			memcpy(copy, c->base, c->size);
			copy[i / 8] ^= (uint8_t)(1 << i % 8);
			c->base = copy;
			for (uint64_t at = low - 64; at < low + 64; at++)
				if (bounds_find(&b, at, &found, &high))
					assert_true(found <= at);
			free(copy);
		}
	elf_end(elf);
	close(fd);
}

static void expect_no_bounds(const char *file)
{
	struct bounds b;
	uint64_t low, high;
	int fd = open(elfmake_path("%s", file), O_RDONLY);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	bounds_read(&b, elf);
	assert_false(bounds_find(&b, elfmake_symbol("p", "two"), &low, &high));
	assert_int_equal(b.count, 0);
	elf_end(elf);
	close(fd);
}

static void test_no_tables(void **state)
{
	(void)state;
	elfmake_run("objcopy -R .eh_frame_hdr stripped bare");
	expect_no_bounds("bare");
	elfmake_run("objcopy --dump-section .eh_frame_hdr=table stripped same");
	elfmake_run("printf '\\377\\377\\377\\377' | dd of=table bs=1 seek=8 conv=notrunc 2>&1");
	elfmake_run("objcopy --update-section .eh_frame_hdr=table stripped longer");
	expect_no_bounds("longer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_of_stripped_functions),
	    cmocka_unit_test(test_where_a_program_is_entered),
	    cmocka_unit_test(test_struck_tables),
	    cmocka_unit_test(test_no_tables),
	};
	int failed;

	elfmake_folder();
	make_program();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
