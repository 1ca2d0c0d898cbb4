/* Draws a tree as text, one line per node. Lines are indented only at forks, so that a path of many
 * frames stays at the left. A long stretch without a fork is shortened to its ends. Nothing
 * recurses over the depth. */
#ifndef HPCPROF_TERMINAL_DRAWING_H
#define HPCPROF_TERMINAL_DRAWING_H

#include "formats/base/arena.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct drawing_ops {
	/* Print the text to the left of the tree. Returns its width in columns. */
	unsigned (*margin)(void *context, FILE *out, uint32_t node);
	/* The same for n nodes that are not drawn: node, its only child, and so on. */
	unsigned (*margin_hidden)(void *context, FILE *out, uint32_t node, size_t n);
	/* A node's text in at most width columns; NULL if memory ran out. */
	const char *(*label)(void *context, uint32_t node, unsigned width);
	/* Whether a stretch ends at the node although it has only one child. May be NULL. */
	bool (*ends)(void *context, uint32_t node);
};

struct drawing {
	FILE *out;
	unsigned width;
	struct arena *arena;
	const uint32_t *child, *sibling; /* by node; 0: none */
	size_t longest_stretch;          /* longest row of nodes that is drawn completely */
	size_t stretch_ends;             /* nodes drawn at each end of a longer one */
	const struct drawing_ops *ops;
	void *context;
	/* internal: the next branch of each fork above, or 0 */
	VEC(uint32_t) levels;
	bool rooted; /* the tree has a single outermost node */
};

/* Draw everything below a root, in the order of siblings. False if memory ran out. */
bool drawing_print(struct drawing *d, uint32_t root);
void drawing_deinit(struct drawing *d);

#endif
