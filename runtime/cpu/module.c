#include "runtime/cpu/module.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/cpu/cpu.h"

/* Program headers are only searched in the first page, where linkers put them. */
#define HEADER_BYTES 4096

static const struct csprof_module_table *modules;

void csprof_unwind_set_modules(const struct csprof_module_table *table)
{
	__atomic_store_n(&modules, table, __ATOMIC_RELEASE);
}

static bool find_in_table(uintptr_t address, struct csprof_module *module)
{
	const struct csprof_module_table *table = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
	size_t low = 0, high = table ? table->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct csprof_module_range *range = &table->range[middle];

		if (address < range->start) {
			high = middle;
		} else if (address >= range->end) {
			low = middle + 1;
		} else {
			module->start = range->start;
			module->end = range->end;
			module->eh_frame_hdr = range->eh_frame_hdr;
			return true;
		}
	}
	return false;
}

/* The macro is defined if the C library's headers have the function (glibc 2.35). The library at
 * run time may lack it, so the symbol is weak. In a static program it reports only the segment
 * that contains the code. */
#if defined(DLFO_STRUCT_HAS_EH_DBASE) && !defined(CSPROF_STATIC)
#pragma weak _dl_find_object

static bool find_in_loader(uintptr_t address, struct csprof_module *module)
{
	struct dl_find_object object;

	if (!_dl_find_object || _dl_find_object((void *)address, &object) != 0)
		return false;
	module->start = (uintptr_t)object.dlfo_map_start;
	module->end = (uintptr_t)object.dlfo_map_end;
	module->eh_frame_hdr = object.dlfo_eh_frame;
	return true;
}

bool csprof_unwind_needs_modules(void)
{
	return !_dl_find_object;
}
#else
bool csprof_unwind_needs_modules(void)
{
	return true;
}

static bool find_in_loader(uintptr_t address, struct csprof_module *module)
{
	(void)address;
	(void)module;
	return false;
}
#endif

/* For a module with gaps between its segments the loader reports one segment only, which does
 * not contain the unwind information. */
static bool is_whole(const struct csprof_module *module)
{
	uintptr_t header = (uintptr_t)module->eh_frame_hdr;

	return header == 0 || (header >= module->start && header < module->end);
}

bool csprof_module_find(uintptr_t address, struct csprof_module *module)
{
	if (!find_in_loader(address, module))
		return find_in_table(address, module);
	if (!is_whole(module))
		find_in_table(address, module); /* if it is not there, use the loader's answer */
	return true;
}

bool csprof_same_module(uintptr_t a, uintptr_t b)
{
	struct csprof_module module;

	return csprof_module_find(a, &module) && b >= module.start && b < module.end;
}

bool csprof_module_headers(const struct csprof_module *module, struct csprof_headers *headers)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)module->start;

	if (module->start % sizeof(uintptr_t) != 0 || module->end - module->start < HEADER_BYTES ||
	    memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phoff > HEADER_BYTES ||
	    ehdr->e_phoff % sizeof(uintptr_t) != 0 ||
	    ehdr->e_phnum > (HEADER_BYTES - ehdr->e_phoff) / sizeof(Elf64_Phdr))
		return false;
	headers->first = (const Elf64_Phdr *)(module->start + ehdr->e_phoff);
	headers->count = ehdr->e_phnum;
	for (unsigned i = 0; i < headers->count; i++) {
		const Elf64_Phdr *p = &headers->first[i];

		if (p->p_type != PT_LOAD)
			continue;
		/* The extent begins at the page of the first segment; 4096 is the smallest page
		 * size of all ports. */
		headers->bias = module->start - (p->p_vaddr & ~(uintptr_t)4095);
		return true;
	}
	return false;
}

bool csprof_module_segment(const struct csprof_module *module, uintptr_t address, bool executable,
			   struct csprof_extent *extent)
{
	struct csprof_headers headers;

	extent->start = module->start;
	extent->end = module->end;
	if (address < module->start || address >= module->end)
		return false;
	if (!csprof_module_headers(module, &headers))
		return true;
	for (unsigned i = 0; i < headers.count; i++) {
		const Elf64_Phdr *p = &headers.first[i];

		if (p->p_type != PT_LOAD || address - (headers.bias + p->p_vaddr) >= p->p_memsz)
			continue;
		if (!(p->p_flags & PF_R) || (executable && !(p->p_flags & PF_X)))
			return false;
		extent->start = headers.bias + p->p_vaddr;
		extent->end = extent->start + p->p_memsz;
		return extent->start >= module->start && extent->end <= module->end &&
		       extent->end > extent->start;
	}
	return false;
}

/* The dynamic section of a module. */
static const Elf64_Dyn *dynamic_of(const struct csprof_module *module,
				   const struct csprof_headers *headers)
{
	for (unsigned i = 0; i < headers->count; i++) {
		const Elf64_Phdr *p = &headers->first[i];
		uintptr_t at = headers->bias + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC && at >= module->start && at <= module->end &&
		    module->end - at >= p->p_memsz)
			return (const Elf64_Dyn *)at;
	}
	return NULL;
}

const char *csprof_module_soname(uintptr_t address)
{
	struct csprof_module module;
	struct csprof_headers headers;
	const Elf64_Dyn *entry;
	uintptr_t strings = 0, name = 0;

	if (!csprof_module_find(address, &module) || !csprof_module_headers(&module, &headers))
		return NULL;
	entry = dynamic_of(&module, &headers);
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_STRTAB)
			strings = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SONAME)
			name = entry->d_un.d_val;
	}
	if (strings < module.start) /* the loader has not relocated it (the vdso) */
		strings += headers.bias;
	if (!name || strings < module.start || strings + name < strings ||
	    strings + name >= module.end)
		return NULL;
	return (const char *)strings + name;
}
