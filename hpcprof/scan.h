/* From PROFILE arguments to the datafiles behind them. */
#ifndef HPCPROF_SCAN_H
#define HPCPROF_SCAN_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/diag.h"

#include <sys/types.h>

struct scan_file {
	const char *path;
	const char *datafile; /* of a store in a directory: where its datafile will be; else NULL */
	const char *argument; /* what was named to find it; of several the first by name */
	dev_t device;
	ino_t inode;
};

struct scan {
	struct arena arena;
	VEC(struct scan_file) files; /* sorted by path; each file once */
	const char *argument;        /* inside: at hand */
};

/* Collect the files named and, of directories named, the *.csp in them and the stores, in them
 * or where their links lead, whose datafiles are not there. What cannot be read, or holds
 * nothing, is told to d and skipped. -1 and *e for want of memory. */
int scan_profiles(struct scan *s, const char *const *profiles, size_t n, struct diag *d,
		  struct error *e);
/* The same of one directory, in which there may be nothing yet. */
int scan_folder(struct scan *s, const char *folder, struct diag *d, struct error *e);
void scan_deinit(struct scan *s); /* takes NULL */

#endif
