#include "formats/base/arena.h"

#include "formats/base/hash.h"
#include "formats/base/vec.h"

#include <stdbool.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(text, bytes, hash) ((hash) = (unsigned)hash_bytes(text, bytes))
#include <uthash.h>

struct arena_block {
	struct arena_block *older;
	_Alignas(16) char bytes[];
};

/* Of a block; each is as large as all before it. Most datafiles need no more than the first. */
enum { LEAST_BYTES = 32 * 1024 - 64, MOST_BYTES = 256 * 1024 - 64 };

void arena_init(struct arena *a)
{
	memset(a, 0, sizeof *a);
}

void arena_deinit(struct arena *a)
{
	if (!a)
		return;
	while (a->blocks) {
		struct arena_block *older = a->blocks->older;
		free(a->blocks);
		a->blocks = older;
	}
	arena_init(a);
}

/* NULL if memory ran out. */
static char *new_block(struct arena *a, size_t bytes)
{
	struct arena_block *b = malloc(sizeof *b + bytes);

	if (!b)
		return NULL;
	a->total += sizeof *b + bytes;
	b->older = a->blocks;
	a->blocks = b;
	return b->bytes;
}

void *arena_alloc(struct arena *a, size_t size)
{
	if (size > SIZE_MAX - 4096)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (size > a->left) {
		size_t bytes = a->total < LEAST_BYTES  ? LEAST_BYTES
			       : a->total > MOST_BYTES ? MOST_BYTES
						       : a->total & ~(size_t)15;
		bool alone = size > bytes / 4; /* the current block remains in use */
		char *begin = new_block(a, alone ? size : bytes);
		if (!begin || alone)
			return begin ? memset(begin, 0, size) : NULL;
		a->next = begin;
		a->left = bytes;
	}
	void *p = a->next;
	a->next += size;
	a->left -= size;
	return memset(p, 0, size);
}

void arena_adopt(struct arena *a, struct arena *from)
{
	struct arena_block **oldest = &a->blocks;

	while (*oldest)
		oldest = &(*oldest)->older;
	*oldest = from->blocks;
	a->total += from->total;
	arena_init(from);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	if (p && n)
		memcpy(p, s, n);
	return p;
}

struct string_entry {
	UT_hash_handle hh;
	uint32_t id;
	char text[];
};

struct strings {
	struct arena arena;
	struct string_entry *table;
	VEC(const char *) by_id;
};

struct strings *strings_create(void)
{
	return calloc(1, sizeof(struct strings));
}

void strings_destroy(struct strings *p)
{
	if (!p)
		return;
	HASH_CLEAR(hh, p->table);
	vec_free(&p->by_id);
	arena_deinit(&p->arena);
	free(p);
}

uint32_t strings_intern(struct strings *p, const char *s, size_t n)
{
	struct string_entry *e = NULL;
	HASH_FIND(hh, p->table, s, n, e);
	if (e)
		return e->id;
	if (p->by_id.len >= UINT32_MAX || !vec_reserve(&p->by_id, p->by_id.len + 1))
		return UINT32_MAX;
	e = arena_alloc(&p->arena, sizeof *e + n + 1);
	if (!e)
		return UINT32_MAX;
	memcpy(e->text, s, n);
	e->id = (uint32_t)p->by_id.len;
	HASH_ADD_KEYPTR(hh, p->table, e->text, n, e);
	if (!e->hh.tbl)
		return UINT32_MAX;
	p->by_id.at[p->by_id.len++] = e->text;
	return e->id;
}

const char *strings_get(const struct strings *p, uint32_t id)
{
	return p->by_id.at[id];
}
