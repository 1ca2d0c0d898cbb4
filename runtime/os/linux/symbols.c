#include "runtime/os/linux/symbols.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* The loader has replaced the addresses by those in memory, except where it does not write. */
const void *os_dynamic_address(uintptr_t there, uintptr_t base)
{
	return (const void *)(there < base ? base + there : there);
}

struct os_symbols os_symbols_of(const ElfW(Dyn) * d, uintptr_t base)
{
	struct os_symbols s = {0};
	for (; d->d_tag != DT_NULL; d++) {
		const void *at = os_dynamic_address(d->d_un.d_ptr, base);
		if (d->d_tag == DT_SYMTAB)
			s.symbols = at;
		else if (d->d_tag == DT_STRTAB)
			s.names = at;
		else if (d->d_tag == DT_HASH)
			s.hash = at;
		else if (d->d_tag == DT_GNU_HASH)
			s.gnu_hash = at;
	}
	return s;
}

static bool is_it(const struct os_symbols *s, size_t i, const char *name)
{
	const ElfW(Sym) *symbol = &s->symbols[i];
	return symbol->st_shndx != SHN_UNDEF && strcmp(s->names + symbol->st_name, name) == 0;
}

/* Buckets, the first symbol that has a hash, words of the filter and its second shift; the filter;
 * for each bucket its first symbol; for each symbol its hash, in which bit 0 is set for the last
 * one of a bucket. */
static const ElfW(Sym) * find_gnu(const struct os_symbols *s, const char *name)
{
	enum { BITS = sizeof(ElfW(Addr)) * CHAR_BIT, HEAD = 4 };
	const ElfW(Word) *h = s->gnu_hash, buckets = h[0], first = h[1], words = h[2];
	const ElfW(Addr) *filter = (const void *)(h + HEAD);
	const ElfW(Word) *bucket = (const void *)(filter + words), *chain = bucket + buckets;
	uint32_t hash = 5381;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	if (!buckets || !words)
		return NULL;
	ElfW(Addr) bits = filter[hash / BITS % words];
	if (!(bits >> hash % BITS & bits >> (hash >> h[3]) % BITS & 1))
		return NULL;
	size_t i = bucket[hash % buckets];
	if (i < first)
		return NULL;
	do
		if ((chain[i - first] | 1) == (hash | 1) && is_it(s, i, name))
			return &s->symbols[i];
	while (!(chain[i++ - first] & 1));
	return NULL;
}

void os_symbols_each(const struct os_symbols *s, void (*each)(const ElfW(Sym) *, void *), void *arg)
{
	enum { HEAD = 4 };
	const ElfW(Word) *h = s->gnu_hash;
	if (!s->symbols || !s->names || !h)
		return;
	const ElfW(Addr) *filter = (const void *)(h + HEAD);
	const ElfW(Word) *bucket = (const void *)(filter + h[2]), *chain = bucket + h[0];
	for (ElfW(Word) b = 0; b < h[0]; b++) {
		size_t i = bucket[b];
		if (i < h[1])
			continue;
		do
			each(&s->symbols[i], arg);
		while (!(chain[i++ - h[1]] & 1));
	}
}

/* Buckets, symbols; for each bucket its first symbol; for each symbol the next one. */
static const ElfW(Sym) * find_classic(const struct os_symbols *s, const char *name)
{
	const ElfW(Word) *h = s->hash, buckets = h[0], *bucket = h + 2, *chain = bucket + buckets;
	uint32_t hash = 0;
	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (uint8_t)*c;
		uint32_t high = hash & 0xf0000000;
		hash = (hash ^ high >> 24) & ~high;
	}
	if (!buckets)
		return NULL;
	for (ElfW(Word) i = bucket[hash % buckets]; i != STN_UNDEF; i = chain[i])
		if (is_it(s, i, name))
			return &s->symbols[i];
	return NULL;
}

const ElfW(Sym) * os_symbols_find(const struct os_symbols *s, const char *name)
{
	if (!s->symbols || !s->names)
		return NULL;
	if (s->gnu_hash)
		return find_gnu(s, name);
	return s->hash ? find_classic(s, name) : NULL;
}
