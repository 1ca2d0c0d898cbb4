/* The order of functions by name, to compare long names only once. */
#ifndef HPCPROF_CORRELATE_NAME_RANKS_H
#define HPCPROF_CORRELATE_NAME_RANKS_H

#include "hpcprof/correlate/correlate.h"

#include <stdint.h>

/* [functions]: the place of each in alphabetical order, equal for equal names; malloc'd. NULL if
 * memory ran out. */
uint32_t *name_ranks(struct symbolized *c);

#endif
