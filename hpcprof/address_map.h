/* Made-up addresses for the frames of a model, so that one epoch of a datafile has room for
 * all modules: each is cut into stretches, where its addresses are far apart, and stretches lie
 * one behind the other. */
#ifndef HPCPROF_ADDRESS_MAP_H
#define HPCPROF_ADDRESS_MAP_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/model.h"

struct stretch {
	uint32_t module;
	uint64_t low;    /* first address in the file, on a page's boundary */
	uint64_t bytes;  /* of the extent */
	uint64_t mapped; /* where low lies */
};

struct address_map {
	const struct model *m;
	VEC(struct stretch) stretches; /* in the order of modules, then of addresses */
	uint32_t *of;                  /* [frames] */
};

/* For a finished model without frames that came with names. 0, or -1 and *e for want of
 * memory. */
int address_map_make(struct address_map *a, const struct model *m, struct error *e);
void address_map_deinit(struct address_map *a); /* takes all zeros */

/* Where the frame's address lies. */
uint64_t address_map_at(const struct address_map *a, uint32_t frame);

#endif
