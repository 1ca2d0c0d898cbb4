/* Which measurement is meant if none is named. */
#ifndef HPCPROF_COMMAND_NEWEST_H
#define HPCPROF_COMMAND_NEWEST_H

#include "formats/base/arena.h"

#include <stdbool.h>

/* Whether a folder has datafiles or stores. */
bool newest_is_measurement(const char *path);

/* The current folder if it is a measurement directory, as hpcrun writes them; else the one in it
 * that was changed last. NULL: there is none, or memory ran out. */
const char *newest_measurement(struct arena *a);
/* The one in the current folder that was changed last, of those other than `other`, and, if before
 * is set, before it. NULL: there is none, or memory ran out. */
const char *newest_other(struct arena *a, const char *other, bool before);

#endif
