/* The units that values are compared over. The files of a measurement are in groups, each of which
 * is one PROFILE argument, process, rank or host. A group is one unit, except for --by thread: then
 * a group is a file, and each of its threads is a unit. Groups are sorted by name (numbers as
 * numbers), so that the order depends only on what was measured and named. */
#ifndef HPCPROF_LOAD_UNITS_H
#define HPCPROF_LOAD_UNITS_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/common.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/load/load.h"
#include "hpcprof/load/scan.h"
#include "hpcprof/model/model.h"

#include <stddef.h>

/* A file, or the parts of one datafile in it. */
struct unit_file {
	struct load_file file;
	const struct importer_part *parts; /* NULL: all of the file */
	size_t num_parts;
};

struct unit_group {
	const char *name; /* "rank 3"; for --by thread the process; not clean (see layout_clean) */
	size_t first, num_files;
};

/* All zeros is empty. */
struct units {
	enum unit_kind kind;
	bool one_host;               /* then names do not contain it */
	size_t outside;              /* files in no group: without a rank, if others have one */
	VEC(struct unit_file) files; /* group by group; their paths are the scan's */
	VEC(struct unit_group) groups;
};

/* Group the n files at files, sorted by path, from which m was made. left_out (or NULL) has for
 * each file whether it could not be read. Names live in a. 0, or -1 and *e if memory ran out. */
int units_group(struct units *u, enum unit_kind kind, const struct scan_file *files, size_t n,
		const bool *left_out, const struct model *m, struct arena *a, struct error *e);
void units_deinit(struct units *u); /* takes NULL */

/* "profile" or "profiles", "rank" or "ranks", ... */
const char *units_word(enum unit_kind kind, size_t n);

#endif
