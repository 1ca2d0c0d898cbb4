/*
 * The module that contains an address, and which of its memory may be read. Private to the
 * unwinders. Async-signal-safe.
 */
#ifndef CSPROF_CPU_MODULE_H
#define CSPROF_CPU_MODULE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct csprof_module {
	uintptr_t start, end;
	const uint8_t *eh_frame_hdr; /* NULL if it has none */
};

struct csprof_extent {
	uintptr_t start, end;
};

/* False if no module contains `address`. */
bool csprof_module_find(uintptr_t address, struct csprof_module *module);

/* The program headers of a module in memory, and the value to add to their addresses. */
struct csprof_headers {
	const Elf64_Phdr *first;
	unsigned count;
	uintptr_t bias;
};

/* False if the module does not begin with an ELF header, or its program headers are
 * not near it. */
bool csprof_module_headers(const struct csprof_module *module, struct csprof_headers *headers);

/*
 * The loaded segment of `module` that contains `address`, from its program headers; with
 * `executable` it must have that right. Modules may have gaps between their segments, so only a
 * segment may be read safely. A module without headers (a table entry made by hand) counts as
 * one segment.
 */
bool csprof_module_segment(const struct csprof_module *module, uintptr_t address, bool executable,
			   struct csprof_extent *extent);

/* The name that the module containing `address` gives itself (DT_SONAME), or NULL. */
const char *csprof_module_soname(uintptr_t address);

#endif
