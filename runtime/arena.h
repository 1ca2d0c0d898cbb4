/* Arenas in the store: each thread has one, so that nothing on the sample path locks or
 * calls malloc. Everything here is async-signal-safe. */
#ifndef RUNTIME_ARENA_H
#define RUNTIME_ARENA_H

#include "runtime/mem.h"

#include <stddef.h>
#include <stdint.h>

/* A thread's current run of blocks. Used by its owner only. */
struct csprof_arena {
	store_ref next; /* where the next object goes */
	size_t left;    /* bytes left behind next */
	uint32_t grow;  /* blocks to take next time */
};

/* Set an arena up whose first run of blocks has room for first bytes (0: the
 * smallest). Takes no memory yet. */
void csprof_arena_init(struct csprof_arena *a, size_t first);
/* size zeroed bytes in the store, aligned to 16; 0 where memory or the store has
 * run out. (The classic name is csprof_malloc.) */
store_ref csprof_malloc(struct csprof_arena *a, size_t size);
/* A store_string of n bytes; 0 as above. */
store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n);

#endif
