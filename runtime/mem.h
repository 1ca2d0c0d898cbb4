/* Memory of the runtime: the process's store (formats/store.h) and an arena in it
 * for each thread, so that nothing on the sample path locks or calls malloc.
 * There is no free. Everything here is async-signal-safe. */
#ifndef RUNTIME_MEM_H
#define RUNTIME_MEM_H

#include "formats/store.h"

#include <stddef.h>
#include <stdint.h>

/* A thread's current run of blocks. Used by its owner only. */
struct csprof_arena {
	store_ref next; /* where the next object goes */
	size_t left;    /* bytes left behind next */
	uint32_t grow;  /* blocks to take next time */
};

/* The store of this process. In a forked child the parent's is dropped first. */
int csprof_store_create(uint32_t num_metrics, uint32_t num_events); /* 0 or -errno */
void csprof_store_destroy(void);
struct store_header *csprof_store_header(void);
struct store_view csprof_store_view(void);

/* The address of a ref that this process allocated. */
extern uint8_t *csprof_store_blocks[STORE_MAX_BLOCKS];
static inline void *csprof_store_at(store_ref ref)
{
	return csprof_store_blocks[ref / STORE_BLOCK_GRAINS] +
	       (size_t)(ref % STORE_BLOCK_GRAINS) * STORE_GRAIN;
}

/* Set an arena up whose first run of blocks has room for first bytes (0: the
 * smallest). Takes no memory yet. */
void csprof_arena_init(struct csprof_arena *a, size_t first);
/* size zeroed bytes in the store, aligned to 16; 0 where memory or the store has
 * run out. (The classic name is csprof_malloc.) */
store_ref csprof_malloc(struct csprof_arena *a, size_t size);
/* A store_string of n bytes; 0 as above. */
store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n);

#endif
