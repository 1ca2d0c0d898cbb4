#include "tests/lib/unit/failing_alloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

/* The linker's --wrap turns malloc into __wrap_malloc and __real_malloc into malloc. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static unsigned long asked, fail_at;
static long live;
static size_t in_use, peak;

void failing_alloc_start(unsigned long n)
{
	asked = 0;
	fail_at = n;
	live = 0;
	in_use = peak = 0;
}

unsigned long failing_alloc_count(void)
{
	return asked;
}

long failing_alloc_live(void)
{
	return live;
}

size_t failing_alloc_peak(void)
{
	return peak;
}

static bool refuse(void)
{
	if (++asked != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

static void *came(void *p)
{
	if (!p)
		return NULL;
	live++;
	in_use += malloc_usable_size(p);
	if (in_use > peak)
		peak = in_use;
	return p;
}

static void goes(void *p)
{
	if (!p)
		return;
	live--;
	in_use -= malloc_usable_size(p);
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : came(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : came(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	if (refuse())
		return NULL;
	size_t before = old ? malloc_usable_size(old) : 0;
	void *p = __real_realloc(old, size);
	if (!p)
		return NULL;
	if (old)
		live--;
	in_use -= before;
	return came(p);
}

void __wrap_free(void *p)
{
	goes(p);
	__real_free(p);
}
