/* The memory and string functions of the C library, for the runtime itself. They are hidden, so
 * our calls, and those that the compiler makes for assignments, come here and never to a function
 * that the program, a sanitizer or another preloaded library has put in place of libc's: such a
 * function may not be ready when our constructor runs, and must not be called by a handler.
 * Async-signal-safe. Declared by <string.h>. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A loop of the kind that memcpy is made of would be compiled to a call of memcpy. */
#if !defined __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

/* Eight bytes at any address, of any type. */
typedef uint64_t word __attribute__((may_alias, aligned(1)));
enum { WORD = sizeof(word) };

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	for (; n >= WORD; n -= WORD, t += WORD, f += WORD)
		*(word *)t = *(const word *)f;
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if ((uintptr_t)t - (uintptr_t)f >= n) { /* no byte is written before it is read */
		for (; n >= WORD; n -= WORD, t += WORD, f += WORD)
			*(word *)t = *(const word *)f;
		while (n--)
			*t++ = *f++;
		return to;
	}
	for (; n >= WORD; n -= WORD)
		*(word *)(t + n - WORD) = *(const word *)(f + n - WORD);
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	unsigned char *t = to;
	word all = (unsigned char)byte * (UINT64_MAX / UINT8_MAX);

	for (; n >= WORD; n -= WORD, t += WORD)
		*(word *)t = all;
	while (n--)
		*t++ = (unsigned char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n >= WORD && *(const word *)x == *(const word *)y; n -= WORD, x += WORD, y += WORD)
		;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *memchr(const void *s, int byte, size_t n)
{
	for (const unsigned char *p = s; n; n--, p++)
		if (*p == (unsigned char)byte)
			return (void *)(uintptr_t)p;
	return NULL;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

size_t strnlen(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int byte)
{
	for (; *s != (char)byte; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}

char *strrchr(const char *s, int byte)
{
	const char *last = NULL;

	for (;; s++) {
		if (*s == (char)byte)
			last = s;
		if (!*s)
			return (char *)(uintptr_t)last;
	}
}

/* The length of the beginning of s whose characters are all in set, or all not. */
static size_t span(const char *s, const char *set, int in)
{
	size_t n = 0;

	while (s[n] && (strchr(set, s[n]) != NULL) == in)
		n++;
	return n;
}

size_t strspn(const char *s, const char *accept)
{
	return span(s, accept, 1);
}

size_t strcspn(const char *s, const char *reject)
{
	return span(s, reject, 0);
}

char *strstr(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (; strncmp(s, part, n) != 0; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}
