/* How sure a share of the samples is.
 *
 * A metric's total is the sum of the weights of N samples, each of which fell into a row or not.
 * The row's share p = its weight / all weight is then a ratio of two sums, whose variance is
 * about p (1 - p) (1 + v) / N, where v is the variance of the weights over the square of their
 * mean: samples of unequal weight are worth N / (1 + v) samples of equal weight. (Cochran,
 * Sampling Techniques, 3rd ed., 6.3 and 11.7; N / (1 + v) is what Kish calls the effective
 * sample size.) With that many samples, Wilson's score interval (1927) is what is shown: it
 * stays within 0 and 100% and holds for small shares.
 *
 * A datafile has no weights of single samples, but sums of V and N for each node. Where a node
 * has N_k samples of mean weight m_k, N_k (m_k - m)^2 is on average the variance of a single
 * weight; the mean of that over K nodes, with K - 1 as divisor, is what is taken. It is not
 * taken to be less than the variance that the sampling period was given on purpose. */
#ifndef HPCPROF_INTERVAL_H
#define HPCPROF_INTERVAL_H

#include "hpcprof/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	double low, high; /* of a share, 0 to 1 */
};

/* v: the variance of weights over the square of their mean, from n nodes' sums; 0 where less
 * than two nodes have samples. */
double interval_spread(const uint64_t *weights, const uint64_t *samples, size_t n);

/* The same of a jitter as METRICS has it: "uniform 0.5-1.5". 0: it is none that is known. */
double interval_jitter(const char *text);

/* The samples that shares of the metric rest on, as of equal weight: all of them where shares
 * are of samples, not of events. 0: nothing was sampled, so that shares are exact. */
double interval_samples(const struct model *m, const struct model_metric *metric, bool of_samples);

/* The 95% interval of the share value / total. total is not 0. */
struct interval interval_share(uint64_t value, uint64_t total, double samples);

#endif
