/* The equations that a datafile's account must satisfy. */
#ifndef TESTS_LIB_EQUATIONS_H
#define TESTS_LIB_EQUATIONS_H

#include "reader/reader.h"

/* NULL, or which of the second and third equation does not hold for some metric that has
 * rows in ACCOUNT: per thread, or for the sums where trees are shared. */
const char *equations_of_trees(const struct reader *r);
/* NULL, or that the weights of metric v do not add up to some thread's CPU time. */
const char *equation_of_clocks(const struct reader *r, uint32_t v);

#endif
