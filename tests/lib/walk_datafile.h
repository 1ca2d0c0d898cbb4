/* Read all that a reader gives, as a consumer would, and check that it hangs
 * together: for tests with damaged files and for the fuzzer. */
#ifndef TESTS_LIB_WALK_DATAFILE_H
#define TESTS_LIB_WALK_DATAFILE_H

#include "reader/reader.h"

/* NULL, or what a reader must never give. Touches every byte handed out. */
const char *walk_reader(const struct reader *r);

/* Open bytes and walk them: NULL, or what is wrong with the reader's answer. A
 * refusal must have a text and an offset within the file. *opened and *warned
 * (which may be NULL) say how the reader took it. */
const char *walk_bytes(const void *bytes, size_t n, bool *opened, bool *warned);

#endif
