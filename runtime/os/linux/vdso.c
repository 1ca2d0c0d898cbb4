/* The clock of the vdso, found without the loader: libc's clock_gettime may be replaced by the
 * program's (libfaketime, sanitizers). The names are in vdso(7). */
#include "runtime/os/linux/vdso.h"

#include "runtime/os/linux/call.h"
#include "runtime/os/linux/symbols.h"

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

static clock_fn *find(uintptr_t image)
{
	const ElfW(Ehdr) *e = (const void *)image;
	const ElfW(Phdr) *p = (const void *)(image + e->e_phoff);
	const ElfW(Dyn) *dynamic = NULL;
	uintptr_t base = 0;
	bool loaded = false;

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && !loaded) {
			base = image + p[i].p_offset - p[i].p_vaddr;
			loaded = true;
		} else if (p[i].p_type == PT_DYNAMIC) {
			dynamic = (const void *)(image + p[i].p_offset);
		}
	if (!loaded || !dynamic)
		return NULL;
	struct os_symbols symbols = os_symbols_of(dynamic, base);
	const ElfW(Sym) *clock = os_symbols_find(&symbols, name);
	return clock ? (clock_fn *)(base + clock->st_value) : NULL;
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
