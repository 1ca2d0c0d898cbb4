/* A finished model as one datafile. formats/README.md describes merged files. */
#ifndef HPCPROF_EXPORT_MERGE_H
#define HPCPROF_EXPORT_MERGE_H

#include "formats/base/error.h"
#include "hpcprof/model/model.h"

#include <stdio.h>

/* Write the model to out, as a datafile that can be merged like any other. Reading it makes the
 * same model, except for what is derived from the paths of datafiles. 0, or -1 and *e: memory ran
 * out, or ERROR_USAGE for a model with other frames that came with names than those of an
 * interpreter, regions and labels: they have no addresses. Write
 * errors are in ferror(out). */
int merge_write(FILE *out, const struct model *m, struct error *e);

#endif
