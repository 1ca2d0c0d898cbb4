/* All PROFILEs of a command line, read, merged and resolved: the input of views. */
#ifndef HPCPROF_LOAD_PROFILE_H
#define HPCPROF_LOAD_PROFILE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/command.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/load/units.h"
#include "hpcprof/load/unmeasured.h"
#include "hpcprof/model/model.h"

#include <stdio.h>

struct profile_loss {
	const char *path;
	const char *text; /* what was wrong */
	bool read;        /* the profile contains it nevertheless */
};

struct profile {
	struct model *model;
	struct symbolized code;
	struct arena arena;
	VEC(struct profile_loss) losses; /* files that were left out, or read with complaints */
	unmeasured_list unmeasured;      /* of all directories, sorted */
	VEC(const char *) packs; /* folders with names that were kept, see symbolize/pack.h */
	struct units units;      /* what values are compared over; empty unless requested */
	struct choice *choice;   /* of processes and threads; NULL: all */
	struct diag *diag;       /* for problems that are found while a view is printed */
};

/* How a command reads its PROFILEs. */
struct profile_request {
	const struct common *common;
	const char *output; /* the file to write, or NULL; must not be one of the PROFILEs */
	bool units;         /* fill the profile's units, to compare values */
	bool apart;         /* each PROFILE is one of its own: see scan_profiles */
	bool threads;       /* fill the model's groups of threads */
	bool values;        /* fill the model's values of instructions */
	bool keep_notes;    /* regions are not put into paths: see struct ingest_options */
	bool interpreter;   /* an interpreter's frames are kept, whatever common says */
	bool no_names;      /* do not resolve addresses: no names are printed */
};

/* Read the files that r->common names. Problems with files are reported to d and kept in *p. 0, or
 * -1 and *e if there is nothing to show: no file could be read, or memory ran out. */
int profile_load(struct profile *p, const struct profile_request *r, struct diag *d,
		 struct error *e);
void profile_deinit(struct profile *p); /* takes NULL */

/* Load the profile and print it to r->output, or to out if that is NULL. Most commands do only
 * this. Returns what print does, or -1 and *e (ERROR_NONE: already reported to d). An existing file
 * is unchanged if anything fails. */
int profile_show(FILE *out, const struct profile_request *r, command_print *print,
		 const void *options, struct diag *d, struct error *e);

#endif
