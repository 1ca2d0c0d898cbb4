/* Arenas in the store: each thread has one, so that nothing on the sample path waits for a
 * lock or calls malloc.
 *
 * An arena takes its memory in pieces: what others have given back where something fits,
 * else new blocks. The first piece is small, since many threads have few samples or none;
 * each further one is twice as large, up to 1 MB. Everything here is async-signal-safe. */
#ifndef RUNTIME_ARENA_H
#define RUNTIME_ARENA_H

#include "runtime/mem.h"

#include <stddef.h>
#include <stdint.h>

/* Used by its owner only. */
struct csprof_arena {
	store_ref next;   /* where the next object goes */
	size_t left;      /* bytes left behind next */
	size_t want;      /* bytes to take next time */
	store_ref pieces; /* all that it holds, newest first */
};

/* Set an arena up whose first piece has room for first bytes (0: the smallest). Takes no
 * memory yet. */
void csprof_arena_init(struct csprof_arena *a, size_t first);
/* size zeroed bytes in the store, aligned to 16; 0 where memory or the store has
 * run out. (The classic name is csprof_malloc.) */
store_ref csprof_malloc(struct csprof_arena *a, size_t size);
/* A store_string of n bytes; 0 as above. */
store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n);

/* The owner is done, and its objects stay: give back what is left behind them. The arena
 * may not be used any more until it is set up again. */
void csprof_arena_keep(struct csprof_arena *a);
/* The same where nothing leads to its objects any more: give all memory back, zeroed. */
void csprof_arena_recycle(struct csprof_arena *a);
/* The store is new: what its header leaves of the first block is the first piece to be had, so
 * that an image with few samples maps one block and not two. */
void csprof_arena_begin(void);
/* The store is gone, and with it all that was given back. */
void csprof_arena_forget(void);

#endif
