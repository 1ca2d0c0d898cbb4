/* The dynamic symbols of an object in memory, found without the loader. See elf(5); the newer table
 * of hashes is that of GNU ld (DT_GNU_HASH). Async-signal-safe. */
#ifndef RUNTIME_OS_LINUX_SYMBOLS_H
#define RUNTIME_OS_LINUX_SYMBOLS_H

#include <link.h>

/* The tables of its dynamic section. */
struct os_symbols {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Word) * hash;
	const ElfW(Word) * gnu_hash;
};

/* base: what is added to the addresses in the file. */
struct os_symbols os_symbols_of(const ElfW(Dyn) * dynamic, uintptr_t base);

/* The symbol with that name that is defined there, or NULL. */
const ElfW(Sym) * os_symbols_find(const struct os_symbols *s, const char *name);

/* Each symbol that is defined there, by the newer table of hashes alone. */
void os_symbols_each(const struct os_symbols *s, void (*each)(const ElfW(Sym) *, void *),
		     void *arg);

/* The address in memory that an entry of the dynamic section says. */
const void *os_dynamic_address(uintptr_t there, uintptr_t base);

/* The dl_iterate_phdr that is called for that: libc's in a program that we were loaded into late.
 */
void *os_next_iterate(void);
/* The same as dl_iterate_phdr (not async-signal-safe): see modules.c. */
typedef int os_visit_object(struct dl_phdr_info *info, size_t size, void *arg);
void os_each_object(os_visit_object *visit, void *arg);

#endif
