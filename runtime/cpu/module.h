/*
 * Which module holds an address, and which of its memory may be read. Private
 * to runtime/cpu. Async-signal-safe.
 */
#ifndef CSPROF_CPU_MODULE_H
#define CSPROF_CPU_MODULE_H

#include <stdbool.h>
#include <stdint.h>

struct csprof_module {
	uintptr_t start, end;
	const uint8_t *eh_frame_hdr; /* NULL if it has none */
};

struct csprof_extent {
	uintptr_t start, end;
};

/* False if no module holds `address`. */
bool csprof_module_find(uintptr_t address, struct csprof_module *module);

/*
 * The loaded segment of `module` around `address`, from its program headers;
 * `executable` asks for one with that right. Modules have holes between their
 * segments, so this is what may be read safely. A module without an ELF
 * header at its start (a table entry made by hand) counts as one segment.
 */
bool csprof_module_segment(const struct csprof_module *module, uintptr_t address, bool executable,
			   struct csprof_extent *extent);

#endif
