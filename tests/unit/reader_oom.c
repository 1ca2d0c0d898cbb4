/* The reader with each of its allocations failing once: an error without leaks, never a file with
 * parts missing. */
#include "reader/reader.h"

#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/failing_alloc.h"
#include "tests/lib/unit/walk_datafile.h"

/* Open and walk with the n-th allocation failing. Returns whether one failed. */
static bool fails(const struct built *b, unsigned long n)
{
	struct reader *r = NULL;
	struct error e = {0};
	struct reader_nodes it;
	failing_alloc_start(n);
	int result = reader_open_memory(b->bytes, b->n, &r, &e);
	if (result == 0) {
		assert_null(reader_warning(r));
		for (uint32_t i = 0; i < reader_num_trees(r) && result == 0; i++) {
			result = reader_nodes_begin(&it, r, i, true, &e);
			while (result == 0 && reader_nodes_next(&it))
				continue;
			reader_nodes_end(&it);
		}
	}
	reader_close(r);
	bool failed = n != 0 && failing_alloc_count() >= n;
	assert_int_equal(failing_alloc_live(), 0);
	failing_alloc_start(0);
	assert_int_equal(result, failed ? -1 : 0);
	if (failed) {
		assert_int_equal(e.kind, ERROR_MEMORY);
		assert_true(e.text[0] != '\0');
	}
	return failed;
}

static void every_allocation_fails_once(void **state)
{
	(void)state;
	for (int shuffled = 0; shuffled < 2; shuffled++) {
		struct build_file f = build_example;
		struct built b;
		unsigned long n = 1;
		f.shuffle = shuffled ? 9 : 0;
		build(&f, &b);
		while (fails(&b, n))
			n++;
		/* The reader, its arena, a node per tree; more for other orders. */
		assert_in_range(n - 1, shuffled ? 8 : 4, 1000);
		built_free(&b);
	}
}

static struct build_pair many[40000];

/* Tables above the arena's block size have separate allocations, also in the trailer: if memory
 * runs out there, that is not damage. */
static void large_tables(void **state)
{
	(void)state;
	struct build_file f = build_example;
	struct built b;
	unsigned long n = 1;
	for (size_t i = 0; i < sizeof many / sizeof *many; i++)
		many[i] = (struct build_pair){"key", "value", 0};
	f.process = many;
	f.num_process = sizeof many / sizeof *many;
	build(&f, &b);
	while (fails(&b, n))
		n++;
	assert_true(n > 5);
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_allocation_fails_once),
	    cmocka_unit_test(large_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
