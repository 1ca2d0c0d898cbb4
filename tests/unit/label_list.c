/* Labels and regions as one text. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/identity/label_list.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "KEY=VALUE" with "#" before a number's value, and "KEY" of a region, one a line. */
static const char *read_all(const char *list)
{
	static char out[4096];
	struct label_list_item item;
	size_t n = 0;
	out[0] = '\0';
	while (label_list_next(&list, &item))
		n += (size_t)snprintf(out + n, sizeof out - n, item.region ? "%s\n" : "%s=%s%s\n",
				      item.key, item.number ? "#" : "", item.value);
	return out;
}

static void lists(void **unused)
{
	static const struct {
		const char *list, *read;
	} of[] = {
	    {"", ""},
	    {",,,", ""},
	    {"a=b", "a=b\n"},
	    {"a=b,c=d=e", "a=b\nc=d=e\n"},
	    {"=x,a=", "a=\n"},
	    {"build,a=1,rest", "build\na=#1\nrest\n"},
	    {"a=1,b=-1,c=01,d=-0,e=0,f=1x,g=-,h= 1",
	     "a=#1\nb=#-1\nc=01\nd=-0\ne=#0\nf=1x\ng=-\nh= 1\n"},
	    {"a=\\1,b=\\,\\\\,c\\,\\=\\\\=\\=", "a=1\nb=,\\\nc,=\\==\n"},
	    {"a=\\", "a=\\\n"},
	    {"a\\", "a\\\n"},
	    {"a=9223372036854775807,b=9223372036854775808",
	     "a=#9223372036854775807\nb=9223372036854775808\n"},
	    {"a=-9223372036854775808,b=-9223372036854775809",
	     "a=#-9223372036854775808\nb=-9223372036854775809\n"},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		assert_string_equal(read_all(of[i].list), of[i].read);
}

static void adds(void **unused)
{
	char list[LABEL_LIST_BYTES + 1] = "";
	size_t n = label_list_add(list, 0, "a", "1", false);
	n = label_list_add(list, n, "b", "1", true);
	n = label_list_add(list, n, "c", "x,\\", true);
	n = label_list_add_region(list, n, "d=,");
	(void)unused;
	assert_string_equal(list, "a=1,b=\\1,c=x\\,\\\\,d\\=\\,");
	assert_int_equal(n, strlen(list));
	assert_string_equal(read_all(list), "a=#1\nb=1\nc=x,\\\nd=,\n");
}

/* What does not fit is left out as a whole, and nothing is written behind the list. */
static void limits(void **unused)
{
	char *list = malloc(LABEL_LIST_BYTES + 1), value[2 * CSP_LABEL_BYTES];
	size_t n = 0, had, counted = 0;
	(void)unused;
	assert_non_null(list);
	memset(value, ',', sizeof value - 1);
	value[sizeof value - 1] = '\0';
	do {
		had = n;
		n = label_list_add(list, n, "key", value, true);
		counted = label_list_add(NULL, counted, "key", value, true);
		assert_int_equal(n, counted);
	} while (n != had);
	assert_int_equal(n, strlen(list));
	assert_int_equal(n, 5 * (4 + 2 * CSP_LABEL_BYTES) + 4);
	assert_true(label_list_add_region(list, n, "r") == n + 2);
	struct label_list_item item;
	const char *at = list;
	for (int i = 0; i < 5; i++) {
		assert_true(label_list_next(&at, &item));
		assert_int_equal(strlen(item.value), CSP_LABEL_BYTES);
	}
	free(list);
}

/* Any texts come back as they were. */
static void round_trip(void **unused)
{
	static const char letters[] = "a,=\\1-0";
	char list[LABEL_LIST_BYTES + 1], key[8], value[8];
	struct label_list_item item;
	uint32_t random = 1;
	(void)unused;
	for (int i = 0; i < 20000; i++) {
		size_t n[2];
		for (int k = 0; k < 2; k++) {
			char *text = k ? value : key;
			random = random * 1664525 + 1013904223;
			n[k] = (random >> 24) % 7 + (k ? 0 : 1);
			for (size_t j = 0; j < n[k]; j++) {
				random = random * 1664525 + 1013904223;
				text[j] = letters[(random >> 24) % (sizeof letters - 1)];
			}
			text[n[k]] = '\0';
		}
		bool text = random >> 20 & 1;
		size_t end = label_list_add(list, 0, key, value, text);
		label_list_add_region(list, end, key);
		const char *at = list;
		assert_true(label_list_next(&at, &item));
		assert_string_equal(item.key, key);
		assert_string_equal(item.value, value);
		assert_false(item.region);
		if (text || !label_list_is_number(value))
			assert_false(item.number);
		assert_true(label_list_next(&at, &item));
		assert_string_equal(item.key, key);
		assert_true(item.region);
		assert_false(label_list_next(&at, &item));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists),
	    cmocka_unit_test(adds),
	    cmocka_unit_test(limits),
	    cmocka_unit_test(round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
