/* Locations in the order in which they are written, which does not depend on the order in which
 * they were added: functions by name, locations by place, targets by count and name. Used by one
 * thread.
 */
#ifndef HPCPROF_EXPORT_FEEDBACK_SORTED_LOCATIONS_H
#define HPCPROF_EXPORT_FEEDBACK_SORTED_LOCATIONS_H

#include "hpcprof/export/feedback/locations.h"

struct sorted_range {
	uint32_t first, end;
};

/* All zeros is empty. */
struct sorted_locations {
	uint32_t *top; /* functions that were not inlined: by samples, then by name */
	uint32_t num_top;
	uint32_t *functions, *locations, *targets; /* ids */
	struct sorted_range *locations_of;         /* [functions] in locations */
	struct sorted_range *inlined_at;           /* [locations] in functions */
	struct sorted_range *targets_of;           /* [locations] in targets */
};

/* 0, or -1 and *e if memory ran out. Deinit it either way. */
int sorted_locations_init(struct sorted_locations *s, const struct locations *l, struct error *e);
void sorted_locations_deinit(struct sorted_locations *s); /* takes NULL */

#endif
