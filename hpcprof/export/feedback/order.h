/* An order of functions for a linker: those that call each other often are put next to each other,
 * and those that are executed most come first, so that they take few pages and cache lines.
 *
 * The clusters are those of C3 (Ottoni and Maher, "Optimizing Function Placement for Large-Scale
 * Data-Center Applications", CGO 2017): from the hottest function on, each is put behind the one
 * that calls it most, with what is already behind it. */
#ifndef HPCPROF_EXPORT_FEEDBACK_ORDER_H
#define HPCPROF_EXPORT_FEEDBACK_ORDER_H

#include "formats/base/error.h"
#include "hpcprof/export/feedback/code.h"

#include <stddef.h>
#include <stdint.h>

/* Put the numbers of a module's procedures into order. *out: [*n], to be freed. 0, or
 * -1 and *e if memory ran out. */
int order_procedures(const struct feedback *f, const struct feedback_module *m, uint32_t **out,
		     size_t *n, struct error *e);

#endif
