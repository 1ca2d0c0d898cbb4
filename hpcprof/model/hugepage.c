#include "hpcprof/model/hugepage.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	WORTH = 4 << 20, /* bytes from which large pages are useful */
	LARGE_PAGE = 2 << 20,
	SMALL_PAGE = 4096,
};

void *hugepage_advise(void *at, size_t bytes)
{
	uintptr_t from = ((uintptr_t)at + SMALL_PAGE - 1) & ~(uintptr_t)(SMALL_PAGE - 1);
	uintptr_t end = ((uintptr_t)at + bytes) & ~(uintptr_t)(SMALL_PAGE - 1);

	if (at && bytes >= WORTH)
		madvise((void *)from, end - from, MADV_HUGEPAGE); /* may fail: it is only advice */
	return at;
}

void *hugepage_alloc(size_t bytes)
{
	if (bytes < WORTH || bytes > SIZE_MAX - LARGE_PAGE)
		return malloc(bytes);
	bytes = (bytes + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
	return hugepage_advise(aligned_alloc(LARGE_PAGE, bytes), bytes);
}

void *hugepage_zeroed(size_t bytes)
{
	void *p = bytes < WORTH ? calloc(1, bytes) : hugepage_alloc(bytes);

	return p && bytes >= WORTH ? memset(p, 0, bytes) : p;
}
