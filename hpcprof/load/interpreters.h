/* Which modules of an epoch are those of an interpreter whose frames are in the paths
 * (formats/identity/sources.h). Part of ingesting. Used by one thread at a time. */
#ifndef HPCPROF_LOAD_INTERPRETERS_H
#define HPCPROF_LOAD_INTERPRETERS_H

#include "hpcprof/load/relocate.h"

/* There are few, so that the work for each is bounded. Further ones count as other modules. */
enum { INTERPRETERS = 8 };

struct interpreters {
	unsigned n;
	uint8_t *bits; /* [spans of the relocator]: one bit for each interpreter; NULL: none */
};

/* Count the module with that address as an interpreter's, if there is one. False if memory ran
 * out. */
bool interpreters_add(struct interpreters *x, const struct relocator *r, uint64_t address);
/* The bit of the module with that address; 0 if it is not an interpreter's. */
uint8_t interpreters_bit(const struct interpreters *x, const struct relocator *r, uint64_t address);
void interpreters_deinit(struct interpreters *x); /* takes all zeros */

#endif
