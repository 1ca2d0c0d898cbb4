/* Fuzzes the symbolizer with DWARF and symbols that are made from the input, so that what a reader
 * checks first is right: sizes, abbreviations, forms, offsets, line programs, parts of mangled
 * names. What is said with them is the input's, and parts are repeated, so that work that is not
 * linear takes long. See random_dwarf.h. */
#include "tests/fuzz/limits.h"
#include "tests/lib/builders/random_dwarf.h"
#include "tests/lib/unit/symbol_frames.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { NUM_ADDRESSES = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint64_t addresses[NUM_ADDRESSES];
	struct random_dwarf files;
	const char *problem;

	limits_read(random_dwarf_make(&files, bytes, n));
	for (size_t i = 0; i < NUM_ADDRESSES; i++)
		addresses[i] = RANDOM_DWARF_BASE + 3 * i;
	problem = symbol_frames_problem(files.path, addresses, NUM_ADDRESSES);
	if (problem) {
		fprintf(stderr, "fuzz_dwarf: %s\n", problem);
		abort();
	}
	random_dwarf_free(&files);
	return 0;
}
