/* Any section can be without contents, whatever it is for, and say any size. */
#include "symbolize/symbolize.h"

#include "tests/lib/builders/elfmake.h"
#include "tests/lib/unit/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

static size_t read_image(const char *file, uint8_t *image)
{
	FILE *in = fopen(elfmake_path("%s", file), "rb");
	size_t n;

	assert_non_null(in);
	n = fread(image, 1, MOST, in);
	assert_true(n > sizeof(Elf64_Ehdr) && n < MOST);
	fclose(in);
	return n;
}

static void write_image(const char *file, const uint8_t *image, size_t n)
{
	FILE *out = fopen(elfmake_path("%s", file), "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(image, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

/* The name of the function at an address, and what is said of the file. */
static void resolve(const char *file, uint64_t address, char name[64], struct error *why)
{
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbolize_request q = {.path = elfmake_path("%s", file),
				      .name = "module",
				      .addresses = &address,
				      .num_addresses = 1};
	struct symbol_table t;

	assert_int_equal(symbolize_module(s, &q, &t, why), 0);
	assert_int_equal(t.num_addresses, 1);
	snprintf(name, 64, "%s", t.frames[0].function->name);
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

static void empty_each(const char *file)
{
	static uint8_t good[MOST], image[MOST];
	static const uint64_t sizes[] = {0, 1, 1000, UINT64_MAX / 2};
	size_t n = read_image(file, good), named = 0, damaged = 0;
	uint64_t address = elfmake_symbol("plain", "work");
	Elf64_Ehdr head;
	Elf64_Shdr section;
	struct error why;
	char name[64];

	memcpy(&head, good, sizeof head);
	assert_true(head.e_shnum > 20 && head.e_shoff + head.e_shnum * sizeof section <= n);
	for (size_t i = 1; i < head.e_shnum; i++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			uint8_t *at = image + head.e_shoff + i * sizeof section;
			memcpy(image, good, n);
			memcpy(&section, at, sizeof section);
			section.sh_type = SHT_NOBITS;
			section.sh_size = k ? sizes[k] : section.sh_size;
			memcpy(at, &section, sizeof section);
			write_image("struck", image, n);
			resolve("struck", address, name, &why);
			named += strcmp(name, "work") == 0;
			damaged += i == head.e_shstrndx && why.kind == ERROR_LIMIT &&
				   strstr(why.text, "the names of its sections are damaged");
		}
	assert_true(named > head.e_shnum); /* by symbols, if not by debug information */
	assert_int_equal(damaged, sizeof sizes / sizeof *sizes);
}

static void a_section_may_be_without_contents(void **state)
{
	(void)state;
	elfmake_run(
	    "echo '__attribute__((noinline)) int work(int x) { return x * x; } "
	    "int main(int n, char **v) { (void)v; return work(n); }' > p.c && "
	    "cc -O1 -g -no-pie -o plain p.c && objcopy --compress-debug-sections plain z && "
	    "objcopy --compress-debug-sections=zlib-gnu plain gnu");
	empty_each("plain");
	empty_each("z");
	empty_each("gnu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_section_may_be_without_contents),
	};
	int failed;

	elfmake_folder();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
