/* Compressed debug information: what is damaged, or not read, is named, and symbols give the names.
 */
#include "symbolize/symbolize.h"

#include "tests/lib/builders/elfmake.h"
#include "tests/lib/unit/cmocka_all.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* Compiles the program named so, uncompressed, with a copy of it. */
#define COMPILE "gcc -O2 -g -o compressed $data/chain.c && cp compressed plain"

/* The program with compressed sections, and these bytes, for printf(1), at that offset in
 * .debug_info: an Elf64_Chdr has a method of 4 bytes, 4 reserved ones and the size. */
static void build_compressed(const char *bytes, int at)
{
	elfmake_run(COMPILE " && objcopy --compress-debug-sections=zlib-gabi compressed && "
			    "at=$(readelf -SW compressed | sed -n 's/.* \\.debug_info  *PROGBITS  "
			    "*[0-9a-f]*  *\\([0-9a-f]*\\) .*/\\1/p') && "
			    "printf '%s' | dd of=compressed bs=1 seek=$((0x$at + %d)) conv=notrunc",
		    bytes, at);
}

/* Resolve outer, which has its name in any case: the best source of names, and why it is not the
 * debug information. */
static enum symbol_source read_it(struct error *why)
{
	uint64_t address = elfmake_symbol("plain", "outer");
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbolize_request q = {.path = elfmake_path("compressed"),
				      .name = "compressed",
				      .addresses = &address,
				      .num_addresses = 1};
	struct symbol_table t;
	enum symbol_source best;

	assert_int_equal(symbolize_module(s, &q, &t, why), 0);
	assert_string_equal(t.frames[t.first[1] - 1].function->name, "outer");
	assert_false(t.stale);
	best = t.best;
	symbol_table_free(&t);
	symbolizer_destroy(s);
	return best;
}

static void expect_unread(const char *reason)
{
	struct error why;

	assert_int_not_equal(read_it(&why), SYMBOL_DWARF);
	assert_int_equal(why.kind, ERROR_FORMAT);
	assert_string_equal(why.text,
			    elfmake_path("compressed: its debug information is %s", reason));
}

static void what_is_damaged_is_named(void **state)
{
	static const struct {
		const char *bytes;
		int at;
	} damages[] = {{"damage", 24 + 60},
		       {"\\377\\377", 24},     /* zlib's own header */
		       {"\\1", 8},             /* another size */
		       {"\\0\\0\\0\\0\\1", 8}, /* 4 GB */
		       {"\\377\\377\\377\\377\\377\\377\\377\\377", 8},
		       {"\\0\\0\\0\\0", 8}};
	struct error why;

	(void)state;
	build_compressed("", 0);
	assert_int_equal(read_it(&why), SYMBOL_DWARF);
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		build_compressed(damages[i].bytes, damages[i].at);
		expect_unread("damaged");
	}
}

static void a_method_that_is_not_read_is_named(void **state)
{
	char cannot[200];
	struct error why;

	(void)state;
	snprintf(cannot, sizeof cannot,
		 "compressed with an unknown method, which elfutils %s cannot read "
		 "(objcopy --decompress-debug-sections)",
		 dwfl_version(NULL));
	build_compressed("\\143", 0); /* no version knows this one */
	expect_unread(cannot);
	elfmake_run(COMPILE);
	if (elfmake_try("objcopy --compress-debug-sections=zstd compressed")) {
		enum symbol_source best = read_it(&why);
		if (why.kind != ERROR_NONE)
			assert_non_null(strstr(why.text, "compressed with zstd"));
		else
			assert_int_equal(best, SYMBOL_DWARF);
	}
}

static void the_other_way_of_zlib_is_read(void **state)
{
	struct error why;

	(void)state;
	elfmake_run(COMPILE " && objcopy --compress-debug-sections=zlib-gnu compressed");
	assert_int_equal(read_it(&why), SYMBOL_DWARF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_damaged_is_named),
					   cmocka_unit_test(a_method_that_is_not_read_is_named),
					   cmocka_unit_test(the_other_way_of_zlib_is_read)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
