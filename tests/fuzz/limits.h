/* The work and memory that a fuzz target may take for an input: linear in the bytes that it reads.
 * An input that takes more is a finding, as a crash is. The limits are of a build with sanitizers,
 * and several times what any input is known to take.
 *
 * Each target is built with its LLVMFuzzerTestOneInput under the name limits_target, which is
 * called between the clocks. */
#ifndef TESTS_FUZZ_LIMITS_H
#define TESTS_FUZZ_LIMITS_H

#include <stddef.h>

/* The target reads this many bytes, not those of the input: it makes files of it. */
void limits_read(size_t bytes);

#endif
