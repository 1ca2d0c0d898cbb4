/* Joins two models, except for their frames and contexts. */
#ifndef HPCPROF_MODEL_JOIN_H
#define HPCPROF_MODEL_JOIN_H

#include "hpcprof/model/model.h"

/* Maps ids of the model that was joined to ids of the model that took it. */
struct joined {
	uint32_t *modules, *functions, *metrics;
};

/* Add everything in from to m, except frames, contexts and their values. Free *out with
 * join_deinit, also after a failure. 0, or -1 and *e, as model_join. */
int join_facts(struct model *m, struct model *from, struct joined *out, struct error *e);
void join_deinit(struct joined *x); /* takes NULL */

#endif
