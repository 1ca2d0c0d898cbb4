/* The clock of the vdso, found without the loader: libc's clock_gettime may be replaced by the
 * program's (libfaketime, sanitizers). The layout is that of any shared object, see elf(5); the
 * names are in vdso(7). */
#include "runtime/os/linux/vdso.h"

#include "runtime/os/linux/call.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#if defined __x86_64__
static const char name[] = "__vdso_clock_gettime";
#else
static const char name[] = "__kernel_clock_gettime";
#endif

typedef int clock_fn(clockid_t clock, struct timespec *t);

/* The tables of its dynamic section. */
struct vdso_tables {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Word) * hash;
	const ElfW(Word) * gnu_hash;
};

/* How many symbols there are: the classic table of hashes tells; of the newer one, the last chain
 * ends with the last symbol. */
static size_t num_symbols(const struct vdso_tables *t)
{
	if (t->hash)
		return t->hash[1];
	if (!t->gnu_hash)
		return 0;
	const ElfW(Word) *h = t->gnu_hash, buckets = h[0], first = h[1], bloom = h[2];
	const ElfW(Word) *bucket = h + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof *h);
	const ElfW(Word) *chain = bucket + buckets;
	size_t last = 0;
	for (size_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return 0;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

static void read_dynamic(struct vdso_tables *t, const ElfW(Dyn) * d, uintptr_t base)
{
	for (; d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)(base + d->d_un.d_ptr);
		if (d->d_tag == DT_SYMTAB)
			t->symbols = at;
		else if (d->d_tag == DT_STRTAB)
			t->names = at;
		else if (d->d_tag == DT_HASH)
			t->hash = at;
		else if (d->d_tag == DT_GNU_HASH)
			t->gnu_hash = at;
	}
}

static clock_fn *find(uintptr_t image)
{
	const ElfW(Ehdr) *e = (const void *)image;
	const ElfW(Phdr) *p = (const void *)(image + e->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	uintptr_t base = 0;
	bool loaded = false;
	struct vdso_tables t = {0};

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && !loaded) {
			base = image + p[i].p_offset - p[i].p_vaddr;
			loaded = true;
		} else if (p[i].p_type == PT_DYNAMIC) {
			dynamic = (const void *)(image + p[i].p_offset);
		}
	if (!loaded || !dynamic)
		return NULL;
	read_dynamic(&t, dynamic, base);
	if (!t.symbols || !t.names)
		return NULL;
	for (size_t i = 0, n = num_symbols(&t); i < n; i++)
		if (t.symbols[i].st_shndx != SHN_UNDEF &&
		    strcmp(t.names + t.symbols[i].st_name, name) == 0)
			return (clock_fn *)(base + t.symbols[i].st_value);
	return NULL;
}

/* The function, or what stands for "there is none" and "not looked for". */
static _Atomic(uintptr_t) found;
enum { NONE = 1 };

int os_vdso_clock(clockid_t clock, struct timespec *t)
{
	uintptr_t f = atomic_load_explicit(&found, memory_order_relaxed);

	if (!f) {
		uintptr_t image = getauxval(AT_SYSINFO_EHDR);
		clock_fn *function = image ? find(image) : NULL;
		f = function ? (uintptr_t)function : NONE;
		atomic_store_explicit(&found, f, memory_order_relaxed);
	}
	if (f == NONE)
		return (int)CALL(SYS_clock_gettime, clock, t);
	return ((clock_fn *)f)(clock, t);
}
