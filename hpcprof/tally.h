/* What one row has in each of many units (profiles, ranks, threads, ...): sum, smallest,
 * largest, mean, standard deviation, in one pass and in a few words.
 *
 * Only units in which the row has a value are added; a unit that is not counts as 0. Sums and
 * sums of squares are whole numbers wide enough never to overflow, so that it does not
 * matter who adds what first: a variance is (n * sum of x^2 - (sum of x)^2) / (n * (n - 1))
 * from exact numbers, and only the quotient and its root are rounded.
 *
 * Units have numbers in the order of their names, from 0. They are added in ascending order to
 * one tally; tallies of ranges of units that follow each other are joined in that order. */
#ifndef HPCPROF_TALLY_H
#define HPCPROF_TALLY_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros is empty. */
struct tally {
	uint64_t sum[2], squares[3]; /* least significant first; 2^32 units of 64 bits fit */
	uint64_t least, most;        /* of the units that were added */
	uint32_t least_unit, most_unit;
	uint32_t present; /* units that were added */
	uint32_t next;    /* the first unit that was not */
};

struct summary {
	long double sum, mean;
	long double deviation; /* of a sample: the divisor is n - 1; 0 where n is 1 */
	long double variation; /* deviation / mean; 0 where mean is 0 */
	uint64_t least, most;
	uint32_t least_unit, most_unit; /* of several the first */
	uint32_t present, units;
};

/* value is not 0, and unit greater than any before. */
void tally_add(struct tally *t, uint32_t unit, uint64_t value);
/* Add what was counted of a range of units to what was counted of the n before it. */
void tally_join(struct tally *t, uint32_t n, const struct tally *after);
/* Of n units, at least 1. */
struct summary tally_summary(const struct tally *t, uint32_t n);

#endif
