/* Says what is in a profile for compilers and linkers, what was left out, and what would make it
 * better. Used by one thread. */
#ifndef HPCPROF_EXPORT_FEEDBACK_REPORT_H
#define HPCPROF_EXPORT_FEEDBACK_REPORT_H

#include "formats/base/arena.h"
#include "hpcprof/command/diag.h"
#include "hpcprof/export/feedback/against.h"
#include "hpcprof/export/feedback/locations.h"

/* For formats with places in the source. only: the module that was written; NULL: all. Strings are
 * made in the arena. */
void report_locations(struct diag *d, struct arena *a, const struct feedback *f,
		      const struct feedback_module *only, const struct locations *l);
/* How much of it fits the file of another build. */
void report_against(struct diag *d, const char *path, const struct against *a);
/* For formats of one module, of whose samples so many were written. */
void report_module(struct diag *d, struct arena *a, const struct feedback *f,
		   const struct feedback_module *m, uint64_t written);

#endif
