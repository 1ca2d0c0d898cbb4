/* Names that are kept: what is read again is what was kept, and damage is noticed. */
#include "symbolize/pack.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ADDRESSES = 300, LONGEST = 1 << 20 };

static uint64_t addresses[ADDRESSES];
static char id[128];

static struct symbolize_request request_of(size_t n)
{
	return (struct symbolize_request){.path = elfmake_path("program"),
					  .name = "program",
					  .build_id = id,
					  .addresses = addresses,
					  .num_addresses = n};
}

static struct symbolizer *with_packs(const char *folder)
{
	const struct symbolizer_options o = {.pack_folders = &folder, .num_pack_folders = 1};
	struct symbolizer *s = symbolizer_create(&o);

	assert_non_null(s);
	return s;
}

/* A program of C++ with inlined calls, and addresses all over one of its functions. */
static int setup(void **state)
{
	(void)state;
	uint64_t main_at;

	elfmake_run("rm -rf symbols; g++ -O2 -g -o program $data/templates.cc");
	snprintf(id, sizeof id, "%s", elfmake_build_id("program"));
	main_at = elfmake_symbol("program", "main");
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = main_at + i;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void expect_same(const struct symbol_table *a, const struct symbol_table *b)
{
	assert_int_equal(a->num_addresses, b->num_addresses);
	assert_int_equal(a->best, b->best);
	assert_true(same_text(a->debug_file, b->debug_file));
	for (size_t i = 0; i <= a->num_addresses; i++)
		assert_int_equal(a->first[i], b->first[i]);
	for (size_t i = 0; i < a->first[a->num_addresses]; i++) {
		const struct symbol_frame *x = &a->frames[i], *y = &b->frames[i];
		assert_string_equal(x->function->name, y->function->name);
		assert_string_equal(x->function->linkage_name, y->function->linkage_name);
		assert_null(y->function->short_name);
		assert_true(same_text(x->function->file, y->function->file));
		assert_int_equal(x->function->line, y->function->line);
		assert_int_equal(x->function->source, y->function->source);
		assert_true(same_text(x->file, y->file));
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->inlined, y->inlined);
	}
}

static int keep(size_t n)
{
	struct symbolizer *s = with_packs(elfmake_folder());
	struct symbolize_request q = request_of(n);
	struct error e;
	int rc = symbol_pack_add(s, elfmake_folder(), &q, &e);

	symbolizer_destroy(s);
	return rc;
}

static void what_is_kept_is_what_was_resolved(void **state)
{
	(void)state;
	struct symbolizer *s = with_packs(elfmake_folder()), *t;
	struct symbolize_request q = request_of(ADDRESSES);
	struct symbol_table before, after;
	struct error why;

	assert_int_equal(symbolize_module(s, &q, &before, &why), 0);
	assert_int_equal(before.best, SYMBOL_DWARF);
	assert_true(before.first[ADDRESSES] > ADDRESSES); /* some are inlined */
	assert_int_equal(keep(ADDRESSES), 1);
	elfmake_run("g++ -O0 -g -o program $data/templates.cc");
	t = with_packs(elfmake_folder());
	assert_int_equal(symbolize_module(t, &q, &after, &why), 0);
	assert_int_equal(why.kind, ERROR_NONE);
	assert_true(after.kept && !after.stale);
	expect_same(&before, &after);
	symbol_table_free(&before);
	symbol_table_free(&after);
	symbolizer_destroy(s);
	symbolizer_destroy(t);
}

