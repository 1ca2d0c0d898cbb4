/* What two models share where one takes over the other. */
#ifndef HPCPROF_JOIN_H
#define HPCPROF_JOIN_H

#include "hpcprof/model.h"

/* From ids of the one that was taken over to ids of the one that took it. */
struct joined {
	uint32_t *modules, *functions, *metrics;
};

/* Add to m all that from says, but its frames, its contexts and their values. *out is for
 * joined_deinit, also where it fails: 0, or -1 and *e, as model_join. */
int join_facts(struct model *m, struct model *from, struct joined *out, struct error *e);
void joined_deinit(struct joined *x); /* takes NULL */

#endif
