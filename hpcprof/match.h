/* From the contexts of a model that is being filled to those of a finished one, in which all
 * of them should be: modules by identity, frames by address and role, functions that came
 * with their names by all that is known of them. Nothing is added to the finished model. */
#ifndef HPCPROF_MATCH_H
#define HPCPROF_MATCH_H

#include "formats/base/vec.h"
#include "hpcprof/model.h"

#include <stdint.h>

#define MATCH_NONE UINT32_MAX

/* A table of the finished model's contexts; read by several threads at a time. */
struct match_index {
	const struct model *m;
	uint32_t *slots; /* [mask + 1] context, or 0 */
	uint32_t mask;
	uint32_t *modules; /* [modules] by identity */
};

/* 0, or -1 and *e for want of memory. The model must outlive the index. */
int match_index_create(struct match_index *x, const struct model *m, struct error *e);
void match_index_deinit(struct match_index *x); /* takes NULL */

/* All zeros, but for the index, is ready. Ids of the one model to those of the other, or
 * MATCH_NONE; as many as there were at the last match_extend. */
struct match {
	const struct match_index *index;
	VEC(uint32_t) modules;
	VEC(uint32_t) functions;
	VEC(uint32_t) frames;
	VEC(uint32_t) contexts;
};

/* Match what came to the model since the last time. False if memory ran out. */
bool match_extend(struct match *x, const struct model *from);
void match_deinit(struct match *x); /* takes NULL */

#endif
