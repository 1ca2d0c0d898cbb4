/* Views of built datafiles against golden outputs, for tests with cmocka, which any failure
 * here fails. GOLDEN_WRITE=1 in the environment writes the golden outputs anew. */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

#include "hpcprof/profile.h"
#include "tests/lib/build_datafile.h"

/* Build a datafile and merge it into the model; it must cause no complaint. */
void golden_add(struct model *m, const struct build_file *f, const char *path);
/* What the command of a line without PROFILEs prints, at that width; freed by the caller. */
char *golden_print(const char *line, unsigned width, const struct profile *p);
/* No line of the text takes more columns. */
void golden_no_line_wider(const char *text, unsigned width);
/* That, and the text is what tests/data/FOLDER/NAME.WIDTH has. */
void golden_check(const char *text, const char *folder, const char *name, unsigned width);

#endif
