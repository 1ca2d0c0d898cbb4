#include "hpcprof/metrics/significance.h"

#include <math.h>
#include <stdlib.h>

double significance_normal(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

/* The continued fraction of the incomplete beta function. It converges fast for
 * x < (a + 1) / (a + b + 2), in about the square root of the larger of a and b steps. */
static double beta_fraction(double x, double a, double b)
{
	static const double tiny = 1e-300, enough = 1e-13;
	enum { MOST = 100000 };
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < MOST; m++) {
		double step = 1;
		for (int odd = 0; odd < 2; odd++) {
			double k =
			    odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
				: m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
			d = 1 + k * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + k / c;
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < enough)
			break;
	}
	return f;
}

double significance_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return fmin(1, front * beta_fraction(x, a, b) / a);
	return fmax(0, 1 - front * beta_fraction(1 - x, b, a) / b);
}

double significance_student(double t, double df)
{
	return significance_beta(df / (df + t * t), df / 2, 0.5);
}

double significance_binomial(double k, double n, double q)
{
	double above = k > 0 ? significance_beta(q, k, n - k + 1) : 1;
	double below = k < n ? significance_beta(1 - q, n - k, k + 1) : 1;

	return fmin(1, 2 * fmin(above, below));
}

/* A test by the quotient of its p-value and weight. */
struct ranked_test {
	double quotient, weight;
	size_t index;
};

static int by_quotient(const void *pa, const void *pb)
{
	const struct ranked_test *a = pa, *b = pb;

	if (a->quotient != b->quotient)
		return a->quotient < b->quotient ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

bool significance_choose(const struct significance_test *tests, size_t n, double alpha,
			 bool *beyond)
{
	struct ranked_test *ranked = malloc((n + 1) * sizeof *ranked);
	double left = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < n; i++) {
		double weight = tests[i].weight;
		ranked[i] =
		    (struct ranked_test){weight > 0 ? tests[i].p / weight : INFINITY, weight, i};
		left += weight;
		beyond[i] = false;
	}
	qsort(ranked, n, sizeof *ranked, by_quotient);
	for (size_t i = 0; i < n && ranked[i].quotient * left <= alpha; i++) {
		beyond[ranked[i].index] = true;
		left -= ranked[i].weight;
	}
	free(ranked);
	return true;
}
