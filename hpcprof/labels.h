/* What modules, functions, files and lines are called, and the order that their names give.
 * Ids depend on the order in which datafiles were read; names do not. Texts are clean, live in
 * the arena, and are NULL if memory ran out. */
#ifndef HPCPROF_LABELS_H
#define HPCPROF_LABELS_H

#include "formats/base/arena.h"
#include "hpcprof/correlate.h"
#include "hpcprof/model.h"

#include <stdint.h>

/* By name, then by whatever tells two of them apart: <0, 0, >0. */
int label_compare_modules(const struct model *m, uint32_t a, uint32_t b);
int label_compare_functions(const struct model *m, const struct code *c, uint32_t a, uint32_t b);
int label_compare_files(const struct model *m, const struct code *c, uint32_t a, uint32_t b);
int label_compare_lines(const struct model *m, const struct code *c, uint32_t a, uint32_t b);

const char *label_module(const struct model *m, struct arena *a, uint32_t module);
const char *label_module_base(const struct model *m, struct arena *a, uint32_t module);
/* The path, or "(no source) MODULE". */
const char *label_file(const struct model *m, const struct code *c, struct arena *a, uint32_t file);
/* "FILE:LINE"; "FILE:?" for code of a file whose line is not known. */
const char *label_line(const struct model *m, const struct code *c, struct arena *a, uint32_t line);
/* " [inlined]" for a function seen only so, " [partly inlined]", or "". */
const char *label_inlined(const struct code_function *f);
/* The name with that mark. */
const char *label_function(const struct code *c, struct arena *a, uint32_t function);

#endif
