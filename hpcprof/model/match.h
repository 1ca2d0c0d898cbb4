/* Maps the contexts of a model that is being filled to those of a finished model, which should
 * contain them all. Modules are matched by identity, frames by address and role, and functions that
 * came with their names by everything known about them. Nothing is added to the finished model. */
#ifndef HPCPROF_MODEL_MATCH_H
#define HPCPROF_MODEL_MATCH_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "hpcprof/model/model.h"

#include <stdint.h>

#define MATCH_NONE UINT32_MAX

/* A table of the finished model's contexts; read by several threads at a time. */
struct match_index {
	const struct model *m;
	struct interner contexts; /* those after the roots, by parent and frame */
	uint32_t *modules;        /* [modules] by identity */
};

/* 0, or -1 and *e if memory ran out. The model must outlive the index. */
int match_index_create(struct match_index *x, const struct model *m, struct error *e);
void match_index_deinit(struct match_index *x); /* takes NULL */

/* Ids of the finished model by ids of the other, or MATCH_NONE. Contains the ids that existed at
 * the last match_extend. All zeros, except for the index, is valid. */
struct match {
	const struct match_index *index;
	bool through_labels; /* a label's context is that which it is in */
	VEC(uint32_t) modules;
	VEC(uint32_t) functions;
	VEC(uint32_t) frames;
	VEC(uint32_t) contexts;
};

/* Match what was added to the model since the last call. False if memory ran out. */
bool match_extend(struct match *x, const struct model *from);
void match_deinit(struct match *x); /* takes NULL */

#endif
