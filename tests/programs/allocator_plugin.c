/* To be preloaded: an allocator that ends the program if it is given what it did not make. Nothing
 * is used again. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BYTES = 64 << 20, HEAD = 16 };
#define OURS 0x616c6c6f6361746full /* before each piece, and its size */

static uint8_t *from, *to;

static void *take(size_t alignment, size_t bytes)
{
	static size_t used;
	if (!from) {
		void *p =
		    mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		from = p;
		to = from + BYTES;
	}
	if (alignment < HEAD)
		alignment = HEAD;
	size_t whole = (bytes + 2 * alignment + HEAD) & ~(size_t)(HEAD - 1);
	uint8_t *at = from + __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED) + HEAD;
	at += -(uintptr_t)at & (alignment - 1);
	if (at + bytes > to)
		return NULL;
	memcpy(at - HEAD, &(uint64_t[]){OURS, bytes}, HEAD);
	return at;
}

static uint64_t size_of(const void *p)
{
	uint64_t head[2];
	memcpy(head, (const uint8_t *)p - HEAD, sizeof head);
	if (head[0] != OURS)
		abort();
	return head[1];
}

void *malloc(size_t bytes)
{
	return take(HEAD, bytes);
}

void *calloc(size_t n, size_t bytes)
{
	return take(HEAD, n * bytes);
}

void free(void *p)
{
	if (p)
		size_of(p);
}

void *realloc(void *p, size_t bytes)
{
	void *q = take(HEAD, bytes);
	if (p && q) {
		size_t had = size_of(p);
		memcpy(q, p, had < bytes ? had : bytes);
	}
	return q;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return take(alignment, bytes);
}

int posix_memalign(void **p, size_t alignment, size_t bytes)
{
	*p = take(alignment, bytes);
	return *p ? 0 : ENOMEM;
}
