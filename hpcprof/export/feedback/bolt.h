/* The profile of BOLT without branch records ("no_lbr" of llvm-bolt's -data): a line for each
 * address with its samples, as an offset in a symbol. */
#ifndef HPCPROF_EXPORT_FEEDBACK_BOLT_H
#define HPCPROF_EXPORT_FEEDBACK_BOLT_H

#include "hpcprof/export/feedback/code.h"

#include <stdio.h>

/* Write a module's samples. Returns how many were written: the rest has no symbol. */
uint64_t bolt_write(FILE *out, const struct feedback_module *m);

#endif
