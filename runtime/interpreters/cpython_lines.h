/* The lines of CPython's functions, as the chunk CODE has them (formats/README.md). The tables are
 * described in CPython's sources: Objects/lnotab_notes.txt (up to 3.10), Objects/locations.md
 * (from 3.11 on). Async-signal-safe; memory is read from the table alone. */
#ifndef RUNTIME_INTERPRETERS_CPYTHON_LINES_H
#define RUNTIME_INTERPRETERS_CPYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

enum cpython_table {
	CPYTHON_LNOTAB,    /* 3.8 and 3.9 */
	CPYTHON_LINETABLE, /* 3.10 */
	CPYTHON_LOCATIONS  /* 3.11 and later */
};

struct cpython_code_lines {
	enum cpython_table kind;
	const uint8_t *table;
	size_t table_bytes;
	uint32_t first; /* line */
	uint32_t units; /* of the function's code, 2 bytes each */
};

/* Returns the number of bytes in out. What there is no room for has no line. Instructions without a
 * line have that of the one before. */
size_t csprof_cpython_lines(const struct cpython_code_lines *c, uint8_t *out, size_t room);

#endif
