/* Functions that load modules import from others, and those that this library exports. A module has
 * the address of each function that it imports in a word of its own, which the loader fills at once
 * or at the first call (System V ABI, "Global Offset Table"; relocations of the kinds in port.h).
 */
#include "runtime/cpu/port.h"
#include "runtime/os/linux/symbols.h"
#include "runtime/os/os.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* A module; what the loader makes read-only when it has filled it. */
struct import_module {
	uintptr_t base, low, high;
	uintptr_t relro_low, relro_high;
	const ElfW(Dyn) * dynamic;
	bool ours;
};

static struct import_module object_of(const struct dl_phdr_info *info)
{
	struct import_module o = {.base = info->dlpi_addr, .low = UINTPTR_MAX};
	uintptr_t here = (uintptr_t)os_imports;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = o.base + p->p_vaddr;
		if (p->p_type == PT_DYNAMIC)
			o.dynamic = (const void *)at;
		if (p->p_type == PT_GNU_RELRO) {
			o.relro_low = at;
			o.relro_high = at + p->p_memsz;
		}
		if (p->p_type != PT_LOAD)
			continue;
		o.low = at < o.low ? at : o.low;
		o.high = at + p->p_memsz > o.high ? at + p->p_memsz : o.high;
	}
	o.ours = here >= o.low && here < o.high;
	return o;
}

/* ---- changing a word ------------------------------------------------------------------------ */

enum import_access { WRITABLE, READ_ONLY, NOT_KNOWN };

/* Whether its page may be written, by writing the highest byte, which is zero in each address of a
 * program, again: others may change the word meanwhile. */
static enum import_access access_of(void **at)
{
	char zero = 0, *highest = (char *)(at + 1) - 1;
	struct iovec from = {&zero, 1}, to = {highest, 1};
	long r = *highest ? -EINVAL
			  : csprof_raw_call(SYS_process_vm_writev, os_pid(), (long)&from, 1,
					    (long)&to, 1, 0);
	return r == 1 ? WRITABLE : r == -EFAULT ? READ_ONLY : NOT_KNOWN;
}

static bool protect(void **at, int protection)
{
	uintptr_t bytes = getauxval(AT_PAGESZ), page = (uintptr_t)at & ~(bytes - 1);
	return csprof_raw_call(SYS_mprotect, (long)page, (long)bytes, protection, 0, 0, 0) == 0;
}

/* The loader has made the page read-only, or never will: one of a module that another thread is
 * just loading is writable, and must remain so. Where the kernel does not tell, such words are left
 * as they are. */
static void put(const struct import_module *o, void **at, void *value, bool may_ask)
{
	enum { READ = 1, WRITE = 2 };
	bool relro = (uintptr_t)at >= o->relro_low && (uintptr_t)at < o->relro_high;
	enum import_access is = !relro ? WRITABLE : may_ask ? access_of(at) : NOT_KNOWN;
	if (is == NOT_KNOWN || (is == READ_ONLY && !protect(at, READ | WRITE)))
		return;
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
	if (is == READ_ONLY)
		protect(at, READ);
}

/* ---- imports -------------------------------------------------------------------------------- */

struct change {
	void *(*what)(const struct os_import *, void *);
	void *arg;
	bool may_ask;
};

static void each_import(const struct import_module *o, const struct os_symbols *s,
			const ElfW(Rela) * r, size_t n, const struct change *c)
{
	for (; n > 0; n--, r++) {
		bool slot = ELF64_R_TYPE(r->r_info) == CSPROF_RELOC_SLOT;
		const ElfW(Sym) *symbol = &s->symbols[ELF64_R_SYM(r->r_info)];
		uintptr_t at = o->base + r->r_offset;
		if ((!slot && ELF64_R_TYPE(r->r_info) != CSPROF_RELOC_DATA) || at < o->low ||
		    at >= o->high || at % sizeof(void *) || symbol->st_shndx != SHN_UNDEF)
			continue;
		struct os_import import = {.name = s->names + symbol->st_name, .at = (void **)at};
		import.now = __atomic_load_n(import.at, __ATOMIC_ACQUIRE);
		import.unbound =
		    slot && (uintptr_t)import.now >= o->low && (uintptr_t)import.now < o->high;
		void *value = c->what(&import, c->arg);
		if (value && value != import.now)
			put(o, import.at, value, c->may_ask);
	}
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct import_module o = object_of(info);
	const ElfW(Rela) *data = NULL, *slots = NULL;
	size_t data_bytes = 0, slots_bytes = 0;
	(void)size;
	if (o.ours || !o.dynamic)
		return 0;
	struct os_symbols s = os_symbols_of(o.dynamic, o.base);
	for (const ElfW(Dyn) *d = o.dynamic; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_RELA)
			data = os_dynamic_address(d->d_un.d_ptr, o.base);
		else if (d->d_tag == DT_RELASZ)
			data_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			slots = os_dynamic_address(d->d_un.d_ptr, o.base);
		else if (d->d_tag == DT_PLTRELSZ)
			slots_bytes = d->d_un.d_val;
	if (!s.symbols || !s.names)
		return 0;
	if (data)
		each_import(&o, &s, data, data_bytes / sizeof *data, arg);
	if (slots)
		each_import(&o, &s, slots, slots_bytes / sizeof *slots, arg);
	return 0;
}

void os_imports(void *(*what)(const struct os_import *, void *), void *arg, bool filtered)
{
	struct change c = {what, arg, !filtered};
	os_each_object(visit, &c);
}

/* ---- exports -------------------------------------------------------------------------------- */

struct export_search {
	void (*each)(const char *, void *, void *);
	void *arg;
	const struct os_symbols *symbols;
	uintptr_t base;
};

static void tell(const ElfW(Sym) * symbol, void *arg)
{
	const struct export_search *s = arg;
	if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF)
		s->each(s->symbols->names + symbol->st_name, (void *)(s->base + symbol->st_value),
			s->arg);
}

static int visit_ours(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct export_search *search = arg;
	struct import_module o = object_of(info);
	(void)size;
	if (!o.ours || !o.dynamic)
		return 0;
	struct os_symbols s = os_symbols_of(o.dynamic, o.base);
	search->symbols = &s;
	search->base = o.base;
	os_symbols_each(&s, tell, search);
	return 1;
}

void os_exports(void (*each)(const char *name, void *function, void *arg), void *arg)
{
	struct export_search s = {.each = each, .arg = arg};
	os_each_object(visit_ours, &s);
}
