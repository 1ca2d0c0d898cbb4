/* Probabilities of differences, and which of many count. */
#include "hpcprof/metrics/significance.h"
#include "tests/lib/unit/cmocka_all.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static void near(double value, double want, double tolerance)
{
	if (!(fabs(value - want) <= tolerance * fabs(want) + 1e-300))
		fail_msg("%.15g is not %.15g", value, want);
}

/* Tables of the distributions; the numbers are also those of R's pnorm, pt and pbeta. */
static void test_known_values(void **state)
{
	(void)state;
	near(significance_normal(0), 1, 1e-12);
	near(significance_normal(1.959963984540054), 0.05, 1e-12);
	near(significance_normal(-5), 5.733031437583866e-07, 1e-9);
	near(significance_student(12.706204736174694, 1), 0.05, 1e-9);
	near(significance_student(-2.0859634472658626, 20), 0.05, 1e-9);
	near(significance_student(1, 1), 0.5, 1e-12);
	near(significance_student(0, 7), 1, 1e-12);
	near(significance_beta(0.5, 2, 2), 0.5, 1e-12);
	near(significance_beta(0.25, 1, 3), 1 - 0.75 * 0.75 * 0.75, 1e-12);
	near(significance_beta(0.9, 4, 1), 0.9 * 0.9 * 0.9 * 0.9, 1e-12);
	near(significance_beta(0, 3, 4), 0, 0);
	near(significance_beta(1, 3, 4), 1, 0);
}

/* Against the sum of the probabilities, for every k. */
static void test_binomial(void **state)
{
	(void)state;
	static const double shares[] = {0.5, 0.01, 0.3, 0.909};

	for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
		for (int n = 1; n <= 400; n += n < 20 ? 1 : 95) {
			double q = shares[s], below = 0, all[401];
			for (int k = 0; k <= n; k++)
				all[k] = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
					     k * log(q) + (n - k) * log1p(-q));
			for (int k = 0; k <= n; k++) {
				double above = 0;
				below += all[k];
				for (int i = n; i >= k; i--)
					above += all[i];
				near(significance_binomial(k, n, q),
				     fmin(1, 2 * fmin(above, below)), 1e-8);
			}
		}
}

/* Large numbers: the normal distribution, and no endless loop. */
static void test_large_binomial(void **state)
{
	(void)state;
	double n = 1e9, q = 0.3, sd = sqrt(n * q * (1 - q));

	for (int z = -6; z <= 6; z++)
		near(significance_binomial(n * q + z * sd, n, q), z ? significance_normal(z) : 1,
		     0.01);
	near(significance_binomial(0, 1e9, 0.5), 0, 0);
}

static void test_choosing(void **state)
{
	(void)state;
	/* equal weights: Holm's 0.01, 0.0125, 0.0167, 0.025 and 0.05 for an alpha of 0.05 */
	static const struct significance_test tests[] = {
	    {0.012, 1}, {0.3, 1}, {0.0099, 1}, {0.02, 1}, {0.016, 1}};
	static const bool want[] = {true, false, true, true, true};
	/* a weight of 0 counts for nothing; a large one for much */
	static const struct significance_test uneven[] = {
	    {0.04, 96}, {0.06, 4}, {0, 0}, {0.001, 4}};
	static const bool uneven_want[] = {true, false, false, true};
	bool beyond[5];

	assert_true(significance_choose(tests, 5, 0.05, beyond));
	for (int i = 0; i < 5; i++)
		assert_int_equal(beyond[i], want[i]);
	assert_true(significance_choose(uneven, 4, 0.05, beyond));
	for (int i = 0; i < 4; i++)
		assert_int_equal(beyond[i], uneven_want[i]);
	assert_true(significance_choose(NULL, 0, 0.05, beyond));
}

static uint64_t seed = 12345;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 0x1p53;
}

/* Of many families of tests in which nothing is true, a share of alpha shows anything. */
static void test_errors_of_a_family(void **state)
{
	(void)state;
	enum { FAMILIES = 20000, TESTS = 30 };
	unsigned wrong = 0;

	for (int f = 0; f < FAMILIES; f++) {
		struct significance_test tests[TESTS];
		bool beyond[TESTS], any = false;
		for (int i = 0; i < TESTS; i++)
			tests[i] = (struct significance_test){uniform(), i * i};
		assert_true(significance_choose(tests, TESTS, 0.05, beyond));
		for (int i = 0; i < TESTS; i++)
			any |= beyond[i];
		wrong += any;
	}
	/* 1000 are expected; the standard deviation is 31 */
	assert_in_range(wrong, 850, 1125);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_values),       cmocka_unit_test(test_binomial),
	    cmocka_unit_test(test_large_binomial),     cmocka_unit_test(test_choosing),
	    cmocka_unit_test(test_errors_of_a_family),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
