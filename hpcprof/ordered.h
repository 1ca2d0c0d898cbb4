/* The frames, contexts and values of a model in their order (see model.h), and two of these made
 * one. What is in order is joined without looking anything up: both are walked from the front,
 * as two sorted lists are.
 *
 * Functions that return int give 0, or -1 and *e for want of memory or past 2^32 contexts. Each
 * ordered is used by one thread at a time. */
#ifndef HPCPROF_ORDERED_H
#define HPCPROF_ORDERED_H

#include "hpcprof/model.h"

/* What a model's own ids became. */
struct ordered_places {
	const uint32_t *modules, *functions; /* by the model's ids, places in the order of all */
	const uint32_t *metrics;             /* NULL: they stay */
	size_t num_metrics;                  /* of all */
};

/* Owns its tables; all zeros is empty. */
struct ordered {
	struct model_frame *frames; /* [num_frames] by module, address and role */
	size_t num_frames;
	uint64_t *keys; /* [num_contexts] parent << 32 | frame, depth first */
	uint32_t num_contexts;
	uint64_t **columns; /* [2 * metrics] events and samples of each, NULL: all 0 */
	size_t num_columns;
};

/* Take frames, contexts and values out of m, which can then only be destroyed or given them
 * back. */
int ordered_take(struct ordered *o, struct model *m, const struct ordered_places *places,
		 struct error *e);
/* Make o what both hold together; from is empty then. */
int ordered_unite(struct ordered *o, struct ordered *from, struct error *e);
/* Put all into m, whose metrics are those of the columns; o is empty then. */
int ordered_give(struct ordered *o, struct model *m, struct error *e);
void ordered_deinit(struct ordered *o); /* takes NULL */

#endif
