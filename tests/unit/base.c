/* The small utilities of the offline half: searching, paths, numbering, workers. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/base/error.h"
#include "formats/base/interner.h"
#include "formats/base/path.h"
#include "formats/base/search.h"
#include "formats/base/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static void searching(void **unused)
{
	static const int sorted[] = {1, 3, 3, 3, 7, 9};
	enum { N = sizeof sorted / sizeof *sorted };
	(void)unused;

	for (int wanted = 0; wanted <= 10; wanted++) {
		size_t plain = 0;
		while (plain < N && sorted[plain] < wanted)
			plain++;
		assert_int_equal(SEARCH_FIRST(i, 0, N, sorted[i] >= wanted), plain);
		for (size_t from = 0; from <= N; from++)
			assert_int_equal(SEARCH_FIRST(i, from, N, sorted[i] >= wanted),
					 plain < from ? from : plain);
	}
	assert_int_equal(SEARCH_FIRST(i, 0, 0, sorted[i] > 0), 0);
	assert_int_equal(SEARCH_FIRST(i, SIZE_MAX - 3, SIZE_MAX, i >= SIZE_MAX - 1), SIZE_MAX - 1);
}

static void paths(void **unused)
{
	(void)unused;
	assert_string_equal(path_basename("/usr/bin/perl"), "perl");
	assert_string_equal(path_basename("perl"), "perl");
	assert_string_equal(path_basename("[vdso]"), "[vdso]");
	assert_string_equal(path_basename("/usr/bin/"), "/usr/bin/");
	assert_string_equal(path_basename("/"), "/");
	assert_string_equal(path_basename(""), "");
	assert_int_equal(path_folder_length("/usr/bin/perl"), strlen("/usr/bin/"));
	assert_int_equal(path_folder_length("/perl"), 1);
	assert_int_equal(path_folder_length("perl"), 0);
	assert_int_equal(path_folder_length(""), 0);
}

/* ---- workers -------------------------------------------------------------------------- */

struct item {
	pthread_barrier_t *together; /* NULL: do not wait */
	pthread_t by;
	uint64_t padding; /* for an unusual item size */
	int times;
};

static void count(void *context)
{
	struct item *item = context;

	item->by = pthread_self();
	item->times++;
	if (item->together)
		pthread_barrier_wait(item->together);
}

enum { ITEMS = 5 };

/* How many threads can be started; -1: no limit. */
static int threads_left = -1;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context)
{
	if (threads_left == 0)
		return EAGAIN;
	threads_left -= threads_left > 0;
	return __real_pthread_create(thread, attributes, run, context);
}

static void work_is_done_at_once(void **unused)
{
	struct item items[ITEMS + 1] = {0};
	pthread_barrier_t together;
	(void)unused;

	pthread_barrier_init(&together, NULL, ITEMS);
	for (int i = 0; i < ITEMS; i++)
		items[i].together = &together;
	workers_run(count, items, sizeof *items, ITEMS); /* ends only if all run at the same time */
	for (int i = 0; i < ITEMS; i++) {
		assert_int_equal(items[i].times, 1);
		assert_int_equal(pthread_equal(items[i].by, pthread_self()), i == 0);
	}
	assert_int_equal(items[ITEMS].times, 0);
	pthread_barrier_destroy(&together);
}

static void few_items(void **unused)
{
	struct item items[2] = {0};
	(void)unused;

	workers_run(count, items, sizeof *items, 0);
	assert_int_equal(items[0].times, 0);
	workers_run(count, items, sizeof *items, 1);
	assert_int_equal(items[0].times, 1);
	assert_true(pthread_equal(items[0].by, pthread_self()));
	assert_int_equal(items[1].times, 0);
}

static void no_thread_can_be_started(void **unused)
{
	struct item items[ITEMS] = {0};
	(void)unused;

	for (threads_left = 0; threads_left < ITEMS - 1; threads_left++) {
		int left = threads_left, own = 0;
		workers_run(count, items, sizeof *items, ITEMS);
		for (int i = 0; i < ITEMS; i++) {
			assert_int_equal(items[i].times, left + 1);
			own += pthread_equal(items[i].by, pthread_self()) != 0;
		}
		assert_int_equal(own, ITEMS - left);
		threads_left = left;
	}
	threads_left = -1;
}

static void memory_errors(void **unused)
{
	struct error e;
	(void)unused;

	assert_int_equal(error_memory(&e, 4096), -1);
	assert_string_equal(e.text, "out of memory (4096 bytes wanted)");
	assert_int_equal(error_memory(&e, 0), -1);
	assert_string_equal(e.text, "out of memory");
	assert_int_equal(e.kind, ERROR_MEMORY);
}

/* Keys that an address, a multiple of a page or a pair of small numbers would be. */
static uint64_t a_key(uint32_t i)
{
	return i % 3 == 0 ? i * UINT64_C(4096) : i % 3 == 1 ? (uint64_t)i << 32 | 7 : i;
}

static void an_interner_numbers_keys_in_order(void **unused)
{
	enum { N = 5000 };
	static uint64_t keys[N];
	struct interner in = {0}, over;
	(void)unused;

	assert_int_equal(interner_find(&in, 0), INTERNER_NONE);
	for (uint32_t i = 0; i < N; i++) {
		keys[i] = a_key(i);
		assert_int_equal(interner_find(&in, keys[i]), INTERNER_NONE);
		assert_int_equal(interner_add(&in, keys[i]), i);
		assert_int_equal(interner_add(&in, keys[i / 2]), i / 2);
	}
	assert_int_equal(in.len, N);
	for (uint32_t n = 0; n < 100; n++) {
		assert_true(interner_over(&over, keys, n));
		for (uint32_t i = 0; i < N; i++)
			assert_int_equal(interner_find(&over, keys[i]), i < n ? i : INTERNER_NONE);
		interner_deinit(&over);
	}
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(interner_find(&in, keys[i]), i);
	assert_int_equal(interner_find(&in, 5), 5);
	assert_int_equal(interner_find(&in, 3), INTERNER_NONE);
	interner_deinit(&in);
	assert_null(in.slots);
	interner_deinit(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(searching),
	    cmocka_unit_test(paths),
	    cmocka_unit_test(an_interner_numbers_keys_in_order),
	    cmocka_unit_test(work_is_done_at_once),
	    cmocka_unit_test(few_items),
	    cmocka_unit_test(no_thread_can_be_started),
	    cmocka_unit_test(memory_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
