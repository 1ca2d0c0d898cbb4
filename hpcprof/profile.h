/* All PROFILEs of a command line, read, merged and resolved: what views print. */
#ifndef HPCPROF_PROFILE_H
#define HPCPROF_PROFILE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate.h"
#include "hpcprof/command/command.h"
#include "hpcprof/model.h"
#include "hpcprof/units.h"

#include <stdio.h>

struct profile_loss {
	const char *path;
	const char *text; /* what was wrong */
	bool read;        /* it is in the profile all the same */
};

struct profile {
	struct model *model;
	struct code code;
	struct arena arena;
	VEC(struct profile_loss) losses; /* files that were left out, or read with complaints */
	struct units units; /* what values can be compared over; empty unless asked for */
	struct diag *diag;  /* for what is found out while a view is printed */
};

/* What a command wants of its PROFILEs. */
struct profile_request {
	const struct common *common;
	const char *output; /* a file that it writes, or NULL; it cannot be one of the PROFILEs */
	bool units;         /* fill the profile's units: values are compared */
	bool no_names;      /* it prints none: addresses need not be resolved */
};

/* Read what r->common names. Problems with files are told to d and kept in *p. 0, or -1 and *e if
 * there is nothing to show: no file could be read, or memory ran out. */
int profile_load(struct profile *p, const struct profile_request *r, struct diag *d,
		 struct error *e);
void profile_deinit(struct profile *p); /* takes NULL */

/* Load it and print it to r->output, or to out where there is none: what most commands are. What
 * print gives, or -1 and *e (ERROR_NONE: d was told). A file that was there is left as it was if
 * anything fails. */
int profile_show(FILE *out, const struct profile_request *r, command_print *print,
		 const void *options, struct diag *d, struct error *e);

#endif
