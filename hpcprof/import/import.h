/* Files that other profilers wrote: pprof's profile.proto, callgrind's files, collapsed stacks, and
 * the output of perf script. What a file is, its content says. A format is a file with a const
 * struct import_format and a row in import.c.
 *
 * Time and memory grow with the bytes of the file, when it is unpacked, but for sorting: at most
 * 256 bytes of memory for each, or 512 with 100 events or with nearly as many frames as a pprof
 * file can have, as tests/unit/linear_imports.c and linear_pprof.c hold (463 and 246 are seen). */
#ifndef HPCPROF_IMPORT_IMPORT_H
#define HPCPROF_IMPORT_IMPORT_H

#include "hpcprof/import/parsed.h"
#include "hpcprof/load/importers.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads all of the formats. */
extern struct importer import_importer;

struct import_format {
	const char *name;
	/* Whether a file that begins with these n bytes is clearly one. whole: these are all. */
	bool (*is)(const void *at, size_t n, bool whole);
	/* Read n bytes. 0, or -1 and *e: with the place, and what to do about it. */
	int (*read)(struct parsed *p, const void *at, size_t n, struct error *e);
};

extern const struct import_format import_pprof, import_callgrind, import_perf_script, import_folded;

/* Read the contents of a file, whose format its first bytes tell. 0, or -1 and *e: ERROR_VERSION if
 * they are not of any. */
int import_parse(struct parsed *p, const void *at, size_t n, struct error *e);
/* Merge the contents of a file, as importer.add. What is not kept is stored in *lost, or NULL. */
int import_memory(struct model *m, const char *path, const void *at, size_t n, const char **lost,
		  struct error *e);

#endif
