/* The equations that a datafile's account must satisfy. */
#ifndef TESTS_LIB_UNIT_EQUATIONS_H
#define TESTS_LIB_UNIT_EQUATIONS_H

#include "reader/reader.h"

/* NULL, or which of the second and third equation is false for a metric with rows in ACCOUNT: for
 * each thread, or for the sums if trees are shared. */
const char *equations_of_trees(const struct reader *r);
/* NULL, or that the weights of metric v do not add up to the CPU time of a thread. */
const char *equation_of_clocks(const struct reader *r, uint32_t v);

#endif
