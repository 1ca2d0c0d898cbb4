/* Reads everything that a reader returns, as a consumer would, and checks that it is consistent.
 * For tests with damaged files and for the fuzzer. */
#ifndef TESTS_LIB_UNIT_WALK_DATAFILE_H
#define TESTS_LIB_UNIT_WALK_DATAFILE_H

#include "reader/reader.h"

/* NULL, or what is wrong with the returned data. Touches every byte. */
const char *walk_reader(const struct reader *r);

/* Open bytes and walk them: NULL, or what is wrong with the reader's result. If it refuses them,
 * the error must have a text and an offset within the file. *opened and *warned (which may be NULL)
 * are set to whether it opened the file, and with a warning. */
const char *walk_bytes(const void *bytes, size_t n, bool *opened, bool *warned);

#endif
