/* Keys that were chosen so that functions that everybody knows give all of them one value (the one
 * that the interner had, and the one that uthash has by default) are as any others to the tables of
 * readers. */
#include "formats/base/arena.h"
#include "formats/base/hash.h"
#include "formats/base/interner.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

enum { NUM_KEYS = 1 << 17, TEXT = 24 };

/* Both took over 10 s with those functions, and take some ms. */
static const double most_seconds = 2;

static uint64_t numbers[NUM_KEYS];
static char texts[NUM_KEYS][TEXT];

static double cpu_time(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* Fails unless so many hashes, in a table with two places for each, are in as many as random ones
 * would be: 79% of their number. */
static void assert_spread(const uint64_t *hashes)
{
	static bool taken[2 * NUM_KEYS];
	size_t places = 0;

	memset(taken, 0, sizeof taken);
	for (size_t i = 0; i < NUM_KEYS; i++) {
		bool *place = &taken[hashes[i] % (2 * NUM_KEYS)];
		places += !*place;
		*place = true;
	}
	assert_in_range(places, NUM_KEYS / 100 * 75, NUM_KEYS);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (int i = 0; i < 5; i++) /* Newton: the right bits double, from 3 */
		x *= 2 - odd * x;
	return x;
}

static uint64_t old_hash(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key >> 32;
}

static void chosen_numbers_are_as_others(void **state)
{
	static uint64_t hashes[NUM_KEYS];
	struct interner in = {0}, over = {0};

	(void)state;
	for (size_t i = 0; i < NUM_KEYS; i++) {
		uint64_t key = (UINT64_C(12345) << 32 | i) * inverse(0xff51afd7ed558ccd);
		key ^= key >> 32;
		numbers[i] = key * inverse(0x9e3779b97f4a7c15);
		assert_int_equal(old_hash(numbers[i]), 12345);
		hashes[i] = hash_number(numbers[i]);
	}
	assert_spread(hashes);
	double begin = cpu_time();
	for (size_t i = 0; i < NUM_KEYS; i++)
		assert_int_equal(interner_add(&in, numbers[i]), i);
	assert_true(interner_over(&over, numbers, NUM_KEYS));
	assert_int_equal(interner_find(&over, numbers[NUM_KEYS - 1]), NUM_KEYS - 1);
	assert_true(cpu_time() - begin < most_seconds);
	interner_deinit(&over);
	interner_deinit(&in);
}

static unsigned jenkins(const void *text)
{
	unsigned value;

	HASH_JEN(text, TEXT, value);
	return value;
}

/* The first half of a text is its number; the second brings the state to where that of the first
 * text was. */
static void make_text(char *text, unsigned number)
{
	unsigned state[3] = {0x9e3779b9, 0x9e3779b9, 0xfeedbeef}, words[6] = {number};

	state[0] += number;
	HASH_JEN_MIX(state[0], state[1], state[2]);
	for (int i = 0; i < 3; i++)
		words[3 + i] = 0x01010101u * (unsigned)(i + 1) - state[i];
	memcpy(text, words, TEXT);
}

static void chosen_texts_are_as_others(void **state)
{
	static uint64_t hashes[NUM_KEYS];
	struct strings *s = strings_create();

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < NUM_KEYS; i++) {
		make_text(texts[i], (unsigned)i);
		assert_int_equal(jenkins(texts[i]), jenkins(texts[0]));
		hashes[i] = hash_bytes(texts[i], TEXT);
	}
	assert_spread(hashes);
	double begin = cpu_time();
	for (size_t i = 0; i < NUM_KEYS; i++)
		assert_int_equal(strings_intern(s, texts[i], TEXT), i);
	assert_true(cpu_time() - begin < most_seconds);
	strings_destroy(s);
}

static void a_hash_is_of_the_bytes_and_their_number(void **unused)
{
	char bytes[101] = "0", other[102] = "x0";
	uint64_t seen[100];

	(void)unused;
	for (size_t n = 0; n < 100; n++) {
		seen[n] = hash_bytes(bytes, n);
		assert_true(seen[n] <= UINT32_MAX);
		assert_int_equal(seen[n], hash_bytes(other + 1, n));
		for (size_t i = 0; i < n; i++)
			assert_true(seen[i] != seen[n]);
		for (size_t i = 0; i < n; i++) {
			bytes[i] ^= 1;
			assert_true(hash_bytes(bytes, n) != seen[n]);
			bytes[i] ^= 1;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(chosen_numbers_are_as_others),
	    cmocka_unit_test(chosen_texts_are_as_others),
	    cmocka_unit_test(a_hash_is_of_the_bytes_and_their_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
