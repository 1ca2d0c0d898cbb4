/* Internal to the annotate view: the instructions of procedures. */
#ifndef HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H
#define HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H

#include "hpcprof/correlate/instructions.h"
#include "hpcprof/correlate/source_text.h"
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
	struct procedure_list procedures;
	/* per frame of the model: its procedure; or the number of procedures: in none; or
	 * ATTRIBUTE_NO_ROW: not annotated */
	uint32_t *procedure_of;
	uint32_t *row_of; /* per frame: the row of its instruction, or ATTRIBUTE_NO_ROW */
	uint32_t *first;  /* per procedure: the row of its first instruction */
	uint8_t *marks;   /* per row: STEP_ bits */
	struct attributed_rows sums, rows;
	VEC(struct tried) tried;
};

/* The values of a row, [columns]; whether any value is not 0. */
static inline const uint64_t *object_values(const struct object *o, const uint64_t *of, size_t row)
{
	return of + row * o->t->columns.len;
}
static inline bool object_any(const struct object *o, const uint64_t *some)
{
	for (size_t i = 0; i < o->t->columns.len; i++)
		if (some[i])
			return true;
	return false;
}

/* Print a procedure. False if memory ran out. */
bool annotate_listing(struct object *o, uint32_t procedure);

#endif
