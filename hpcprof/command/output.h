/* Where a view is written: standard output, or a file that appears complete or not at all. Used by
 * one thread. */
#ifndef HPCPROF_OUTPUT_H
#define HPCPROF_OUTPUT_H

#include "formats/base/atomic_file.h"

#include <stdio.h>

struct output {
	FILE *file;
	const char *path;         /* NULL: standard output */
	struct atomic_file whole; /* replaces path in the end; not open: path is written directly */
};

/* Begin to write to path, which must outlive *out; NULL: to standard, which may be NULL otherwise.
 * A regular file is written beside path and replaces it in output_commit. A device or a FIFO is
 * written directly, and so is what standard writes to, under any name. It waits at most a second
 * for who reads a FIFO; block devices and sockets are refused. 0, or -1 and *e. */
int output_open(struct output *out, FILE *standard, const char *path, struct error *e);
/* Finish the output. 0, or -1 and *e; then a file that existed before is unchanged. Errors on
 * standard are left to the caller, which closes it. */
int output_commit(struct output *out, struct error *e);
/* Discard the output; an existing file is unchanged. Does nothing after output_commit. */
void output_abandon(struct output *out);

#endif
