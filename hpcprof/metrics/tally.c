#include "hpcprof/metrics/tally.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { WORDS = 4 }; /* for the largest number: n * sum of x^2 and (sum of x)^2 */

/* to += value, as n and m words of 64 bits. */
static void add_words(uint64_t *to, unsigned n, const uint64_t *value, unsigned m)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < n; i++) {
		wide s = (wide)to[i] + (i < m ? value[i] : 0) + carry;
		to[i] = (uint64_t)s;
		carry = (uint64_t)(s >> 64);
	}
}

static void multiply(uint64_t out[WORDS], const uint64_t *a, unsigned n, const uint64_t *b,
		     unsigned m)
{
	memset(out, 0, WORDS * sizeof *out);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m && i + k < WORDS; k++) {
			wide p = (wide)a[i] * b[k];
			uint64_t words[2] = {(uint64_t)p, (uint64_t)(p >> 64)};
			add_words(out + i + k, WORDS - i - k, words, 2);
		}
}

/* a - b, which must not be negative. */
static long double difference(const uint64_t a[WORDS], const uint64_t b[WORDS])
{
	long double out = 0;
	uint64_t words[WORDS], borrow = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		wide d = (wide)a[i] - b[i] - borrow;
		words[i] = (uint64_t)d;
		borrow = (uint64_t)(d >> 64) & 1;
	}
	for (unsigned i = WORDS; i-- > 0;)
		out = out * 0x1p64L + (long double)words[i];
	return out;
}

void tally_add(struct tally *t, uint32_t unit, uint64_t value)
{
	wide square = (wide)value * value;
	uint64_t words[2] = {(uint64_t)square, (uint64_t)(square >> 64)};

	add_words(t->sum, 2, &value, 1);
	add_words(t->squares, 3, words, 2);
	if (!t->present || value < t->least) {
		t->least = value;
		t->least_unit = unit;
	}
	if (value > t->most) {
		t->most = value;
		t->most_unit = unit;
	}
	t->present++;
	t->next += unit == t->next;
}

void tally_join(struct tally *t, uint32_t n, const struct tally *after)
{
	add_words(t->sum, 2, after->sum, 2);
	add_words(t->squares, 3, after->squares, 3);
	if (after->present && (!t->present || after->least < t->least)) {
		t->least = after->least;
		t->least_unit = n + after->least_unit;
	}
	if (after->most > t->most) {
		t->most = after->most;
		t->most_unit = n + after->most_unit;
	}
	t->present += after->present;
	if (t->next == n)
		t->next += after->next;
}

struct summary tally_summary(const struct tally *t, uint32_t n)
{
	struct summary s = {.least = t->least,
			    .least_unit = t->least_unit,
			    .most = t->most,
			    .most_unit = t->most_unit,
			    .present = t->present,
			    .units = n};
	uint64_t left[WORDS], right[WORDS], count = n;

	if (t->present < n) {
		s.least = 0;
		s.least_unit = t->next;
	}
	s.sum = (long double)t->sum[1] * 0x1p64L + (long double)t->sum[0];
	s.mean = s.sum / n;
	if (n < 2)
		return s;
	multiply(left, t->squares, 3, &count, 1);
	multiply(right, t->sum, 2, t->sum, 2);
	s.deviation = sqrtl(difference(left, right) / n / (n - 1));
	if (s.mean > 0)
		s.variation = s.deviation / s.mean;
	return s;
}
