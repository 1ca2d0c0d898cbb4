/* Confidence intervals of shares of the samples.
 *
 * A metric's total is the sum of the weights of N samples, each of which belongs to a row or not.
 * The row's share p = its weight / all weight is a ratio of two sums. Its variance is about p (1 -
 * p) (1 + v) / N, where v is the variance of the weights over the square of their mean: samples of
 * unequal weight are worth N / (1 + v) samples of equal weight. (Cochran, Sampling Techniques, 3rd
 * ed., 6.3 and 11.7. Kish calls N / (1 + v) the effective sample size.) The interval is Wilson's
 * score interval (1927) for that many samples. It is within 0 and 100% and is valid for small
 * shares.
 *
 * A datafile has no weights of single samples, but sums of V and N for each node. If a node has N_k
 * samples of mean weight m_k, the expected value of N_k (m_k - m)^2 is the variance of a single
 * weight. The estimate is its mean over K nodes, with divisor K - 1. It is at least the variance of
 * the jitter that was added to the sampling period. */
#ifndef HPCPROF_METRICS_INTERVAL_H
#define HPCPROF_METRICS_INTERVAL_H

#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	double low, high; /* of a share, 0 to 1 */
};

/* v: the variance of weights over the square of their mean, from the sums of n nodes; 0 if fewer
 * than two nodes have samples. */
double interval_spread(const uint64_t *weights, const uint64_t *samples, size_t n);

/* The same for a jitter as in METRICS: "uniform 0.5-1.5". 0 for an unknown one. */
double interval_jitter(const char *text);

/* The effective number of samples for shares of the metric, or all samples if shares are of samples
 * instead of events. 0: nothing was sampled, so shares are exact. */
double interval_samples(const struct model *m, const struct model_metric *metric, bool of_samples);

/* The 95% interval of the share value / total. total is not 0. */
struct interval interval_share(uint64_t value, uint64_t total, double samples);

#endif
