/* Sum, minimum, maximum, mean and standard deviation of the values of one row in many units
 * (profiles, ranks, threads, ...), computed in one pass and stored in a few words.
 *
 * Only units with a value are added; the others count as 0. Sums and sums of squares are integers
 * that are wide enough never to overflow, so that the order of adding does not matter. A variance
 * is (n * sum of x^2 - (sum of x)^2) / (n * (n - 1)) of exact numbers; only the quotient and its
 * root are rounded.
 *
 * Units are numbered from 0 in the order of their names. They are added to a tally in ascending
 * order. Tallies of adjacent ranges of units are joined in that order. */
#ifndef HPCPROF_METRICS_TALLY_H
#define HPCPROF_METRICS_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros is empty. */
struct tally {
	uint64_t sum[2], squares[3]; /* least significant first; 2^32 units of 64 bits fit */
	uint64_t least, most;        /* of the units that were added */
	uint32_t least_unit, most_unit;
	uint32_t present; /* units that were added */
	uint32_t next;    /* the unit after the last one that was added */
};

struct summary {
	long double sum, mean;
	long double deviation; /* sample standard deviation (divisor n - 1); 0 if n is 1 */
	long double variation; /* deviation / mean; 0 if mean is 0 */
	uint64_t least, most;
	uint32_t least_unit, most_unit; /* if several, the first */
	uint32_t present, units;
};

/* value must not be 0, and unit must be greater than any before. */
void tally_add(struct tally *t, uint32_t unit, uint64_t value);
/* Append the tally of a range of units to that of the n units before it. */
void tally_join(struct tally *t, uint32_t n, const struct tally *after);
/* The summary over n units, at least 1. */
struct summary tally_summary(const struct tally *t, uint32_t n);

#endif
