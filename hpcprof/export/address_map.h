/* Made-up addresses for the frames of a model, so that all modules fit into one epoch of a
 * datafile. A module is divided into stretches where its addresses are far apart. Stretches follow
 * each other. */
#ifndef HPCPROF_EXPORT_ADDRESS_MAP_H
#define HPCPROF_EXPORT_ADDRESS_MAP_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/export/code_map.h"
#include "hpcprof/model/model.h"

struct stretch {
	uint32_t module;
	uint64_t low;    /* first address in the file, rounded down to a page */
	uint64_t bytes;  /* of the extent */
	uint64_t mapped; /* the made-up address of low */
};

struct address_map {
	const struct model *m;
	VEC(struct stretch) stretches; /* in the order of modules, then of addresses */
	uint32_t *of;                  /* [frames]: index of the stretch */
	/* functions of an interpreter, and what programs say of themselves
	 * (formats/identity/notes.h); NULL: nothing */
	uint64_t *named; /* [frames]: of those with names, their address */
	struct code_map sources;
	struct strings *names; /* [num_names]: name i has number i + 1 */
	uint32_t num_names;
};

/* Make the map of a finished model, none of whose frames came with names, except regions, labels
 * and functions of an interpreter. 0, or -1 and *e if memory ran out, or ERROR_LIMIT if there are
 * too many of these. */
int address_map_make(struct address_map *a, const struct model *m, struct error *e);
void address_map_deinit(struct address_map *a); /* takes all zeros */

/* The made-up address of the frame. */
uint64_t address_map_at(const struct address_map *a, uint32_t frame);

#endif
