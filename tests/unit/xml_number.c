/* Whole numbers in XML: compares each text with what a simple reading of it gives. */
#include "reader/xml_number.h"
#include "tests/lib/unit/cmocka_all.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static regex_t form;

/* The number in text, by moving the point in its digits. False if it is none, or not whole, or
 * above 2^64 - 1. */
static bool simple(const char *text, uint64_t *out)
{
	char digits[200] = "";
	size_t n = 0;
	long point = -1, exponent = 0;
	const char *s = text;

	if (regexec(&form, text, 0, NULL, 0) != 0)
		return false;
	for (; *s && *s != 'e' && *s != 'E'; s++)
		if (*s == '.')
			point = (long)n;
		else
			digits[n++] = *s;
	if (point < 0)
		point = (long)n;
	if (*s)
		exponent = strtol(s + 1, NULL, 10);
	point += exponent;
	*out = 0;
	if (strspn(digits, "0") == n)
		return true;
	for (long i = 0; i < (long)n; i++)
		if (i >= point && digits[i] != '0')
			return false;
	for (long i = 0; i < point; i++) {
		int digit = i < (long)n ? digits[i] - '0' : 0;
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, digit, out))
			return false;
	}
	return true;
}

static void compare(const char *text)
{
	uint64_t got = 0, want = 0;
	bool taken = reader_xml_whole_number(text, &got), right = simple(text, &want);

	if (taken != right || (right && got != want))
		fail_msg("\"%s\" is %s %lu, expected %s %lu", text, taken ? "taken as" : "refused",
			 got, right ? "taken as" : "refused", want);
}

static void test_edges(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    ".",
					    "e",
					    "e1",
					    ".e1",
					    "0",
					    "00",
					    "0.",
					    ".0",
					    "0.0",
					    "1.",
					    "1.e0",
					    ".1e1",
					    "1e",
					    "1e+",
					    "1e-",
					    "1e+-1",
					    "1e/",
					    "1e:",
					    "1e+/",
					    "1e+:",
					    "1/",
					    "1:",
					    "/",
					    ":",
					    "-1",
					    "+1",
					    " 1",
					    "1 ",
					    "1..",
					    "1.0.",
					    "1e1e1",
					    "0x10",
					    "18446744073709551615",
					    "18446744073709551616",
					    "18446744073709551615.0",
					    "18446744073709551615.5",
					    "1844674407370955161.5e1",
					    "1844674407370955161.6e1",

					    "1e19",
					    "2e19",
					    "1e20",
					    "1.8446744073709551615e19",
					    "1.8446744073709551616e19",
					    "1.8446744073709551615e18",
					    "10e-1",
					    "15e-1",
					    "1e-1",
					    "100e-2",
					    "100e-3",
					    "0e1000000",
					    "0e-1000000",
					    "0.000e7",
					    "1.5000",
					    "1.5000e1",
					    "1.50005e1",
					    "1.0500e2"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		compare(texts[i]);
}

/* Longer ones are refused, though they may be numbers. */
static void test_limits(void **state)
{
	(void)state;
	char text[80];
	uint64_t got = 1;

	memset(text, '0', sizeof text);
	text[64] = '\0';
	assert_true(reader_xml_whole_number(text, &got));
	assert_int_equal(got, 0);
	text[64] = '0', text[65] = '\0';
	assert_false(reader_xml_whole_number(text, &got));
	assert_false(reader_xml_whole_number("0e1000001", &got));
	assert_false(reader_xml_whole_number("0e-1000001", &got));
	assert_false(reader_xml_whole_number("0e99999999999999999999", &got));
	assert_false(reader_xml_whole_number("184467440737095516150e-1", &got));
}

static void test_random(void **state)
{
	(void)state;
	static const char common[] = "0000112589.eE+-", odd[] = "/: x";
	uint64_t seed = 1;

	for (int i = 0; i < 200000; i++) {
		char text[24];
		size_t n = 0, length;
		seed = seed * 6364136223846793005 + 1442695040888963407;
		uint64_t bits = seed >> 20;
		length = bits % 9;
		for (; n < length; n++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			bits = seed >> 33;
			text[n] = bits % 40 ? common[bits / 40 % (sizeof common - 1)]
					    : odd[bits / 40 % (sizeof odd - 1)];
		}
		text[n] = '\0';
		const char *e = strpbrk(text, "eE");
		if (!e || labs(strtol(e + 1, NULL, 10)) <= 100)
			compare(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges),
					   cmocka_unit_test(test_limits),
					   cmocka_unit_test(test_random)};
	int failed;

	if (regcomp(&form, "^([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$",
		    REG_EXTENDED | REG_NOSUB) != 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	regfree(&form);
	return failed;
}
