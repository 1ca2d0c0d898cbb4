/* Statistics of a row as lines of text: one for what it has itself, one for its total,
 * or one for both where they are the same. */
#ifndef HPCPROF_STAT_LINES_H
#define HPCPROF_STAT_LINES_H

#include "formats/base/arena.h"
#include "hpcprof/stats.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct stat_lines {
	FILE *out;
	struct arena *arena;
	const struct stats *stats;
	unsigned width, names; /* of the output; of the longest name of a unit; see below */
};

/* names is found here. */
struct stat_lines stat_lines(FILE *out, struct arena *a, const struct stats *s);

/* "8 profiles". NULL if memory ran out. */
const char *stat_lines_units(const struct stat_lines *l);
/* What is of none of the units, if anything is, as a paragraph. False: memory ran out. */
bool stat_lines_outside(const struct stat_lines *l, const struct stats_rows *rows,
			uint32_t everything);
/* What the titles mean, as paragraphs; how the columns spread in all. False: memory ran out. */
bool stat_lines_introduce(const struct stat_lines *l, const struct stats_rows *rows,
			  uint32_t everything);
void stat_lines_titles(const struct stat_lines *l);
/* The lines of a row, for each metric; of one that nobody has anything of, no line. False if
 * memory ran out. */
bool stat_lines_print(const struct stat_lines *l, const struct stats_rows *rows, uint32_t row);

#endif
