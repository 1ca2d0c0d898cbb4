/* The sorted frames, contexts and values of a model (see model.h), and joining two of these. Sorted
 * tables are merged in one pass without look-ups, as two sorted lists are.
 *
 * Functions that return int return 0, or -1 and *e (memory ran out, or more than 2^32 contexts). A
 * struct sorted_model is used by one thread at a time. */
#ifndef HPCPROF_MODEL_SORTED_MODEL_H
#define HPCPROF_MODEL_SORTED_MODEL_H

#include "hpcprof/model/model.h"

/* New ids by the ids of a model. */
struct sorted_places {
	const uint32_t *modules, *functions; /* positions in the order of all models */
	const uint32_t *metrics;             /* NULL: unchanged */
	size_t num_metrics;                  /* of all models */
};

/* Owns its tables; all zeros is empty. */
struct sorted_model {
	struct model_frame *frames; /* [num_frames] by module, address and role */
	size_t num_frames;
	uint64_t *keys; /* [num_contexts] parent << 32 | frame, depth first */
	uint32_t num_contexts;
	uint64_t **columns; /* [2 * metrics] events and samples of each, NULL: all are 0 */
	size_t num_columns;
};

/* Take frames, contexts and values out of m. m can then only be destroyed, or be given them
 * back. */
int sorted_model_take(struct sorted_model *o, struct model *m, const struct sorted_places *places,
		      struct error *e);
/* Merge from into o. from is then empty. */
int sorted_model_zip(struct sorted_model *o, struct sorted_model *from, struct error *e);
/* Move everything into m, whose metrics are those of the columns. o is then empty. */
int sorted_model_give(struct sorted_model *o, struct model *m, struct error *e);
void sorted_model_deinit(struct sorted_model *o); /* takes NULL */

#endif
