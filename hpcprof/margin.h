/* Values left of a tree's or a source file's lines: for each metric a percentage of its total
 * for self and for total; of a single metric also the values, as far as there is room. */
#ifndef HPCPROF_MARGIN_H
#define HPCPROF_MARGIN_H

#include "hpcprof/columns.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The columns that each of several metrics takes, for columns_fitting. */
unsigned margin_each(const struct common *o);

struct margin {
	const struct columns *columns;
	unsigned width;   /* of the output */
	bool total_first; /* else self comes first */
};

/* Print the titles, and behind them what the text of the lines is, in ASCII, as far as it
 * fits. */
void margin_titles(const struct margin *m, FILE *out, const char *text);
/* Print a mark of one column and the values ([columns] each), zeros as blanks; NULL: none.
 * Returns the columns of the output that it took. */
unsigned margin_print(const struct margin *m, FILE *out, char mark, const uint64_t *exclusive,
		      const uint64_t *inclusive);

#endif
