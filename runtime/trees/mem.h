/* Memory of the runtime: the process's store (formats/store/store.h) and its blocks. Everything
 * here is async-signal-safe. */
#ifndef RUNTIME_TREES_MEM_H
#define RUNTIME_TREES_MEM_H

#include "formats/store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the store of this process in a new file at path, or in private memory if path is NULL or
 * no file can be made there. path must remain valid. Returns 0, -ENOMEM, -EEXIST if something
 * exists at path, or -EACCES or -ENOENT if no file can be made there for this reason. In a forked
 * child, destroy the parent's store first. */
int csprof_store_create(const char *path, uint32_t num_metrics, uint32_t num_events);
/* Unmap the store; its file remains. */
void csprof_store_destroy(void);
/* The path of its file, or NULL if it has none. */
const char *csprof_store_path(void);
/* The descriptor of that file, or -1 if there is none or it was closed. */
int csprof_store_descriptor(void);
/* Whether the whole store is in a file that outlives the process. */
bool csprof_store_survives(void);
struct store_header *csprof_store_header(void);
struct store_view csprof_store_view(void);

/* The address of a ref in a block that this process allocated. */
extern uint8_t *csprof_store_blocks[STORE_MAX_BLOCKS];
static inline void *csprof_store_at(store_ref ref)
{
	return csprof_store_blocks[ref / STORE_BLOCK_GRAINS] +
	       (size_t)(ref % STORE_BLOCK_GRAINS) * STORE_GRAIN;
}

/* Take count consecutive blocks, zeroed. Returns the number of the first, or STORE_MAX_BLOCKS if
 * there are no more. Blocks cannot be given back. */
uint32_t csprof_store_take(uint32_t count);

#endif
