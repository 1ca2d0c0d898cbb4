/* The files that describe a load module: the module itself, its separate debug
 * file, and the file of shared DWARF that dwz split off.
 *
 * Searched, in this order: by build-id, <dir>/.build-id/xx/yyyy.debug in each debug
 * directory; by .gnu_debuglink, beside the module, in its .debug folder and in
 * <dir>/<folder of the module>, where the file's CRC must be the link's. */
#ifndef SYMBOLIZE_BINARY_H
#define SYMBOLIZE_BINARY_H

#include "formats/base/error.h"

#include <elfutils/libdw.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_file {
	int fd;   /* -1: not open */
	Elf *elf; /* NULL: not open */
	char path[PATH_MAX];
};

struct search_paths {
	const char *sysroot;     /* "" for none */
	char *const *debug_dirs; /* all of them, the usual one last */
	size_t num_debug_dirs;
};

struct binary {
	struct elf_file main, debug, alt;
	Dwarf *dwarf;     /* of debug or main; NULL: there is no DWARF */
	Dwarf *alt_dwarf; /* of alt */
	uint64_t entry;   /* where main is entered if it is a program, else 0 */
	bool stale;       /* main was another build and is closed again */
};

struct symbolizer;
/* Where a symbolizer looks; lives as long as it. */
const struct search_paths *symbolizer_places(const struct symbolizer *s);

/* Open what there is. -1 if there is nothing to read names from; *why (may be NULL)
 * says what was missing, also where a debug file served in the module's place.
 * path (there is no file) and build_id may be NULL. binary_close frees *b either way. */
int binary_open(struct binary *b, const char *path, const char *build_id,
		const struct search_paths *where, struct error *why);
void binary_close(struct binary *b);

/* Where the names come from: the debug file if there is one, else the module, else
 * NULL. */
const char *binary_source(const struct binary *b);

#endif
