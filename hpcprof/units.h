/* What values are compared over: the files of a measurement in groups, each of which is one
 * PROFILE argument, process, rank or host. A group is one unit, but for --by thread: then it
 * is a file, and each of its threads is one. Groups stand in the order of their names (numbers
 * as numbers), which depends on what was measured and named alone. */
#ifndef HPCPROF_UNITS_H
#define HPCPROF_UNITS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/importers.h"
#include "hpcprof/load.h"
#include "hpcprof/model.h"
#include "hpcprof/command/common.h"
#include "hpcprof/scan.h"

#include <stddef.h>

/* A file, or what a file has of one datafile. */
struct unit_file {
	struct load_file file;
	const struct importer_part *parts; /* NULL: all of the file */
	size_t num_parts;
};

struct unit_group {
	const char *name; /* "rank 3"; of --by thread the process; not clean */
	size_t first, num_files;
};

/* All zeros is empty: nothing can be compared. */
struct units {
	enum unit_kind kind;
	bool one_host;  /* so that names do without it */
	size_t outside; /* files that belong to no group: those of no rank, where others have one */
	VEC(struct unit_file) files; /* group by group; their paths are the scan's */
	VEC(struct unit_group) groups;
};

/* Group the n files at files, sorted by path, from which m was made; left_out (or NULL) tells
 * of each whether it could not be read. Names live in a. 0, or -1 and *e for want of memory. */
int units_group(struct units *u, enum unit_kind kind, const struct scan_file *files, size_t n,
		const bool *left_out, const struct model *m, struct arena *a, struct error *e);
void units_deinit(struct units *u); /* takes NULL */

/* "profile" or "profiles", "rank" or "ranks", ... */
const char *units_word(enum unit_kind kind, size_t n);

#endif
