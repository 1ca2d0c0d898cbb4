/* The values on the left of the lines of a tree or a source file: for each metric, self and total
 * as percentages of the metric's total. A single metric also has the values, if there is room. Then
 * the ratios, of what comes first. */
#ifndef HPCPROF_METRICS_VALUE_GUTTER_H
#define HPCPROF_METRICS_VALUE_GUTTER_H

#include "hpcprof/metrics/shown_metrics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The columns that each of several metrics takes, for shown_metrics_fitting. */
unsigned value_gutter_each(const struct common *o);

struct value_gutter {
	const struct shown_metrics *columns;
	unsigned width;   /* of the output */
	bool total_first; /* else self comes first */
};

/* Print the titles, and after them the title of the lines' text (ASCII), as far as it fits. */
void value_gutter_titles(const struct value_gutter *m, FILE *out, const char *text);
/* Print a mark of one column and the values ([columns] each), zeros as blanks; NULL: none. Returns
 * the width of the output in columns. */
unsigned value_gutter_print(const struct value_gutter *m, FILE *out, char mark,
			    const uint64_t *exclusive, const uint64_t *inclusive);

#endif
