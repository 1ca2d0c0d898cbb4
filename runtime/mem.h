/* Memory of the runtime: the process's store (formats/store.h) and its blocks. Everything
 * here is async-signal-safe. */
#ifndef RUNTIME_MEM_H
#define RUNTIME_MEM_H

#include "formats/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The store of this process, in a file that is made at path; in the process's own memory
 * where path, which must stay, is NULL or no file can be made there. 0, -ENOMEM, or -EEXIST where
 * something stands at path. In a forked child the parent's is dropped first. */
int csprof_store_create(const char *path, uint32_t num_metrics, uint32_t num_events);
/* Unmap it; its file stays. */
void csprof_store_destroy(void);
/* Where its file was made, or NULL if it has none. */
const char *csprof_store_path(void);
/* The descriptor of that file, or -1 where there is none or it was closed. */
int csprof_store_descriptor(void);
/* Is all of it in a file that is there when the process is not? */
bool csprof_store_survives(void);
struct store_header *csprof_store_header(void);
struct store_view csprof_store_view(void);

/* The address of a ref that this process allocated. */
extern uint8_t *csprof_store_blocks[STORE_MAX_BLOCKS];
static inline void *csprof_store_at(store_ref ref)
{
	return csprof_store_blocks[ref / STORE_BLOCK_GRAINS] +
	       (size_t)(ref % STORE_BLOCK_GRAINS) * STORE_GRAIN;
}

/* Take count blocks that stand behind each other, zeroed; the first one's number, or
 * STORE_MAX_BLOCKS where there are no more. There is no way to give them back. */
uint32_t csprof_store_take(uint32_t count);

#endif
