/* Statistics over units (units.h) of what the rows of a view have: a second reading of the
 * files, unit by unit, against the finished profile.
 *
 * A row is a sum of values of nodes of a tree that contexts fold into: exclusive values of some
 * nodes, inclusive ones of others (those where the row is outermost, so that recursion counts
 * once). Only nodes that a unit has values for, and those above them, are looked at.
 *
 * Memory follows the contexts and rows, times threads of work, and not the number of units. What
 * comes out depends neither on the order of files nor on the number of threads. */
#ifndef HPCPROF_STATS_H
#define HPCPROF_STATS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/columns.h"
#include "hpcprof/profile.h"
#include "hpcprof/tally.h"
#include "hpcprof/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_NO_NODE UINT32_MAX

/* That a row counts values of a node. */
struct stats_use {
	uint32_t node, row;
	bool inclusive; /* the node's inclusive values to the row's, else exclusive to exclusive */
};

/* Rows over one tree. The nodes 0 and 1 are its roots; others come behind their parents. */
struct stats_rows {
	/* given */
	const uint64_t *keys; /* [num_nodes] parent << 32 | anything */
	uint32_t num_nodes;
	const uint32_t *at; /* [contexts] the node of a context, or STATS_NO_NODE; NULL: its id */
	size_t num_columns; /* the first so many columns */
	uint32_t num_rows;
	VEC(struct stats_use) uses;
	/* found: [num_rows][num_columns][2], exclusive and inclusive */
	struct tally *tallies;
	uint64_t *singles; /* the same for each unit, one after the other; NULL: not kept */
	/* inside */
	uint64_t *first; /* [num_nodes + 1] */
	uint32_t *rows;  /* of a node: row << 1 | inclusive, from first on */
};

enum { STATS_TREES = 2 }; /* at most */

struct stats {
	/* given */
	const struct profile *profile;
	const struct common *options;
	const struct columns *columns;
	struct stats_rows rows[STATS_TREES];
	size_t num_trees;
	uint32_t keep; /* values of the single units are kept of fewer units than that */
	/* found */
	VEC(const char *) names; /* of the units, clean; there is at least one */
	bool *mixed;             /* [columns] units have different periods of it */
	struct arena arena;
};

/* Count a node's values to a row. False if memory ran out. */
bool stats_use(struct stats_rows *rows, uint32_t node, uint32_t row, bool inclusive);

/* Fill what is to be found. Files that have changed or gone since they were read are told as
 * problems. 0, or -1 and *e for want of memory. */
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
/* What a row has in one unit; where singles are kept. */
static inline uint64_t stats_single(const struct stats_rows *rows, size_t unit, uint32_t row,
				    size_t column, bool inclusive)
{
	return rows->singles[unit * rows->num_rows * rows->num_columns * 2 +
			     stats_index(rows, row, column, inclusive)];
}

#endif
