/* The names of modules, functions, files and lines, and the order that names give. Ids depend on
 * the order in which datafiles were read; names do not. Strings are clean (see layout_clean) and
 * live in the arena. They are NULL if memory ran out. */
#ifndef HPCPROF_CORRELATE_LABEL_H
#define HPCPROF_CORRELATE_LABEL_H

#include "formats/base/arena.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdint.h>

/* Compare by name, then by other properties: <0, 0, >0. */
int label_compare_modules(const struct model *m, uint32_t a, uint32_t b);
int label_compare_functions(const struct model *m, const struct symbolized *c, uint32_t a,
			    uint32_t b);
int label_compare_files(const struct model *m, const struct symbolized *c, uint32_t a, uint32_t b);
/* Of c->folders, or c->namespaces. */
int label_compare_groups(const struct model *m, const code_groups *groups, uint32_t a, uint32_t b);
int label_compare_lines(const struct model *m, const struct symbolized *c, uint32_t a, uint32_t b);

const char *label_module(const struct model *m, struct arena *a, uint32_t module);
const char *label_module_base(const struct model *m, struct arena *a, uint32_t module);
/* The path, or "(no source) MODULE". */
const char *label_file(const struct model *m, const struct symbolized *c, struct arena *a,
		       uint32_t file);
/* The path, or "(no source) MODULE". */
const char *label_folder(const struct model *m, const struct symbolized *c, struct arena *a,
			 uint32_t folder);
/* The name, or "(no namespace) MODULE". */
const char *label_namespace(const struct model *m, const struct symbolized *c, struct arena *a,
			    uint32_t name_space);
/* "FILE:LINE"; "FILE:?" if the line is not known. */
const char *label_line(const struct model *m, const struct symbolized *c, struct arena *a,
		       uint32_t line);
/* " [inlined]" for a function that was only seen inlined, " [partly inlined]", or "". */
const char *label_inlined(const struct code_function *f);
/* The name followed by label_inlined. */
const char *label_function(const struct symbolized *c, struct arena *a, uint32_t function);

/* A linkage name demangled (symbolize/demangle.h), or the same if that is not possible. Not clean.
 */
const char *label_demangled(struct arena *a, const char *linkage_name);

#endif
