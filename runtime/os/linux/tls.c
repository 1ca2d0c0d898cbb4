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
#include <limits.h>
#include <pthread.h>
#include <string.h>

struct tls_slot {
	uintptr_t value, to_free;
};

static const struct tls_slot *vector(void)
{
	uintptr_t control = csprof_thread_pointer();
	return *(const struct tls_slot *const *)(control + CSPROF_DTV);
}

/* The module of a variable. */
struct tls_module {
	uintptr_t block;     /* the calling thread's; 0: the vector does not know it */
	void *handle;        /* while it is kept from being unloaded */
	char name[PATH_MAX]; /* empty: the program itself */
};

struct tls_search {
	const char *name;
	struct os_tls *out;
	struct tls_module *modules;
	uint32_t n;
	uint64_t changes; /* os_module_changes, before */
	bool unloaded;    /* some modules were, since the program began */
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct tls_search *s = arg;
	const ElfW(Dyn) *dynamic = NULL;
	if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data ||
	    s->n == OS_TLS_MOST)
		return 1;
	s->unloaded = info->dlpi_subs > 0;
	for (int i = 0; info->dlpi_tls_modid && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!dynamic)
		return 0;
	struct os_symbols symbols = os_symbols_of(dynamic, info->dlpi_addr);
	const ElfW(Sym) *symbol = os_symbols_find(&symbols, s->name);
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	size_t n = strnlen(name, PATH_MAX);
	if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_TLS || n == PATH_MAX)
		return 0;
	struct tls_module *m = &s->modules[s->n];
	m->block = (uintptr_t)info->dlpi_tls_data;
	memcpy(m->name, name, n + 1);
	s->out[s->n++] =
	    (struct os_tls){.module = info->dlpi_tls_modid, .offset = symbol->st_value};
	return 0;
}

#ifdef CSPROF_STATIC
/* The vector knows all modules of a static program; in another one, those that it began with. */
static bool find_places(struct tls_search *s)
{
	(void)s;
	return true;
}
#else
void *__tls_get_addr(const uintptr_t *index); /* of the TLS ABI */

/* How large the static area is, for sanitizers and the like; glibc has had it since 2.1. First
 * called before main: later dlsym would have the program forget an error of the loader. */
static size_t static_bytes(void)
{
	static size_t known;
	void (*ask)(size_t * bytes, size_t * align);
	size_t bytes = 0, align = 0;
	if (known)
		return known;
	*(void **)&ask = dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
	if (ask)
		ask(&bytes, &align);
	return known = bytes;
}

/* Keep the modules whose blocks are to be made from being unloaded. Returns whether those that were
 * found are still there. */
static bool keep(struct tls_search *s)
{
	void *(*open)(const char *, int);
	*(void **)&open = os_next("dlopen", "");
	for (uint32_t i = 0; open && i < s->n; i++) {
		struct tls_module *m = &s->modules[i];
		if (m->name[0] && (!m->block || s->unloaded))
			m->handle = open(m->name, RTLD_LAZY | RTLD_NOLOAD);
		if (m->name[0] && !m->handle)
			dlerror(); /* it is not the program's */
	}
	return os_module_changes() == s->changes;
}

static void let_go(struct tls_search *s)
{
	int (*close)(void *);
	*(void **)&close = os_next("dlclose", "");
	for (uint32_t i = 0; close && i < s->n; i++)
		if (s->modules[i].handle)
			close(s->modules[i].handle);
}

/* If modules were unloaded, others may have their numbers, and threads the block of such a one
 * where the vector has the module's, until they know as many generations as a thread that has used
 * the variable. */
static void find_place(struct os_tls *v, const struct tls_module *m, bool unloaded)
{
	uintptr_t control = csprof_thread_pointer(), block = m->block;
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

static bool find_places(struct tls_search *s)
{
	bool late = s->unloaded, there = true;
	for (uint32_t i = 0; i < s->n; i++)
		late |= !s->modules[i].block;
	if (late)
		there = keep(s);
	for (uint32_t i = 0; there && i < s->n; i++)
		find_place(&s->out[i], &s->modules[i], s->unloaded);
	if (late)
		let_go(s);
	return there;
}
#endif

uint32_t os_tls_find(const char *name, struct os_tls out[OS_TLS_MOST])
{
	enum { TRIES = 8 };
	size_t bytes = OS_TLS_MOST * sizeof(struct tls_module);
	struct tls_module *modules = os_map(bytes);
	uint32_t n = 0;
	for (int i = 0; modules && i < TRIES && n == 0; i++) {
		struct tls_search s = {
		    .name = name, .out = out, .modules = modules, .changes = os_module_changes()};
		for (uint32_t k = 0; k < OS_TLS_MOST; k++)
			modules[k].handle = NULL;
		os_each_object(visit, &s);
		if (s.n == 0)
			break;
		n = find_places(&s) ? s.n : 0;
	}
	if (modules)
		os_unmap(modules, bytes);
	return n;
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

void *os_thread_specific(uint32_t key)
{
	return pthread_getspecific(key);
}

uintptr_t os_thread_self(void)
{
	return (uintptr_t)pthread_self();
}
