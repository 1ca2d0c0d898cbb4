/* The names of a program in the store, which threads add at the same time. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/identity/notes.h"
#include "runtime/trees/arena.h"
#include "runtime/trees/mem.h"
#include "runtime/trees/names.h"
#include "runtime/trees/shared.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 40, NAMES = 3000, SHARED = NAMES / 4 };

static uint32_t numbers[THREADS][NAMES];
static pthread_barrier_t together;

/* Some are those of all threads. */
static void *add_names(void *arg)
{
	size_t self = (size_t)arg;
	pthread_barrier_wait(&together);
	for (int i = 0; i < NAMES; i++) {
		char text[32];
		_Atomic uint64_t numbered = 0;
		int n = snprintf(text, sizeof text, "%d.%zu", i, i < SHARED ? 9 : self);
		numbers[self][i] = csprof_name_value(&numbered, text, (uint32_t)n);
	}
	return NULL;
}

static void check_numbers(uint8_t *seen)
{
	memset(seen, 0, CSP_NAMES);
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < NAMES; i++) {
			uint32_t number = numbers[t][i];
			assert_true(number > 0 && number < CSP_NAMES);
			if (i < SHARED && t > 0) {
				assert_int_equal(number, numbers[0][i]);
				continue;
			}
			assert_int_equal(seen[number], 0);
			seen[number] = 1;
		}
}

static void each_name_has_one_number(void **unused)
{
	(void)unused;
	uint8_t *seen = malloc(CSP_NAMES);
	pthread_t threads[THREADS];

	assert_non_null(seen);
	pthread_barrier_init(&together, NULL, THREADS);
	for (int round = 0; round < ROUNDS; round++) {
		assert_int_equal(csprof_store_create(NULL, 2, 1), 0);
		csprof_arena_begin();
		csprof_shared_begin();
		csprof_names_begin();
		for (size_t t = 0; t < THREADS; t++)
			pthread_create(&threads[t], NULL, add_names, (void *)t);
		for (size_t t = 0; t < THREADS; t++)
			pthread_join(threads[t], NULL);
		check_numbers(seen);
		csprof_arena_forget();
		csprof_store_destroy();
	}
	pthread_barrier_destroy(&together);
	free(seen);
}

static void there_are_not_too_many(void **unused)
{
	(void)unused;
	uint32_t last = 0;

	assert_int_equal(csprof_store_create(NULL, 2, 1), 0);
	csprof_arena_begin();
	csprof_shared_begin();
	csprof_names_begin();
	for (int i = 0; i < CSP_MOST_VALUES + 10; i++) {
		char text[32];
		_Atomic uint64_t numbered = 0;
		int n = snprintf(text, sizeof text, "%d", i);
		uint32_t number = csprof_name_value(&numbered, text, (uint32_t)n);
		assert_int_equal(number, i < CSP_MOST_VALUES ? last + 1 : 0);
		last = number;
	}
	csprof_arena_forget();
	csprof_store_destroy();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_name_has_one_number),
	    cmocka_unit_test(there_are_not_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
