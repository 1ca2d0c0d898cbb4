/* Where a view is written: standard output, or a file that is there as a whole or not at
 * all. Used by one thread. */
#ifndef HPCPROF_OUTPUT_H
#define HPCPROF_OUTPUT_H

#include "formats/base/unfinished.h"

#include <stdio.h>

struct output {
	FILE *file;
	const char *path;        /* NULL: standard */
	struct unfinished whole; /* becomes it in the end; not open: written in place */
};

/* Begin to write to path, which lives as long as *out; NULL: to standard. A file is
 * written beside it and takes its place in output_commit; a device or a pipe is written
 * as it is. 0, or -1 and *e. */
int output_open(struct output *out, FILE *standard, const char *path, struct error *e);
/* All is written: make it last. 0, or -1 and *e; a file that was there before is then
 * still the same. What went wrong with standard is left to who closes it. */
int output_commit(struct output *out, struct error *e);
/* Leave everything as it was before. Nothing happens after output_commit. */
void output_abandon(struct output *out);

#endif
