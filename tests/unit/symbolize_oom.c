/* symbolize/ if the N-th allocation fails, for every N: -1 and no leak, or the usual result. Only
 * allocations of our own code and of libiberty fail: if libdw's fail, it ends the process. */
#include "symbolize/pack.h"
#include "symbolize/symbolize.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"
#include "tests/lib/unit/failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder; /* with names that were kept, or NULL */
static const char *id;     /* of the module that they are of */

/* 1: resolved; 0: memory ran out. */
static int attempt(const char *path, const uint64_t *addresses, size_t n, size_t expected_frames)
{
	struct symbol_table table;
	struct error why;
	struct symbolize_request request = {.path = path,
					    .name = "module",
					    .build_id = id,
					    .addresses = addresses,
					    .num_addresses = n,
					    .statements = true};
	const struct symbolizer_options with = {.pack_folders = &folder, .num_pack_folders = 1};
	struct symbolizer *s = symbolizer_create(folder ? &with : NULL);
	if (!s)
		return 0;
	int result = symbolize_module(s, &request, &table, &why);
	if (result == 0) {
		assert_int_equal(table.first[n], expected_frames);
		assert_string_not_equal(table.frames[0].function->name, "");
	} else {
		assert_int_equal(result, -1);
		assert_int_equal(why.kind, ERROR_MEMORY);
		assert_null(table.frames);
		assert_null(table.first);
	}
	symbol_table_free(&table);
	symbolizer_destroy(s);
	return result == 0;
}

static void each_allocation_may_fail(const char *path, uint64_t low, size_t expected_frames)
{
	uint64_t addresses[64];
	for (size_t i = 0; i < 64; i++)
		addresses[i] = low + i;
	unsigned long n = 0;
	bool reached = true;
	/* Until none fails: a failure in the demangler leaves a mangled name and is not an
	 * error. */
	while (reached) {
		assert_true(++n < 100000);
		failing_alloc_start(n);
		int done = attempt(path, addresses, 64, expected_frames);
		reached = failing_alloc_count() >= n;
		assert_true(done || reached);
		assert_int_equal(failing_alloc_live(), 0);
	}
	failing_alloc_start(0);
	assert_true(n > 10);
}

static size_t frames_of(const char *path, uint64_t low)
{
	uint64_t addresses[64];
	struct symbol_table table;
	struct symbolize_request request = {
	    .path = path, .name = "module", .addresses = addresses, .num_addresses = 64};
	struct symbolizer *s = symbolizer_create(NULL);
	for (size_t i = 0; i < 64; i++)
		addresses[i] = low + i;
	assert_int_equal(symbolize_module(s, &request, &table, NULL), 0);
	size_t frames = table.first[64];
	symbol_table_free(&table);
	symbolizer_destroy(s);
	return frames;
}

static void with_dwarf(void **state)
{
	(void)state;
	elfmake_run("gcc -O2 -g -o oom $data/chain.c");
	uint64_t low = elfmake_symbol("oom", "outer");
	size_t frames = frames_of(elfmake_path("oom"), low);
	assert_true(frames > 64);
	each_allocation_may_fail(elfmake_path("oom"), low, frames);
}

static void with_cxx(void **state)
{
	(void)state;
	elfmake_run("g++ -O2 -g -o oomcxx $data/templates.cc");
	uint64_t low = elfmake_symbol("oomcxx", "_Z5riskyi");
	each_allocation_may_fail(elfmake_path("oomcxx"), low,
				 frames_of(elfmake_path("oomcxx"), low));
}

static void with_symbols_only(void **state)
{
	(void)state;
	elfmake_run("gcc -O2 -o oomsym $data/chain.c");
	each_allocation_may_fail(elfmake_path("oomsym"), elfmake_symbol("oomsym", "outer"), 64);
}

static void with_nothing(void **state)
{
	(void)state;
	each_allocation_may_fail(elfmake_path("missing"), 0x1000, 64);
}

/* Names that were kept of a module that is not there. */
static void with_pack(void **state)
{
	(void)state;
	uint64_t addresses[64];
	struct error e;

	elfmake_run("gcc -O2 -g -o oompack $data/chain.c");
	uint64_t low = elfmake_symbol("oompack", "outer");
	const char *path = elfmake_path("oompack");
	size_t frames = frames_of(path, low);
	char build_id[64];
	snprintf(build_id, sizeof build_id, "%s", elfmake_build_id("oompack"));
	for (size_t i = 0; i < 64; i++)
		addresses[i] = low + i;
	folder = elfmake_folder();
	id = build_id;
	const struct symbolizer_options with = {.pack_folders = &folder, .num_pack_folders = 1};
	struct symbolizer *s = symbolizer_create(&with);
	struct symbolize_request request = {.path = path,
					    .name = "module",
					    .build_id = id,
					    .addresses = addresses,
					    .num_addresses = 64};
	assert_int_equal(symbol_pack_add(s, folder, &request, &e), 1);
	symbolizer_destroy(s);
	elfmake_run("rm oompack");
	each_allocation_may_fail(path, low, frames);
	folder = id = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(with_dwarf),        cmocka_unit_test(with_cxx),
	    cmocka_unit_test(with_symbols_only), cmocka_unit_test(with_nothing),
	    cmocka_unit_test(with_pack),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
