/* Finds the datafiles and stores that PROFILE arguments name. */
#ifndef HPCPROF_LOAD_SCAN_H
#define HPCPROF_LOAD_SCAN_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/diag.h"

#include <sys/types.h>

struct scan_file {
	const char *path;
	const char *datafile; /* of a store in a directory: where its datafile will be; else NULL */
	const char *argument; /* the argument that named it; of several the first by name */
	dev_t device;
	ino_t inode;
};

struct scan {
	struct arena arena;
	VEC(struct scan_file) files; /* sorted by path; each file once */
	size_t links;                /* to directories of stores, which exist */
	const char *argument;        /* internal: the current one */
};

/* Collect the files named. apart: each argument is a profile of its own, to be compared with the
 * others; else of several snapshots of a process only the latest remains (snapshots.h). For each
 * directory named, collect the *.csp in it, and the stores, in it or where its links lead, that
 * have no datafile. What cannot be read or has no files is reported to d and skipped. -1 and *e if
 * memory ran out. */
int scan_profiles(struct scan *s, const char *const *profiles, size_t n, bool apart, struct diag *d,
		  struct error *e);
/* The same for one directory, which may be empty. */
int scan_folder(struct scan *s, const char *folder, struct diag *d, struct error *e);
void scan_deinit(struct scan *s); /* takes NULL */

#endif
