/* All PROFILEs of a command line, read, merged and resolved: what views print. */
#ifndef HPCPROF_PROFILE_H
#define HPCPROF_PROFILE_H

#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/correlate.h"
#include "hpcprof/diag.h"
#include "hpcprof/model.h"
#include "hpcprof/options.h"
#include "hpcprof/units.h"

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
	struct units
	    units;         /* what values can be compared over; empty where o does not ask for it */
	struct diag *diag; /* for what is found out while a view is printed */
};

/* Read what o names. Problems with files are told to d and kept in *p. 0, or -1 and *e if
 * there is nothing to show: no file could be read, or memory ran out. */
int profile_load(struct profile *p, const struct options *o, struct diag *d, struct error *e);
void profile_deinit(struct profile *p); /* takes NULL */

#endif
