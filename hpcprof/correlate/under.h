/* A profile of what some functions called: call paths begin at these functions. */
#ifndef HPCPROF_CORRELATE_UNDER_H
#define HPCPROF_CORRELATE_UNDER_H

#include "formats/base/error.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>

/* Keep of the finished model the paths through the marked functions ([functions of c]), from the
 * outermost marked one inwards. Totals, sums of processes and threads, and the account remain those
 * of everything. Frames are added to both where a marked function is inlined. 0, or -1 and *e if
 * memory ran out; then m can only be destroyed. */
int under_keep(struct model *m, struct symbolized *c, const bool *marks, struct error *e);

#endif
