/* Load modules with DWARF 2 to 5 and symbols that are made from any bytes: the same bytes make the
 * same files. The first failure to allocate or write ends the program. */
#ifndef TESTS_RANDOM_DWARF_H
#define TESTS_RANDOM_DWARF_H

#include <stddef.h>
#include <stdint.h>

enum { RANDOM_DWARF_BASE = 0x10000, RANDOM_DWARF_TEXT_BYTES = 0x20000 };
/* A file is at most so large, and repeats parts until then. */
enum { RANDOM_DWARF_MOST = 1 << 18 };

/* A module, and the .dwo file and the alternate file that it names. They are in memory. */
struct random_dwarf {
	char path[32];
	int module, split, alternate;
};

/* Returns the bytes of all files. */
size_t random_dwarf_make(struct random_dwarf *d, const uint8_t *bytes, size_t n);
void random_dwarf_free(struct random_dwarf *d);

#endif
