/* Statistics over units (units.h) of the rows of a view. The files are read a second time, unit by
 * unit, and compared with the finished profile.
 *
 * A row is a sum of values of nodes of a tree that contexts are folded into: exclusive values of
 * some nodes, and inclusive values of others (those where the row is outermost, so that recursion
 * counts once). Only nodes for which a unit has values, and their ancestors, are visited.
 *
 * Memory grows with the contexts and rows, times threads, and not with the number of units. The
 * result depends neither on the order of files nor on the number of threads. */
#ifndef HPCPROF_METRICS_STATS_H
#define HPCPROF_METRICS_STATS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/load/units.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row includes values of a node. */
struct stats_use {
	uint32_t node, row;
	bool inclusive; /* the node's inclusive values to the row's, else exclusive to exclusive */
};

/* An exclusive value of a row in a unit. */
struct stats_cell {
	uint64_t value;
	uint32_t unit, row, column;
};

/* Where a unit is from. Strings live in the arena. */
struct stats_unit {
	const char *path;   /* of its only datafile, as of a model_process; NULL: of several */
	const char *thread; /* the thread's name, clean; NULL: not a thread, or it has none */
	uint64_t tid;       /* 0: not a thread, or not known */
};

/* Rows over one tree. Nodes 0 and 1 are its roots; others have a higher number than their
 * parents. */
struct stats_rows {
	/* given */
	const uint64_t *keys; /* [num_nodes] parent << 32 | anything */
	uint32_t num_nodes;
	const uint32_t *at; /* [contexts] the node of a context; NULL: its id */
	size_t num_columns; /* of the columns, the first num_columns */
	uint32_t num_rows;
	VEC(struct stats_use) uses;
	/* output: [num_rows][num_columns][2], exclusive and inclusive */
	struct tally *tallies;
	uint64_t *singles; /* the same for each unit, in order; NULL: not kept */
	/* exclusive values that are not 0, by unit and then in no order; if there are more than
	 * keep_cells, none */
	VEC(struct stats_cell) cells;
	/* internal */
	uint64_t *first; /* [num_nodes + 1] */
	uint32_t *rows;  /* row << 1 | inclusive; those of a node begin at first */
};

enum { STATS_TREES = 2 }; /* at most */

struct stats {
	/* given */
	const struct profile *profile;
	const struct common *options;
	const struct shown_metrics *columns;
	struct stats_rows rows[STATS_TREES];
	size_t num_trees;
	uint32_t keep;     /* keep the values of each unit if there are fewer units than this */
	size_t keep_cells; /* keep so many cells of each tree; 0: none */
	/* found */
	VEC(const char *) names;      /* of the units, clean; there is at least one */
	VEC(struct stats_unit) units; /* the same ones */
	bool *mixed;                  /* [columns] its period differs between units */
	struct arena arena;
};

/* Count a node's values for a row. False if memory ran out. */
bool stats_use(struct stats_rows *rows, uint32_t node, uint32_t row, bool inclusive);

/* Fill the output. Files that have changed or gone since they were read are reported as problems.
 * 0, or -1 and *e if memory ran out. */
int stats_collect(struct stats *s, struct error *e);
void stats_deinit(struct stats *s); /* takes all zeros */

static inline size_t stats_index(const struct stats_rows *rows, uint32_t row, size_t column,
				 bool inclusive)
{
	return ((size_t)row * rows->num_columns + column) * 2 + inclusive;
}
static inline struct summary stats_of(const struct stats *s, const struct stats_rows *rows,
				      uint32_t row, size_t column, bool inclusive)
{
	return tally_summary(&rows->tallies[stats_index(rows, row, column, inclusive)],
			     (uint32_t)s->names.len);
}
/* The value of a row in one unit, if singles are kept. */
static inline uint64_t stats_single(const struct stats_rows *rows, size_t unit, uint32_t row,
				    size_t column, bool inclusive)
{
	return rows->singles[unit * rows->num_rows * rows->num_columns * 2 +
			     stats_index(rows, row, column, inclusive)];
}

#endif
