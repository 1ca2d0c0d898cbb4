/* Metrics by load module, folder, file, namespace, function and line, from the merged tree.
 *
 * Exclusive values of a row are those of paths whose leaf is code of the row; over all rows of a
 * grouping they add up to the metric's total. Inclusive values are those of paths on which the row
 * occurs. Each path counts once, even if the row occurs on it several times (recursion, mutual
 * recursion, inlined recursion). */
#ifndef HPCPROF_METRICS_ATTRIBUTE_H
#define HPCPROF_METRICS_ATTRIBUTE_H

#include "formats/base/error.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdint.h>

enum grouping {
	BY_MODULE,
	BY_FOLDER, /* of a source file */
	BY_FILE,
	BY_NAMESPACE,
	BY_FUNCTION,
	BY_LINE,
	GROUPINGS
};

struct attribution {
	size_t num_columns;
	struct {
		size_t
		    num_rows; /* rows are ids: of the model's modules, of the code's files, ... */
		/* [num_rows * num_columns], the columns of a row are adjacent */
		uint64_t *exclusive, *inclusive;
	} by[GROUPINGS];
	/* exclusive values of code without a known symbol, by module: [modules * num_columns]; and
	 * of code without a known line */
	uint64_t *nameless, *lineless;
};

/* Groupings that are wanted: the others have no rows. */
#define ATTRIBUTE_NOTHING 0u
#define ATTRIBUTE(grouping) (1u << (grouping))
#define ATTRIBUTE_ALL (ATTRIBUTE(GROUPINGS) - 1)

/* Attribute the columns (each [contexts] values of exclusive metrics, as in model_metric). 0, or -1
 * and *e if memory ran out. Sums saturate. The model's totals, which are at least as large, show
 * whether that happened. */
int attribute(const struct model *m, const struct symbolized *c, unsigned wanted,
	      const uint64_t *const *columns, size_t num_columns, struct attribution *out,
	      struct error *e);
void attribute_deinit(struct attribution *a); /* takes NULL */

size_t attribute_num_rows(const struct model *m, const struct symbolized *c, enum grouping g);

/* Called for each row that the values of a context count for: exclusive values count for the row of
 * the leaf, inclusive values for each row that is not yet on the path. False: memory ran out. */
typedef bool attribute_use_fn(void *context, uint32_t node, enum grouping g, uint32_t row,
			      bool inclusive);
int attribute_uses(const struct model *m, const struct symbolized *c, unsigned wanted,
		   attribute_use_fn *use, void *context, struct error *e);

/* Code on a call path. */
struct occurrence {
	uint32_t frame; /* of the model */
	const struct code_frame *code;
	/* what called it or what it was inlined into; NULL: it is outermost */
	const struct code_frame *caller;
	bool partial; /* it is the outermost of a partial path */
};

/* The row that the code counts for, or ATTRIBUTE_NO_ROW. May be called again for the same code. */
#define ATTRIBUTE_NO_ROW UINT32_MAX
typedef uint32_t attribute_row_fn(void *context, const struct occurrence *o);

/* Attribute to rows that a view defines. Values are counted as above: exclusive values for the row
 * of the leaf. The caller frees both arrays, which are [num_rows * num_columns]. 0, or -1 and *e if
 * memory ran out. */
struct attributed_rows {
	uint64_t *exclusive, *inclusive;
};
int attribute_rows(const struct model *m, const struct symbolized *c,
		   const uint64_t *const *columns, size_t num_columns, size_t num_rows,
		   attribute_row_fn *row, void *context, struct attributed_rows *out,
		   struct error *e);

/* Like attribute_use_fn, for these rows. */
typedef bool attribute_row_use_fn(void *context, uint32_t node, uint32_t row, bool inclusive);
/* Call use for what attribute_rows adds up. row and use each have a context. */
int attribute_row_uses(const struct model *m, const struct symbolized *c, size_t num_rows,
		       attribute_row_fn *row, void *row_context, attribute_row_use_fn *use,
		       void *use_context, struct error *e);

/* A walk over the contexts, each parent before its children and all descendants of a
 * context before its next sibling, without recursion: paths may be 100,000 deep.
 *
 *     struct attribute_walk w;
 *     if (attribute_walk_begin(&w, model, &error) == 0)
 *         while (attribute_walk_next(&w))
 *             ... w.context is entered if w.enter, else left ...
 *     attribute_walk_end(&w);
 *
 * The two roots are not visited. */
struct attribute_walk {
	const struct model *m;
	uint32_t *child, *sibling; /* first child, next sibling; 0: none */
	uint32_t context;
	bool enter;
};
int attribute_walk_begin(struct attribute_walk *w, const struct model *m, struct error *e);
bool attribute_walk_next(struct attribute_walk *w);
void attribute_walk_end(struct attribute_walk *w);

/* Inclusive values of n columns for contexts: out[context * n + i], in an array that the caller
 * frees. NULL if memory ran out. */
uint64_t *attribute_contexts(const struct model *m, const uint64_t *const *columns, size_t n);

#endif
