/* Inside the statistics: what one thread of work holds. */
#ifndef HPCPROF_STATS_WORKER_H
#define HPCPROF_STATS_WORKER_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/ingest.h"
#include "hpcprof/match.h"
#include "hpcprof/stats.h"

#include <pthread.h>

/* Values of the unit at hand, and tallies, of one tree's rows. */
struct stats_scratch {
	uint64_t *exclusive, *inclusive; /* [nodes][columns], zeros between units */
	uint64_t *touched;               /* a bit per node */
	uint64_t *values;                /* [rows][columns][2], zeros between units */
	bool *listed;                    /* [rows]: in list */
	VEC(uint32_t) list;
	struct tally *tallies;
	VEC(uint64_t) singles;
};

/* Why a file's values are missing. */
struct stats_problem {
	const char *path, *text;
};

struct stats_worker {
	const struct stats *stats;
	size_t first_group, end_group;
	struct model *model; /* all contexts of the units so far; values of the one at hand */
	struct ingest *ingest;
	struct match match;
	VEC(uint32_t) contexts; /* with values in the unit at hand; a bit of each in marked */
	VEC(uint64_t) marked;
	struct stats_scratch scratch[STATS_TREES];
	/* found, of the units in order */
	VEC(const char *) names;
	VEC(struct stats_problem) problems;
	uint64_t *least_period, *most_period; /* [columns]; 0: none seen */
	bool lost;                            /* something was not in the finished model */
	struct arena arena;
	struct error *e; /* of the first failure */
	int rc;
	pthread_t thread;
	bool started;
};

/* 0, or -1 and *e for want of memory. */
int stats_worker_init(struct stats_worker *w, const struct stats *s,
		      const struct match_index *index, struct error *e);
void stats_worker_deinit(struct stats_worker *w); /* takes all zeros */

/* Note contexts that get values: an ingest_watch_fn. */
int stats_worker_watch(void *worker, const uint32_t *contexts, unsigned n, struct error *e);
/* The same of all that have some. */
int stats_worker_watch_all(struct stats_worker *w, struct error *e);
/* A file was read: the periods of its metrics. */
void stats_worker_note_periods(struct stats_worker *w);
/* All of a unit was read: count its values and forget them. name is clean and in the arena, or
 * NULL for want of memory. */
int stats_worker_end_unit(struct stats_worker *w, const char *name, struct error *e);

#endif
