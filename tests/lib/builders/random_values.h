/* Random values of instructions for the files that unit/merge.c merges. */
#ifndef TESTS_LIB_BUILDERS_RANDOM_VALUES_H
#define TESTS_LIB_BUILDERS_RANDOM_VALUES_H

#include "tests/lib/builders/build_datafile.h"

enum { BUILD_VALUED_FILES = 16 };

/* Those of a file, which must be less than BUILD_VALUED_FILES: at the same places in some files, in
 * full lists and others, more different ones than a row has, numbers and addresses of code. Even
 * files are of epoch 0, with code at 0x500000 and 0x7f0000000000, odd ones of epoch 1, at 0x600000
 * and 0x7f1111110000. */
const struct build_windows *build_random_values(unsigned file);

#endif
