/* Statistics of a row as lines of text: one for its exclusive values and one for its total, or one
 * for both if they are the same. */
#ifndef HPCPROF_METRICS_STAT_LINES_H
#define HPCPROF_METRICS_STAT_LINES_H

#include "formats/base/arena.h"
#include "hpcprof/metrics/stats.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stat_lines {
	FILE *out;
	struct arena *arena;
	const struct stats *stats;
	unsigned width, names; /* of the output; of the longest name of a unit */
};

/* Computes names. */
struct stat_lines stat_lines(FILE *out, struct arena *a, const struct stats *s);

/* "8 profiles". NULL if memory ran out. */
const char *stat_lines_units(const struct stat_lines *l);
/* Print values that belong to none of the units, if there are any, as a paragraph. False: memory
 * ran out. */
bool stat_lines_outside(const struct stat_lines *l, const struct stats_rows *rows,
			uint32_t everything);
/* Print what the titles mean, as paragraphs, the titles, and the statistics of the row everything.
 * False: memory ran out. */
bool stat_lines_introduce(const struct stat_lines *l, const struct stats_rows *rows,
			  uint32_t everything);
void stat_lines_titles(const struct stat_lines *l);
/* Print the lines of a row, for each metric of which any unit has a value. False: memory ran
 * out. */
bool stat_lines_print(const struct stat_lines *l, const struct stats_rows *rows, uint32_t row);

#endif
