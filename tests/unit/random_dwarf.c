/* What random_dwarf.c makes of random bytes is what readers read: functions, lines, inlined calls;
 * and the same bytes make the same. (A fuzz target whose inputs are all refused finds nothing.) */
#include "tests/lib/builders/random_dwarf.h"

#include "symbolize/symbolize.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NUM_FILES = 300, NUM_BYTES = 1500, NUM_ADDRESSES = 400 };

/* How many frames there were of each kind. */
struct seen {
	unsigned functions, symbols, lines, declared, inlined;
};

static void count(const struct symbol_table *t, struct seen *s)
{
	for (size_t i = 0; i < t->first[t->num_addresses]; i++) {
		const struct symbol_frame *f = &t->frames[i];
		s->functions += f->function->source == SYMBOL_DWARF;
		s->symbols += f->function->source == SYMBOL_SYMTAB;
		s->lines += f->line > 0 && f->file;
		s->declared += f->function->line > 0 && f->function->file;
		s->inlined += f->inlined;
	}
}

/* Bytes of a linear congruential generator (Knuth's MMIX), of which some are 0. */
static void fill(uint8_t *bytes, uint64_t *state)
{
	for (size_t i = 0; i < NUM_BYTES; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes[i] = *state >> 40 & 3 ? (uint8_t)(*state >> 56) : 0;
	}
}

static size_t read_file(struct seen *s, const uint8_t *bytes)
{
	uint64_t addresses[NUM_ADDRESSES];
	struct random_dwarf files;
	size_t made = random_dwarf_make(&files, bytes, NUM_BYTES);
	struct symbolize_request request = {.path = files.path,
					    .name = "m",
					    .addresses = addresses,
					    .num_addresses = NUM_ADDRESSES};
	struct symbolizer *sym = symbolizer_create(NULL);
	struct symbol_table table;

	for (size_t i = 0; i < NUM_ADDRESSES; i++)
		addresses[i] = RANDOM_DWARF_BASE + 3 * i;
	assert_non_null(sym);
	assert_int_equal(symbolize_module(sym, &request, &table, NULL), 0);
	count(&table, s);
	symbol_table_free(&table);
	symbolizer_destroy(sym);
	random_dwarf_free(&files);
	return made;
}

static void what_it_makes_is_read(void **state)
{
	struct seen all = {0};
	uint8_t bytes[NUM_BYTES];
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < NUM_FILES; i++) {
		struct seen once = {0}, again = {0};
		fill(bytes, &random);
		assert_int_equal(read_file(&once, bytes), read_file(&again, bytes));
		assert_memory_equal(&once, &again, sizeof once);
		all.functions += once.functions > 0;
		all.symbols += once.symbols > 0;
		all.lines += once.lines > 0;
		all.declared += once.declared > 0;
		all.inlined += once.inlined > 0;
	}
	printf("# of %d files: functions in %u, symbols in %u, lines in %u, declarations in %u, "
	       "inlined calls in %u\n",
	       NUM_FILES, all.functions, all.symbols, all.lines, all.declared, all.inlined);
	assert_in_range(all.functions, NUM_FILES / 10, NUM_FILES);
	assert_in_range(all.symbols, NUM_FILES / 10, NUM_FILES);
	assert_in_range(all.lines, NUM_FILES / 10, NUM_FILES);
	assert_in_range(all.declared, NUM_FILES / 100, NUM_FILES);
	assert_in_range(all.inlined, NUM_FILES / 100, NUM_FILES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_it_makes_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
