#include "reader/xml_number.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64 };

/* Multiply by ten to the power; false if the result exceeds 2^64 - 1 or a digit would be lost. */
static bool shift_decimal(uint64_t *v, long power)
{
	for (; *v && power > 0; power--)
		if (__builtin_mul_overflow(*v, 10, v))
			return false;
	for (; *v && power < 0; power++) {
		if (*v % 10)
			return false;
		*v /= 10;
	}
	return true;
}

bool reader_xml_whole_number(const char *s, uint64_t *out)
{
	uint64_t v = 0;
	long power = 0;
	bool digits = false, point = false;

	if (strnlen(s, LONGEST_NUMBER + 1) > LONGEST_NUMBER)
		return false;
	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		digits = true;
		power -= point;
		if (point && *s == '0' && strspn(s, "0") == strcspn(s, "eE")) {
			power++; /* zeros at the end of the fraction have no effect */
			s += strspn(s, "0") - 1;
			continue;
		}
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	}
	if (digits && (*s == 'e' || *s == 'E')) {
		char *end;
		long exponent;
		if (!(s[1] >= '0' && s[1] <= '9') &&
		    !((s[1] == '+' || s[1] == '-') && s[2] >= '0' && s[2] <= '9'))
			return false;
		exponent = strtol(s + 1, &end, 10);
		if (exponent > 1000000 || exponent < -1000000)
			return false;
		power += exponent;
		s = end;
	}
	*out = v;
	return digits && !*s && shift_decimal(out, power);
}
