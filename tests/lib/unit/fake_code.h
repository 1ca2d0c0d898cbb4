/* Names for the frames of a model without ELF files: the bits of an address give the functions
 * there, so that a test knows what attribution should find.
 *
 *     bits  0-3   any (FAKE_CODE's addresses have 0; a call's return address + 0..15)
 *     bits  4-9   function that the code belongs to, innermost, counted from 1; 0 is 1
 *     bits 10-15  function that it was inlined into, or 0 if the first is no inline
 *     bits 16-21  function that that was inlined into, or 0
 *     bits 22-27  line within the innermost function
 *
 * The file of function f is "f<(f - 1) / 2>.c", the line is f * 100 + the bits' line; outer
 * functions of a chain are at line f * 100. */
#ifndef TESTS_LIB_UNIT_FAKE_CODE_H
#define TESTS_LIB_UNIT_FAKE_CODE_H

#include "hpcprof/correlate/correlate.h"

#define FAKE_CODE(inner, into, outer, line)                                                        \
	((uint64_t)(inner) << 4 | (uint64_t)(into) << 10 | (uint64_t)(outer) << 16 |               \
	 (uint64_t)(line) << 22)

enum { FAKE_LONGEST_CHAIN = 3, FAKE_FUNCTIONS = 63 };

/* The functions of an address, innermost first; returns how many. */
unsigned fake_chain(uint64_t address, unsigned functions[FAKE_LONGEST_CHAIN]);
unsigned fake_line(uint64_t address);

/* Fill *out for a finished model. names[f - 1] is the name of function f in every module. Functions
 * of different modules are different. Free it with symbolized_deinit, before names. If memory runs
 * out, the test ends. */
void fake_code(const struct model *m, const char *const *names, struct symbolized *out);

#endif
