/* A folder in /tmp for the files of a test. One at a time; used by one thread. */
#ifndef TESTS_LIB_UNIT_SCRATCH_H
#define TESTS_LIB_UNIT_SCRATCH_H

#include "tests/lib/builders/build_datafile.h"

/* Make the folder; remove it with everything in it. 0 if that succeeded. For set-up and tear-down
 * of cmocka, which passes a state. */
int scratch_make(void **state);
int scratch_remove(void **state);
const char *scratch_folder(void);
/* The path of a file there, in one of eight strings that are used in turn. */
char *scratch_path(const char *name);
/* Build a datafile there. Returns its path, as scratch_path. */
char *scratch_datafile(const struct build_file *f, const char *name);

#endif
