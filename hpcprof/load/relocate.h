/* Maps an ip of a process to a load module of an epoch and the address in that module's file. One
 * relocator per epoch; used by one thread at a time. */
#ifndef HPCPROF_LOAD_RELOCATE_H
#define HPCPROF_LOAD_RELOCATE_H

#include "formats/base/error.h"
#include "reader/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RELOCATE_NOWHERE UINT32_MAX

struct relocate_span {
	uint64_t start;  /* mapped address */
	uint64_t last;   /* last address of the extent */
	uint32_t module; /* index into the epoch's modules */
	bool assumed;    /* the extent is not known and is assumed to reach to the next module */
};

struct relocator {
	const struct reader_epoch *epoch;
	struct relocate_span *spans; /* sorted by start */
	uint32_t num_spans;
};

struct relocated {
	uint32_t module;  /* index into the epoch's modules, or RELOCATE_NOWHERE */
	uint64_t address; /* in the module's file; the ip if module is NOWHERE */
	bool assumed;
};

/* The number of bytes that the file of a module occupies in memory, or 0 if it cannot be
 * determined. Called only if the trailer has no extent. */
typedef uint64_t relocate_extent_fn(void *context, const struct reader_module *module);

/* Prepare to relocate ips of the epoch, which must outlive the relocator. -1 and *e if memory ran
 * out. extent may be NULL: then only the extents in the trailer are known. */
int relocate_init(struct relocator *r, const struct reader_epoch *epoch, relocate_extent_fn *extent,
		  void *context, struct error *e);
void relocate_deinit(struct relocator *r); /* takes NULL */

/* The index of the span that covers the ip, or num_spans. */
uint32_t relocate_find(const struct relocator *r, uint64_t ip);
struct relocated relocate(const struct relocator *r, uint64_t ip);

/* A relocate_extent_fn that reads the program headers of the ELF file; context is
 * the folder to look for modules in (a sysroot) as a string, or NULL. */
uint64_t relocate_elf_extent(void *context, const struct reader_module *module);

#endif
