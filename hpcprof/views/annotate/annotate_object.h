/* Internal to the annotate view: the instructions of procedures. */
#ifndef HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H
#define HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H

#include "hpcprof/correlate/source_text.h"
#include "hpcprof/metrics/procedure_rows.h"
#include "hpcprof/views/annotate/annotate.h"

/* What is known of an instruction; bits. */
enum { STEP_VALUED = 1, STEP_HOT = 2 };

/* A source file that was looked for. Names are the symbolizer's: equal names are the same
 * pointer. */
struct tried {
	const char *name;
	bool found;
	struct source_text text;
};

struct object {
	struct annotation *t;
	struct procedure_rows of;
	uint8_t *marks; /* per row: STEP_ bits */
	VEC(struct tried) tried;
};

/* The values of a row, [columns]; whether any value is not 0. */
static inline const uint64_t *object_values(const struct object *o, const uint64_t *of, size_t row)
{
	return procedure_rows_values(&o->of, of, row);
}
static inline bool object_any(const struct object *o, const uint64_t *some)
{
	return procedure_rows_any(&o->of, some);
}

/* Print a procedure. False if memory ran out. */
bool annotate_listing(struct object *o, uint32_t procedure);

#endif
