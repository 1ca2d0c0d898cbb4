/* Thread-local variables of load modules (Drepper, ELF Handling For Thread-Local Storage). In
 * glibc's threads the thread pointer is that of the control block, which has the address of the
 * dynamic thread vector: pairs of words, of which the one before the first begins with how many
 * there are, the first with the generation of modules that it knows, and that of each module with
 * the address of its block, or all ones if there is none yet. Blocks of the static area are at one
 * distance from the thread pointer in all threads; the vector need not know those of modules that
 * were loaded later. */
#include "runtime/cpu/port.h"
#include "runtime/os/linux/symbols.h"
#include "runtime/os/os.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>

struct tls_slot {
	uintptr_t value, to_free;
};

static const struct tls_slot *vector(void)
{
	uintptr_t control = csprof_thread_pointer();
	return *(const struct tls_slot *const *)(control + CSPROF_DTV);
}

#ifdef CSPROF_STATIC
static void find_place(struct os_tls *v, uintptr_t block, bool unloaded)
{
	(void)v, (void)block, (void)unloaded;
}
#else
void *__tls_get_addr(const uintptr_t *index); /* of the TLS ABI */

/* How large the static area is, for sanitizers and the like; glibc has had it since 2.1. */
static size_t static_bytes(void)
{
	void (*ask)(size_t * bytes, size_t * align);
	size_t bytes = 0, align = 0;
	*(void **)&ask = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
	if (ask)
		ask(&bytes, &align);
	return bytes;
}

/* block: the calling thread's block of the module, 0: the vector does not know it. unloaded:
 * modules were unloaded, whose numbers others have now. Then threads may have the block of such a
 * one where the vector has the module's, until they know as many generations as a thread that has
 * used the variable. */
static void find_place(struct os_tls *v, uintptr_t block, bool unloaded)
{
	uintptr_t control = csprof_thread_pointer();
	size_t bytes = static_bytes();
	uintptr_t low = CSPROF_TLS_BELOW ? control - bytes : control;
	if (!block || unloaded)
		block = (uintptr_t)__tls_get_addr((const uintptr_t[]){v->module, v->offset}) -
			v->offset;
	if (block >= low && block - low < bytes) {
		v->is_static = true;
		v->distance = (intptr_t)(block - control);
	} else if (unloaded) {
		v->since = vector()->value;
	}
}
#endif

struct tls_search {
	const char *name;
	struct os_tls *out;
	uint32_t n, most;
	bool unloaded;
	uintptr_t blocks[OS_TLS_MOST];
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct tls_search *s = arg;
	const ElfW(Dyn) *dynamic = NULL;
	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data ||
	    s->n == s->most)
		return 1;
	s->unloaded = info->dlpi_subs > 0;
	for (int i = 0; info->dlpi_tls_modid && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!dynamic)
		return 0;
	struct os_symbols symbols = os_symbols_of(dynamic, info->dlpi_addr);
	const ElfW(Sym) *symbol = os_symbols_find(&symbols, s->name);
	if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_TLS)
		return 0;
	s->blocks[s->n] = (uintptr_t)info->dlpi_tls_data;
	s->out[s->n++] =
	    (struct os_tls){.module = info->dlpi_tls_modid, .offset = symbol->st_value};
	return 0;
}

uint32_t os_tls_find(const char *name, struct os_tls out[OS_TLS_MOST])
{
	struct tls_search s = {.name = name, .out = out, .most = OS_TLS_MOST};
	os_each_object(visit, &s);
	for (uint32_t i = 0; i < s.n; i++)
		find_place(&out[i], s.blocks[i], s.unloaded);
	return s.n;
}

void *os_tls_address(const struct os_tls *v)
{
	uintptr_t block;
	if (v->is_static) {
		block = csprof_thread_pointer() + (uintptr_t)v->distance;
	} else {
		const struct tls_slot *slots = vector();
		if (slots[-1].value < v->module || slots[0].value < v->since)
			return NULL;
		block = slots[v->module].value;
		if (block == UINTPTR_MAX || block == 0)
			return NULL;
	}
	return (void *)(block + v->offset);
}
