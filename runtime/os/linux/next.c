#include "runtime/os/linux/symbols.h"
#include "runtime/os/os.h"

#include <dlfcn.h>

static bool late;

void os_loaded_late(void)
{
	late = true;
}

struct stub_search {
	const char *name;
	uintptr_t address;
	bool found;
};

/* The program itself is the first object. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct stub_search *s = arg;
	const ElfW(Dyn) *dynamic = NULL;
	bool inside = false;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)at;
		else if (p->p_type == PT_LOAD)
			inside |= s->address >= at && s->address - at < p->p_memsz;
	}
	if (inside && dynamic) {
		struct os_symbols symbols = os_symbols_of(dynamic, info->dlpi_addr);
		s->found = !os_symbols_find(&symbols, s->name);
	}
	return 1;
}

/* Whether that is where the program itself jumps to the function: its address there, if it was
 * linked to run at one place. */
static bool is_stub(const char *name, const void *address)
{
	struct stub_search s = {.name = name, .address = (uintptr_t)address};
	os_each_object(look_at_program, &s);
	return s.found;
}

static void *find(void *where, const char *name, const char *version)
{
	void *found = version[0] ? dlvsym(where, name, version) : NULL;
	return found ? found : dlsym(where, name);
}

static void *in_libc(const char *name, const char *version)
{
	void *(*open)(const char *, int);
	*(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
	void *libc = open ? open("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
	return libc ? find(libc, name, version) : NULL;
}

/* The bounds of our own code, from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_ours(const void *function)
{
	return (uintptr_t)function >= (uintptr_t)__ehdr_start &&
	       (uintptr_t)function < (uintptr_t)etext;
}

/* What the program's own modules find: they do not search us, but what they do not find, we do in
 * ourselves. */
static void *find_late(const char *name, const char *version)
{
	void *found = find(RTLD_DEFAULT, name, version);
	if (found && is_stub(name, found))
		found = in_libc(name, version);
	return is_ours(found) ? NULL : found;
}

void *os_next_iterate(void)
{
	return late ? in_libc("dl_iterate_phdr", "") : dlsym(RTLD_NEXT, "dl_iterate_phdr");
}

void *os_next(const char *name, const char *version)
{
	return late ? find_late(name, version) : find(RTLD_NEXT, name, version);
}
