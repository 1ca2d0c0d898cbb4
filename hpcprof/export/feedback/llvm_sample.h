/* The text format of LLVM's sample profiles ("Sample Profile Text Format" in Clang's user manual,
 * which llvm-profdata reads): a line for each function, with a line for each of its places, and
 * what was inlined there indented below it.
 *
 * With contexts it is the context-sensitive form, as LLVM's SampleProfReader.h describes it: each
 * function, also one that was inlined, has its line in brackets after the functions that led to it
 * and the places of their calls. */
#ifndef HPCPROF_EXPORT_FEEDBACK_LLVM_SAMPLE_H
#define HPCPROF_EXPORT_FEEDBACK_LLVM_SAMPLE_H

#include "formats/base/error.h"
#include "hpcprof/export/feedback/locations.h"

#include <stdio.h>

/* Write finished locations. A function's total is its samples (with contexts, without those of what
 * was inlined); counts are scaled. 0, or -1 and *e
 * if memory ran out. */
int llvm_sample_write(FILE *out, const struct locations *l, struct error *e);

#endif
