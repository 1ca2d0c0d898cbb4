/* A folder in /tmp for what a test writes. One at a time; used by one thread. */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include "tests/lib/build_datafile.h"

/* Made, and removed with all that is in it: 0, or not. As set-up and tear-down of cmocka, which
 * gives them a state. */
int scratch_make(void **state);
int scratch_remove(void **state);
const char *scratch_folder(void);
/* A file's path there: one of eight texts that are used in turn. */
char *scratch_path(const char *name);
/* Build a datafile there; its path, as scratch_path. */
char *scratch_datafile(const struct build_file *f, const char *name);

#endif
