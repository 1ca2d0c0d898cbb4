/* Arenas in the store. Each thread has its own, so that nothing on the sample path waits for a
 * lock or calls malloc.
 *
 * An arena takes memory in pieces: pieces that other arenas have given back if one fits, else
 * new blocks. The first piece is small, because many threads have few samples or none. Each
 * further piece is twice as large, up to 1 MB. Everything here is async-signal-safe. */
#ifndef RUNTIME_TREES_ARENA_H
#define RUNTIME_TREES_ARENA_H

#include "runtime/trees/mem.h"

#include <stddef.h>
#include <stdint.h>

/* Used by its owner only. */
struct csprof_arena {
	store_ref next;   /* where the next object goes */
	size_t left;      /* bytes left after next */
	size_t want;      /* bytes to take next time */
	store_ref pieces; /* its pieces, newest first */
};

/* Set up an arena whose first piece has room for first bytes (0: the smallest size). Takes no
 * memory yet. */
void csprof_arena_init(struct csprof_arena *a, size_t first);
/* Allocate size zeroed bytes in the store, aligned to 16. Returns 0 if there is no memory or the
 * store is full. (csprof_malloc is the classic name.) */
store_ref csprof_malloc(struct csprof_arena *a, size_t size);
/* Allocate a store_string of n bytes; 0 as above. */
store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n);

/* The owner is done, and its objects remain: give back the unused memory after them. The arena
 * must be set up again before it is used. */
void csprof_arena_keep(struct csprof_arena *a);
/* The same if nothing refers to its objects any more: give back all memory, zeroed. */
void csprof_arena_recycle(struct csprof_arena *a);
/* The store is new: make the rest of its first block, after the header, the first free piece, so
 * that an image with few samples maps one block and not two. */
void csprof_arena_begin(void);
/* The store is gone: forget all pieces that were given back. */
void csprof_arena_forget(void);

#endif
