/* Binary search. */
#ifndef FORMATS_BASE_SEARCH_H
#define FORMATS_BASE_SEARCH_H

#include <stddef.h>

/* The first i in [from, end) for which condition, an expression of i, is true, or end. The range
 * must be sorted: false for all i before, true for all after. The macro declares the variable i. */
#define SEARCH_FIRST(i, from, end, condition)                                                      \
	({                                                                                         \
		size_t low_ = (from), high_ = (end);                                               \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (condition)                                                             \
				high_ = i;                                                         \
			else                                                                       \
				low_ = i + 1;                                                      \
		}                                                                                  \
		low_;                                                                              \
	})

#endif
