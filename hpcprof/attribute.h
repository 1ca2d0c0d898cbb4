/* Metrics by load module, file, function and line, from the merged tree.
 *
 * Exclusive: what was recorded where the code at the leaf of a path belongs to the
 * row; over all rows of a grouping it sums to the metric's total. Inclusive: what
 * was recorded on paths on which the row occurs, each path counted once however
 * often the row occurs on it (recursion, mutual recursion, inlined recursion). */
#ifndef HPCPROF_ATTRIBUTE_H
#define HPCPROF_ATTRIBUTE_H

#include "formats/base/error.h"
#include "hpcprof/correlate.h"
#include "hpcprof/model.h"

#include <stdint.h>

enum grouping { BY_MODULE, BY_FILE, BY_FUNCTION, BY_LINE, GROUPINGS };

struct attribution {
	size_t num_columns;
	struct {
		size_t
		    num_rows; /* rows are ids: of the model's modules, of the code's files, ... */
		/* [num_rows * num_columns], the columns of a row side by side */
		uint64_t *exclusive, *inclusive;
	} by[GROUPINGS];
	/* exclusive values of code for which not even a symbol is known, by module:
	 * [modules * num_columns]; and of code without a line */
	uint64_t *nameless, *lineless;
};

/* Attribute the columns (each [contexts] values of exclusive metrics, as in
 * model_metric). 0, or -1 and *e for want of memory. Sums saturate; the model's
 * totals, which are no smaller, tell whether that happened. */
int attribute(const struct model *m, const struct code *c, const uint64_t *const *columns,
	      size_t num_columns, struct attribution *out, struct error *e);
void attribution_deinit(struct attribution *a); /* takes NULL */

size_t attribute_num_rows(const struct model *m, const struct code *c, enum grouping g);

/* Told of each row that values of a context count to: exclusive ones to that of its leaf,
 * inclusive ones to each that is on its path here for the first time. False: memory ran out. */
typedef bool attribute_use_fn(void *context, uint32_t node, enum grouping g, uint32_t row,
			      bool inclusive);
int attribute_uses(const struct model *m, const struct code *c, attribute_use_fn *use,
		   void *context, struct error *e);

/* Code that stands on a call path. */
struct occurrence {
	uint32_t frame; /* of the model */
	const struct code_frame *code;
	const struct code_frame *caller; /* what it was called by or inlined into; NULL: it is
					    the outermost */
	bool partial;                    /* it is the outermost of a partial path */
};

/* The row that it counts to, or ATTRIBUTE_NO_ROW. Asked more than once for the same. */
#define ATTRIBUTE_NO_ROW UINT32_MAX
typedef uint32_t attribute_row_fn(void *context, const struct occurrence *o);

/* Attribute to rows of a view's own, counted as said above: exclusive where the leaf of a
 * path counts to the row. Both are [num_rows * num_columns] and freed by the caller. 0, or
 * -1 and *e for want of memory. */
struct attributed_rows {
	uint64_t *exclusive, *inclusive;
};
int attribute_rows(const struct model *m, const struct code *c, const uint64_t *const *columns,
		   size_t num_columns, size_t num_rows, attribute_row_fn *row, void *context,
		   struct attributed_rows *out, struct error *e);

/* Told of each row that values of a context count to in that way, as attribute_use_fn is. */
typedef bool attribute_row_use_fn(void *context, uint32_t node, uint32_t row, bool inclusive);
/* What attribute_rows adds up: row and use have a context each. */
int attribute_row_uses(const struct model *m, const struct code *c, size_t num_rows,
		       attribute_row_fn *row, void *row_context, attribute_row_use_fn *use,
		       void *use_context, struct error *e);

/* A walk over the contexts, each parent before its children and all descendants of a
 * context before its next sibling, without recursion: paths may be 100,000 deep.
 *
 *     struct walk w;
 *     if (walk_begin(&w, model, &error) == 0)
 *         while (walk_next(&w))
 *             ... w.context is entered if w.enter, else left ...
 *     walk_end(&w);
 *
 * The two roots are not visited. */
struct walk {
	const struct model *m;
	uint32_t *child, *sibling; /* first child, next sibling; 0: none */
	uint32_t context;
	bool enter;
};
int walk_begin(struct walk *w, const struct model *m, struct error *e);
bool walk_next(struct walk *w);
void walk_end(struct walk *w);

/* Inclusive values of contexts: out[context * n + i] of n columns, in one array that
 * the caller frees. NULL if memory ran out. */
uint64_t *attribute_contexts(const struct model *m, const uint64_t *const *columns, size_t n);

#endif
