/* Internal to the statistics: the state of one worker thread. */
#ifndef HPCPROF_METRICS_STATS_WORKER_H
#define HPCPROF_METRICS_STATS_WORKER_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/metrics/stats.h"
#include "hpcprof/model/match.h"

/* Values of the current unit, and tallies, for the rows of one tree. */
struct stats_scratch {
	uint64_t *exclusive, *inclusive; /* [nodes][columns], zeros between units */
	uint64_t *touched;               /* a bit per node */
	uint64_t *values;                /* [rows][columns][2], zeros between units */
	bool *listed;                    /* [rows]: in list */
	VEC(uint32_t) list;
	struct tally *tallies;
	VEC(uint64_t) singles;
	VEC(struct stats_cell) cells; /* at most keep_cells and one more */
};

/* Why a file's values are missing. */
struct stats_problem {
	const char *path, *text;
};

struct stats_worker {
	const struct stats *stats;
	size_t first_group, end_group;
	struct model *model; /* all contexts of the units so far; values of the current one */
	struct ingest *ingest;
	struct match match;
	VEC(uint32_t) contexts; /* with values in the current unit; a bit of each in marked */
	VEC(uint64_t) marked;
	struct stats_scratch scratch[STATS_TREES];
	/* output, for the units in order */
	VEC(const char *) names;
	VEC(struct stats_unit) units;
	VEC(struct stats_problem) problems;
	uint64_t *least_period, *most_period; /* [columns]; 0: none seen */
	bool lost;                            /* something was not in the finished model */
	struct arena arena;
	struct error *e; /* of the first failure */
	int rc;
};

/* 0, or -1 and *e if memory ran out. */
int stats_worker_init(struct stats_worker *w, const struct stats *s,
		      const struct match_index *index, struct error *e);
void stats_worker_deinit(struct stats_worker *w); /* takes all zeros */

/* Note contexts that get values: an ingest_watch_fn. */
int stats_worker_watch(void *worker, const uint32_t *contexts, unsigned n, struct error *e);
/* The same for all contexts that have values. */
int stats_worker_watch_all(struct stats_worker *w, struct error *e);
/* Note the periods of the metrics of a file that was read. */
void stats_worker_note_periods(struct stats_worker *w);
/* All of a unit was read: count its values and clear them. name is clean and in the arena, or NULL
 * if memory ran out; so are the strings of where it is from. */
int stats_worker_end_unit(struct stats_worker *w, const char *name, struct stats_unit from,
			  struct error *e);

#endif