static void what_is_new_is_added(void **state)
{
	(void)state;
	struct symbolize_request q = request_of(ADDRESSES);
	struct symbolizer *s;
	struct symbol_table table;
	struct error why;

	assert_int_equal(keep(ADDRESSES / 3), 1);
	assert_int_equal(keep(ADDRESSES / 3), 0);
	assert_int_equal(keep(ADDRESSES / 2), 1);
	assert_int_equal(keep(ADDRESSES / 3), 0);
	elfmake_run("rm program");
	s = with_packs(elfmake_folder());
	assert_int_equal(symbolize_module(s, &q, &table, &why), 0);
	for (size_t i = 0; i < ADDRESSES; i++)
		assert_int_equal(table.frames[table.first[i]].function->source != SYMBOL_NONE,
				 i < ADDRESSES / 2);
	assert_true(table.kept);
	assert_int_equal(why.kind, ERROR_FORMAT);
	assert_non_null(strstr(why.text, "150 of its 300 addresses"));
	symbol_table_free(&table);
	/* and what has a name only in the file stays */
	symbolizer_destroy(s);
	assert_int_equal(keep(ADDRESSES), 1);
}

static void the_file_is_better_if_it_has_as_much(void **state)
{
	(void)state;
	struct symbolize_request q = request_of(ADDRESSES);
	struct symbolizer *s;
	struct symbol_table table;
	struct error why;

	assert_int_equal(keep(ADDRESSES), 1);
	s = with_packs(elfmake_folder());
	assert_int_equal(symbolize_module(s, &q, &table, &why), 0);
	assert_false(table.kept);
	symbol_table_free(&table);
	symbolizer_destroy(s);
	elfmake_run("strip program");
	s = with_packs(elfmake_folder());
	assert_int_equal(symbolize_module(s, &q, &table, &why), 0);
	assert_true(table.kept);
	assert_int_equal(table.best, SYMBOL_DWARF);
	symbol_table_free(&table);
	symbolizer_destroy(s);
}

static size_t contents(uint8_t *bytes)
{
	char *path;
	FILE *f;
	size_t n;

	assert_int_equal(symbol_pack_path(&path, elfmake_folder(), id), 0);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(bytes, 1, LONGEST, f);
	fclose(f);
	free(path);
	return n;
}

/* Parse the bytes. Whether they are accepted. */
static bool accepts(struct symbol_names *names, const uint8_t *bytes, size_t n, struct error *why)
{
	struct functions functions;
	struct symbol_pack p;
	struct arena arena;
	uint8_t *copy = malloc(n + 1); /* of its size, so that a read past it is seen */
	bool ok;

	*why = (struct error){.kind = ERROR_NONE};
	memcpy(copy, bytes, n);
	arena_init(&arena);
	functions_init(&functions, &arena);
	assert_int_equal(symbol_pack_parse(&p, copy, n, "FILE", id, &functions, names, why), 0);
	ok = p.num_addresses != 0;
	assert_int_equal(ok, why->kind == ERROR_NONE);
	symbol_pack_free(&p);
	functions_deinit(&functions);
	arena_deinit(&arena);
	free(copy);
	return ok;
}

static void damage_is_noticed(void **state)
{
	(void)state;
	static uint8_t bytes[LONGEST];
	struct symbol_names *names = symbol_names_create();
	struct error why;
	size_t n;

	assert_int_equal(keep(20), 1);
	n = contents(bytes);
	assert_true(n > 100 && accepts(names, bytes, n, &why));
	for (size_t i = 0; i < n; i++)
		assert_false(accepts(names, bytes, i, &why));
	assert_non_null(strstr(why.text, "FILE: damaged at byte "));
	for (size_t i = 0; i < n; i++) { /* an accepted change is one of a name or a number */
		bytes[i] ^= 0x80;
		if (i < 16)
			assert_false(accepts(names, bytes, n, &why));
		else
			accepts(names, bytes, n, &why);
		bytes[i] ^= 0x80;
	}
	id[0] ^= 1; /* that of another module */
	assert_false(accepts(names, bytes, n, &why));
	id[0] ^= 1;
	symbol_names_destroy(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(what_is_kept_is_what_was_resolved, setup),
	    cmocka_unit_test_setup(what_is_new_is_added, setup),
	    cmocka_unit_test_setup(the_file_is_better_if_it_has_as_much, setup),
	    cmocka_unit_test_setup(damage_is_noticed, setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	elfmake_clean();
	return failed;
}
