/* The files that describe a load module: the module itself, its separate debug file, and the file
 * with shared DWARF that dwz made.
 *
 * Searched, in this order: by build-id, <dir>/.build-id/xx/yyyy.debug in each debug directory; by
 * .gnu_debuglink, beside the module, in its .debug folder and in <dir>/<folder of the module>,
 * where the CRC of the file must match the link. */
#ifndef SYMBOLIZE_BINARY_H
#define SYMBOLIZE_BINARY_H

#include "formats/base/error.h"
#include "symbolize/elf_file.h"
#include "symbolize/work.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct search_paths {
	const char *sysroot;     /* "" for none */
	char *const *debug_dirs; /* the default one is last */
	size_t num_debug_dirs;
};

struct binary {
	struct elf_file main, debug, alt;
	mapped_files split; /* those of split units, which libdw opened */
	Dwarf *dwarf;       /* of debug or main; NULL: there is no DWARF */
	Dwarf *alt_dwarf;   /* of alt */
	uint64_t bytes;     /* of the files */
	struct work *work;
	const char *sysroot;
	uint64_t entry; /* entry point of main if it is a program, else 0 */
	bool stale;     /* main was another build and was closed */
	/* Why debug information that exists, or is named, is not read; ERROR_NONE: it is. */
	struct error unread;
	bool refused; /* that is because a file is no regular file, or was cut while it was read */
};

struct symbolizer;
/* The symbolizer's search paths, which live as long as it. */
const struct search_paths *symbolizer_places(const struct symbolizer *s);

/* Open the files that exist. -1 if there is no file to read names from. *why (may be NULL) says
 * what was missing, also if a debug file was found instead of the module. path (NULL: there is no
 * file) and build_id may be NULL. work: gets steps for each file, and pays for what is
 * decompressed. Call binary_close in any case. */
int binary_open(struct binary *b, const char *path, const char *build_id,
		const struct search_paths *where, struct work *work, struct error *why);
void binary_close(struct binary *b);

/* A unit of the module names the file dwo, relative to folder (may be NULL), for its debug
 * information, which was not found: say so in b->unread. units: how many such units there are. */
void binary_misses_dwo(struct binary *b, const char *folder, const char *dwo, size_t units);

/* Such a file was not opened: say why in b->unread. */
void binary_refuses_dwo(struct binary *b, const struct error *why);

/* Say in b->unread that not all of it was read, as work was over. */
void binary_is_too_much(struct binary *b);

/* After all was read: say in b->unread if a file was cut meanwhile. */
void binary_check_cut(struct binary *b);

/* The path of the file that names come from: the debug file if there is one, else the module, else
 * NULL. */
const char *binary_source(const struct binary *b);

#endif
