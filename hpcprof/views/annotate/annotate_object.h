/* Internal to the annotate view: the instructions of procedures. */
#ifndef HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H
#define HPCPROF_VIEWS_ANNOTATE_ANNOTATE_OBJECT_H

#include "hpcprof/views/annotate/annotate.h"
#include "hpcprof/correlate/source_text.h"
#include "symbolize/procedure.h"

/* One instruction of a listing. */
struct object_step {
	uint64_t address, target;
	const char *text;
	const struct symbol_frame *frames; /* innermost first */
	size_t num_frames;
	bool valued, hot;
};

/* One procedure. */
struct listing {
	uint32_t module;
	struct procedure code;
	uint16_t machine;
	bool big;
	VEC(struct object_step) steps;
	uint32_t first; /* row of its first instruction */
	struct symbol_table symbols;
};

/* A source file that was looked for. Names are the symbolizer's: equal names are the same
 * pointer. */
struct tried {
	const char *name;
	bool found;
	struct source_text text;
};

struct object {
	struct annotation *t;
	struct symbolizer *modules, *images;
	VEC(struct listing) listings;
	/* per frame of the model: its listing; or the number of listings: in none; or
	 * ATTRIBUTE_NO_ROW: not annotated */
	uint32_t *listing_of;
	uint32_t *row_of; /* per frame: the row of its instruction, or ATTRIBUTE_NO_ROW */
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

/* Print a listing whose values are in this row of the sums. False if memory ran out. */
bool annotate_listing(struct object *o, struct listing *l, size_t row);

#endif
