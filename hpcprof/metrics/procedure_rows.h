/* Metrics of procedures and of their instructions. */
#ifndef HPCPROF_METRICS_PROCEDURE_ROWS_H
#define HPCPROF_METRICS_PROCEDURE_ROWS_H

#include "hpcprof/correlate/correlate.h"
#include "hpcprof/correlate/instructions.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/shown_metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First the caller sets m, c and columns, and adds procedures. */
struct procedure_rows {
	const struct model *m;
	const struct symbolized *c;
	const struct shown_metrics *columns;
	struct procedure_list procedures;
	/* per frame of the model: its procedure; or the number of procedures: in none; or
	 * ATTRIBUTE_NO_ROW: it does not count */
	uint32_t *procedure_of;
	uint32_t *row_of; /* per frame: the row of its instruction, or ATTRIBUTE_NO_ROW */
	uint32_t *first;  /* per procedure: the row of its first instruction */
	uint32_t num_rows;
	struct attributed_rows sums, rows; /* of procedures, of instructions */
};

/* Sum up the values of each procedure. Frames outside all procedures count together, if wanted says
 * so (NULL: none). 0, or -1 and *e if memory ran out. */
int procedure_rows_sum(struct procedure_rows *r,
		       bool (*wanted)(const void *context, uint32_t frame), const void *context,
		       struct error *e);
/* The numbers of all procedures that are kept, those with the largest values first, then by module
 * and address; the caller frees it. NULL and *e if memory ran out. */
uint32_t *procedure_rows_order(const struct procedure_rows *r,
			       bool (*keep)(const struct procedure_rows *r, const void *context,
					    uint32_t procedure),
			       const void *context, size_t *n, struct error *e);
/* Disassemble n procedures and attribute values to their instructions. 0, or -1 and *e. */
int procedure_rows_read(struct procedure_rows *r, const uint32_t *chosen, size_t n,
			struct arena *arena, struct error *e);
void procedure_rows_deinit(struct procedure_rows *r);

/* The values of a row, [columns]; whether any value is not 0. */
static inline const uint64_t *procedure_rows_values(const struct procedure_rows *r,
						    const uint64_t *of, size_t row)
{
	return of + row * r->columns->len;
}
static inline bool procedure_rows_any(const struct procedure_rows *r, const uint64_t *some)
{
	for (size_t i = 0; i < r->columns->len; i++)
		if (some[i])
			return true;
	return false;
}

#endif
