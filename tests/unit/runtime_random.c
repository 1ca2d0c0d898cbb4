/* The gaps between looks at threads are exponential: else places with short waits would get too
 * much or too little. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/base/random.h"

#include <math.h>
#include <stdint.h>

enum { GAPS = 1000000, MEAN = 1000000, LONGEST = 8 };

/* Standard deviations that random errors do not reach. */
static const double far = 6;

static void exponential(void **unused)
{
	(void)unused;
	uint64_t seed = 0x1234567, beyond[LONGEST + 1] = {0};
	double sum = 0, squares = 0;
	for (int i = 0; i < GAPS; i++) {
		double gap = (double)csprof_random_gap(&seed, MEAN) / MEAN;
		sum += gap;
		squares += gap * gap;
		for (int k = 0; k <= LONGEST && gap > k; k++)
			beyond[k]++;
	}
	/* mean 1, of the squares 2; variances 1 and 20 */
	assert_true(fabs(sum / GAPS - 1) < far / sqrt(GAPS));
	assert_true(fabs(squares / GAPS - 2) < far * sqrt(20.0 / GAPS));
	for (int k = 0; k <= LONGEST; k++) {
		double share = exp(-k), error = sqrt(share * (1 - share) / GAPS);
		assert_true(fabs((double)beyond[k] / GAPS - share) <= far * error);
	}
}

/* What is left of a gap does not depend on how much of it has passed, and gaps not on each other.
 */
static void independent(void **unused)
{
	(void)unused;
	uint64_t seed = 42;
	double product = 0, before = 0;
	for (int i = 0; i < GAPS; i++) {
		double gap = (double)csprof_random_gap(&seed, MEAN) / MEAN - 1;
		product += before * gap;
		before = gap;
	}
	assert_true(fabs(product / GAPS) < far / sqrt(GAPS));
}

static void limits(void **unused)
{
	(void)unused;
	uint64_t seed = 7, longest = 0;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(csprof_random_gap(&seed, 0), 0);
		uint64_t gap = csprof_random_gap(&seed, UINT64_C(1) << 40);
		longest = gap > longest ? gap : longest;
	}
	assert_true(longest >> 40 < 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(exponential),
	    cmocka_unit_test(independent),
	    cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
