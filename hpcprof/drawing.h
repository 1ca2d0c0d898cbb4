/* A tree drawn as text, one line a node. A line is indented only where branches part, so
 * that a path of many frames stays at the left; a long stretch without a fork is shortened
 * to its ends. Depth costs no C stack. */
#ifndef HPCPROF_DRAWING_H
#define HPCPROF_DRAWING_H

#include "formats/base/arena.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct drawing_ops {
	/* Print what stands left of the tree; return the columns that it took. */
	unsigned (*margin)(void *context, FILE *out, uint32_t node);
	/* The same for n nodes that are not drawn: node, its only child, and so on. */
	unsigned (*margin_hidden)(void *context, FILE *out, uint32_t node, size_t n);
	/* A node's text in at most width columns; NULL if memory ran out. */
	const char *(*label)(void *context, uint32_t node, unsigned width);
	/* Whether a stretch ends at the node although it has but one child. May be NULL. */
	bool (*ends)(void *context, uint32_t node);
};

struct drawing {
	FILE *out;
	unsigned width;
	struct arena *arena;
	const uint32_t *child, *sibling; /* by node; 0: none */
	size_t longest_stretch;          /* nodes in a row that are all drawn ... */
	size_t stretch_ends;             /* ... else so many at each end */
	const struct drawing_ops *ops;
	void *context;
	/* inside: per fork above, what comes next from it, or 0 */
	VEC(uint32_t) levels;
	bool rooted; /* all that is drawn hangs under one outermost node */
};

/* Draw what hangs below a root, in the order of siblings. False if memory ran out. */
bool drawing_print(struct drawing *d, uint32_t root);
void drawing_deinit(struct drawing *d);

#endif
