/* The rows of formats with a row for each node: all of them, or those that -n and --min choose.
 * Used by one thread. */
#ifndef HPCPROF_EXPORT_FORMATS_EXPORT_ROWS_H
#define HPCPROF_EXPORT_FORMATS_EXPORT_ROWS_H

#include "hpcprof/export/formats/formats.h"

struct export_rows {
	uint32_t *nodes; /* [len] in the order of the tree; with a node, its parent is there */
	uint32_t *ids;   /* [nodes of the tree] 1 for the first row, and so on; 0: none */
	uint32_t len;
	uint32_t left_out;      /* nodes */
	uint64_t *left_columns; /* [columns] their exclusive values */
};

/* Choose by inclusive values of the first metric. 0, or -1 and *e if memory ran out. */
int export_rows_init(struct export_rows *r, const struct export_data *x, struct error *e);
void export_rows_deinit(struct export_rows *r); /* takes NULL */

#endif
