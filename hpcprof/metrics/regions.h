/* The regions that a program names (formats/identity/notes.h): what was recorded in each, and how
 * often it was entered. */
#ifndef HPCPROF_METRICS_REGIONS_H
#define HPCPROF_METRICS_REGIONS_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define REGIONS_NONE UINT32_MAX

struct regions_row {
	uint32_t function; /* which the region is in views */
	uint64_t total;    /* on paths through it, each counted once */
	uint64_t entered;  /* 0: not known, as for some labels: entries have none */
	uint32_t most_in;  /* the function that has most of the total in itself; or REGIONS_NONE */
	uint64_t most;
};
typedef VEC(struct regions_row) regions_rows;

/* Its name; NULL: the function is no region. */
const char *regions_name(const struct model *m, const struct symbolized *c, uint32_t function);

/* The regions with most first. values: [contexts], exclusive. outside: [contexts], those that do
 * not count as entered, or NULL. 0, or -1 and *e if memory ran out. Sums saturate. */
int regions_find(regions_rows *out, const struct model *m, const struct symbolized *c,
		 const uint64_t *values, const bool *outside, struct error *e);

#endif
