/* The text format of LLVM's sample profiles ("Sample Profile Text Format" in Clang's user manual,
 * which llvm-profdata reads): a line for each function, with a line for each of its places, and
 * what was inlined there indented below it. */
#ifndef HPCPROF_EXPORT_FEEDBACK_LLVM_SAMPLE_H
#define HPCPROF_EXPORT_FEEDBACK_LLVM_SAMPLE_H

#include "formats/base/error.h"
#include "hpcprof/export/feedback/locations.h"

#include <stdio.h>

/* Write finished locations. A function's total is its samples; counts are scaled. 0, or -1 and *e
 * if memory ran out. */
int llvm_sample_write(FILE *out, const struct locations *l, struct error *e);

#endif
