/* How likely a difference is by chance: p-values, and which of many count.
 *
 * All functions take any finite numbers in the given ranges and return a probability from 0 to
 * 1. */
#ifndef HPCPROF_METRICS_SIGNIFICANCE_H
#define HPCPROF_METRICS_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

/* The probability of a standard normal variable at least as far from 0 as z, on either side. */
double significance_normal(double z);
/* The same for Student's t with df > 0 degrees of freedom. */
double significance_student(double t, double df);
/* Of n trials of probability q, k were hits: twice the probability of at least as many, or of at
 * most as many, whichever is smaller, and at most 1. 0 <= k <= n; 0 < q < 1. n is a real number:
 * trials of unequal weight count as fewer (interval.h). */
double significance_binomial(double k, double n, double q);
/* The regularized incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1. By its continued
 * fraction (Abramowitz and Stegun, 26.5.8), evaluated by Lentz's method; the relative error is
 * about 1e-12. */
double significance_beta(double x, double a, double b);

/* A test among many. */
struct significance_test {
	double p;      /* its p-value */
	double weight; /* at least 0: how much of the allowed error it may use */
};
/* Set beyond[i] for those of n tests that are not by chance, so that the probability to set any
 * wrongly is at most alpha: Holm's step-down method with weights (Scandinavian Journal of
 * Statistics 6, 1979). False if memory ran out. */
bool significance_choose(const struct significance_test *tests, size_t n, double alpha,
			 bool *beyond);

#endif
