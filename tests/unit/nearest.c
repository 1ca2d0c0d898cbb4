/* The name that a user may have meant. */
#include "tests/lib/unit/cmocka_all.h"

#include "formats/base/nearest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned distance(const char *a, const char *b, unsigned most)
{
	return nearest_distance(a, strlen(a), b, strlen(b), most);
}

static void distances(void **unused)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} of[] = {
	    {"", "", 0},
	    {"", "abc", 3},
	    {"abc", "abc", 0},
	    {"abc", "ab", 1},
	    {"abc", "abcd", 1},
	    {"abc", "axc", 1},
	    {"abc", "acb", 1},
	    {"ca", "abc", 3},
	    {"abcd", "badc", 2},
	    {"Lines", "lines", 0},
	    {"CPUTIEM", "cputime", 1},
	    {"kitten", "sitting", 3},
	    {"abcdef", "fedcba", 5},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		assert_int_equal(distance(of[i].a, of[i].b, 10), of[i].distance);
		assert_int_equal(distance(of[i].b, of[i].a, 10), of[i].distance);
		if (of[i].distance) /* one more than the bound */
			assert_int_equal(distance(of[i].a, of[i].b, of[i].distance - 1),
					 of[i].distance);
	}
}

/* The same by its definition, without a bound and without a table of three rows. */
static unsigned plainly(const char *a, size_t n, const char *b, size_t m)
{
	unsigned best, other;

	if (!n || !m)
		return (unsigned)(n + m);
	best = plainly(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	other = plainly(a, n - 1, b, m) + 1;
	best = other < best ? other : best;
	other = plainly(a, n, b, m - 1) + 1;
	best = other < best ? other : best;
	if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
		other = plainly(a, n - 2, b, m - 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void a_bound_changes_no_smaller_distance(void **unused)
{
	enum { PAIRS = 2000, MOST = 6 };
	char a[MOST + 1] = "", b[MOST + 1] = "";
	(void)unused;

	srand(1);
	for (int pair = 0; pair < PAIRS; pair++) {
		size_t n = (size_t)(rand() % (MOST + 1)), m = (size_t)(rand() % (MOST + 1));
		unsigned right;
		for (size_t i = 0; i < n; i++)
			a[i] = (char)('a' + rand() % 3);
		for (size_t i = 0; i < m; i++)
			b[i] = (char)('a' + rand() % 3);
		right = plainly(a, n, b, m);
		for (unsigned most = 0; most <= MOST; most++)
			assert_int_equal(nearest_distance(a, n, b, m, most),
					 right <= most ? right : most + 1);
	}
}

static void long_names_are_not_compared(void **unused)
{
	char a[NEAREST_MOST + 2], b[NEAREST_MOST + 2];
	(void)unused;

	memset(a, 'a', sizeof a);
	memset(b, 'a', sizeof b);
	b[3] = 'b';
	assert_int_equal(nearest_distance(a, NEAREST_MOST, b, NEAREST_MOST, 5), 1);
	assert_int_equal(nearest_distance(a, NEAREST_MOST + 1, b, NEAREST_MOST + 1, 5), 6);
	assert_int_equal(nearest_distance(a, NEAREST_MOST, b, NEAREST_MOST, UINT32_MAX - 1), 1);
}

/* What is suggested for typed among these names, in this order and in the opposite one. */
static void suggests(const char *typed, const char *const *names, const char *expected)
{
	char text[NEAREST_TEXT];
	size_t n = 0;

	while (names[n])
		n++;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct nearest near = {.typed = typed};
		for (size_t i = 0; i < n; i++) {
			const char *name = names[backwards ? n - 1 - i : i];
			nearest_offer(&near, name, strlen(name));
		}
		assert_string_equal(nearest_text(text, &near, "--"), expected);
	}
}

static void suggestions(void **unused)
{
	static const char *const names[] = {"lines", "files", "functions", "file",
					    "all",   "n",     "",          NULL};
	(void)unused;
	suggests("lins", names, "; did you mean --lines?");
	suggests("LINES", names, "; did you mean --lines?");
	suggests("fucntions", names, "; did you mean --functions?");
	suggests("funktionen", names, "; did you mean --functions?");
	suggests("filea", names, "; did you mean --file?"); /* the first by name */
	suggests("al", names, "; did you mean --all?");
	suggests("x", names, "");
	suggests("", names, "");
	suggests("threads", names, "");
}

static void only_its_bytes_are_named(void **unused)
{
	struct nearest near = {.typed = "walk"};
	char text[NEAREST_TEXT];
	(void)unused;

	nearest_offer(&near, "wlak(tree*)", 4);
	assert_string_equal(nearest_text(text, &near, ""), "; did you mean wlak?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(distances),
	    cmocka_unit_test(a_bound_changes_no_smaller_distance),
	    cmocka_unit_test(long_names_are_not_compared),
	    cmocka_unit_test(suggestions),
	    cmocka_unit_test(only_its_bytes_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
