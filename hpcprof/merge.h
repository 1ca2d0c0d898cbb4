/* A finished model as one datafile: what formats/README.md says of merged files. */
#ifndef HPCPROF_MERGE_H
#define HPCPROF_MERGE_H

#include "formats/base/error.h"
#include "hpcprof/model.h"

#include <stdio.h>

/* Write the model to out, as a datafile that merges on like any other: read again, it makes the
 * same model, but for what only the paths of datafiles tell. 0, or -1 and *e: want of memory,
 * or ERROR_USAGE for a model with frames that came with names, which have no addresses. What
 * could not be written shows in ferror(out). */
int merge_write(FILE *out, const struct model *m, struct error *e);

#endif
