/* The functions of an interpreter that were seen, in the store: store_source and store_code of
 * formats/store/store.h. All is async-signal-safe. */
#ifndef RUNTIME_INTERPRETERS_CODE_H
#define RUNTIME_INTERPRETERS_CODE_H

#include "formats/store/store.h"

#include <stddef.h>
#include <stdint.h>

/* The function with that key, which tells it from others that have been at its place in memory;
 * 0: it is not known. Keys of 0 are not allowed. */
store_ref csprof_code_find(uint64_t key);

struct csprof_code_facts {
	const char *file, *name;
	const uint8_t *lines; /* as in the chunk CODE */
	uint32_t file_bytes, name_bytes, lines_bytes;
	uint32_t line;   /* where it begins; 0: not known */
	uint32_t extent; /* how many addresses it has: at least 1 */
};

/* Add it, unless another thread just does. 0: there is no memory, or there are too many. */
store_ref csprof_code_add(uint64_t key, const struct csprof_code_facts *facts);

/* The ip of its nth address; of the last one if it has not so many. */
uint64_t csprof_code_ip(store_ref code, uint64_t n);

/* The store is new. */
void csprof_code_begin(void);

#endif
