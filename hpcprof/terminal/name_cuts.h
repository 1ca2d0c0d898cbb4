/* Names that are cut to fit, but not so that two of them read the same: a name that would read as
 * another one is cut where they are alike, and shows where they differ. All strings are clean texts
 * (layout.h) and live in the arena. Used by one thread. */
#ifndef HPCPROF_TERMINAL_NAME_CUTS_H
#define HPCPROF_TERMINAL_NAME_CUTS_H

#include "formats/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The names that were shown. All zeros except for arena: none yet. */
struct name_cuts {
	struct arena *arena;
	void *shown, *numbers; /* internal */
};

/* The same as layout_cut_name, but not what was returned for another name. NULL if memory ran
 * out. */
const char *name_cuts_next(struct name_cuts *c, const char *name, unsigned width);
void name_cuts_deinit(struct name_cuts *c);

/* n names at the same time: shown has the names after cutting (by any function of layout.h), which
 * are replaced where different names read the same. False if memory ran out. */
bool name_cuts_all(struct arena *a, const char *const *names, const char **shown, size_t n,
		   unsigned width);

#endif
