/* Compares views of built datafiles with golden outputs, in tests with cmocka, which fail on any
 * difference. With GOLDEN_WRITE=1 in the environment the golden outputs are written instead. */
#ifndef TESTS_LIB_UNIT_GOLDEN_H
#define TESTS_LIB_UNIT_GOLDEN_H

#include "hpcprof/load/profile.h"
#include "tests/lib/builders/build_datafile.h"

/* Build a datafile and merge it into the model; it must cause no complaint. */
void golden_add(struct model *m, const struct build_file *f, const char *path);
/* The output of a command line without PROFILEs, at that width; the caller frees it. */
char *golden_print(const char *line, unsigned width, const struct profile *p);
/* Check that no line of the text takes more columns. */
void golden_no_line_wider(const char *text, unsigned width);
/* Check this, and that the text is the same as in tests/data/FOLDER/NAME.WIDTH. */
void golden_check(const char *text, const char *folder, const char *name, unsigned width);

#endif
