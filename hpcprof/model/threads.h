/* The groups of threads of a model. Only models that were asked for them have any
 * (ingest_options.threads), and those with files of other profilers. */
#ifndef HPCPROF_MODEL_THREADS_H
#define HPCPROF_MODEL_THREADS_H

#include "hpcprof/model/model.h"

/* Add a group, or to the one that it is the same as. Its texts must be from model_text; the rest is
 * copied. False if memory ran out. */
bool model_add_threads(struct model *m, const struct model_threads *group);
/* The same for a group of another model, with maps from its metrics, modules and functions to
 * those of m. */
bool model_join_threads(struct model *m, const struct model_threads *group, const uint32_t *metrics,
			const uint32_t *modules, const uint32_t *functions);
/* The pattern of a name. NULL if memory ran out. */
const char *model_thread_pattern(struct model *m, const char *name);
/* The frame of a call in a finished model; MODEL_NO_FRAME if there is none. */
uint32_t model_call_frame(const struct model *m, const struct model_call *call);

#endif
