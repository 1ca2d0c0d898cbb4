/* A bump allocator for objects that are freed together, and a pool of interned strings on top of
 * it. One owner at a time; no locks; not async-signal-safe (the runtime has its own arena in its
 * store). */
#ifndef FORMATS_BASE_ARENA_H
#define FORMATS_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	char *next;                 /* where the next object goes */
	size_t left;                /* bytes left after next */
	size_t total;               /* bytes taken from malloc */
};

/* An arena that is all zeros is empty and ready. */
void arena_init(struct arena *a);
/* Free everything at once; the arena is empty and ready again. Takes NULL. */
void arena_deinit(struct arena *a);

/* size bytes, zeroed, aligned to 16; NULL if memory ran out. */
void *arena_alloc(struct arena *a, size_t size);
/* Take over all memory of from, which is then empty; objects are not moved. */
void arena_adopt(struct arena *a, struct arena *from);
/* A NUL-terminated copy of n bytes; NULL if memory ran out. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* Interned strings: equal bytes have the same id and the same pointer. Ids count up from 0 in
 * order of first use. */
struct strings;
struct strings *strings_create(void);   /* NULL if memory ran out */
void strings_destroy(struct strings *); /* takes NULL */
/* The id of the n bytes at s (copied); UINT32_MAX if memory ran out. */
uint32_t strings_intern(struct strings *, const char *s, size_t n);
/* The string of an id from strings_intern; NUL-terminated, owned by the pool. */
const char *strings_get(const struct strings *, uint32_t id);

#endif
