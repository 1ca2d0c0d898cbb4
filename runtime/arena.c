#include "runtime/arena.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_GROW = 16 }; /* blocks: runs double from one block to 1 MB */

void csprof_arena_init(struct csprof_arena *a, size_t first)
{
	memset(a, 0, sizeof *a);
	a->grow = (uint32_t)((first + STORE_BLOCK - 1) / STORE_BLOCK);
	if (a->grow == 0)
		a->grow = 1;
}

static bool refill(struct csprof_arena *a, size_t size)
{
	uint32_t need = (uint32_t)((size + STORE_BLOCK - 1) / STORE_BLOCK);
	uint32_t count = need > a->grow ? need : a->grow;
	uint32_t first = csprof_store_take(count);
	if (first == STORE_MAX_BLOCKS && count > need)
		first = csprof_store_take(count = need); /* little memory is left: take less */
	if (first == STORE_MAX_BLOCKS)
		return false;
	a->next = first * STORE_BLOCK_GRAINS;
	a->left = (size_t)count * STORE_BLOCK;
	if (a->grow < MAX_GROW)
		a->grow *= 2;
	return true;
}

store_ref csprof_malloc(struct csprof_arena *a, size_t size)
{
	size = (size + STORE_GRAIN - 1) & ~(size_t)(STORE_GRAIN - 1);
	if (size > a->left && (size > (size_t)STORE_BLOCK * 1024 || !refill(a, size)))
		return 0;
	store_ref ref = a->next;
	a->next += (store_ref)(size / STORE_GRAIN);
	a->left -= size;
	return ref;
}

store_ref csprof_store_string(struct csprof_arena *a, const char *bytes, size_t n)
{
	store_ref ref = csprof_malloc(a, sizeof(struct store_string) + n);
	if (ref) {
		struct store_string *s = csprof_store_at(ref);
		s->n = (uint32_t)n;
		memcpy(s->bytes, bytes, n);
	}
	return ref;
}
