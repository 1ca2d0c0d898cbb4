/* What holds for every table of symbolize_module, whatever the module is. */
#ifndef TESTS_LIB_UNIT_SYMBOL_FRAMES_H
#define TESTS_LIB_UNIT_SYMBOL_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* Resolve addresses of the module. What does not hold, or NULL: each has frames with names, of
 * which the outermost is not inlined. */
const char *symbol_frames_problem(const char *path, const uint64_t *addresses, size_t n);

#endif
