/* Finds the functions that a user names. */
#ifndef HPCPROF_CORRELATE_SELECT_H
#define HPCPROF_CORRELATE_SELECT_H

#include "formats/base/error.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/model/model.h"

#include <stdbool.h>

/* Find the functions that name identifies, in any number of modules: those with this name or
 * linkage name; else those with it followed by parameters; else those that contain it; else those
 * that match it as an expression; else, for NAME@FILE:LINE, those that NAME identifies in this way
 * among the functions declared there, where FILE is the end of a path. *out has whether each
 * function of the code is one of them; the caller frees it. *which is one of them. Several
 * functions of the same name are all selected. 0, or -1 and *e (ERROR_USAGE: no function, or
 * several with different names; the message has some of them). */
int select_named(const struct model *m, const struct symbolized *c, const char *name, bool **out,
		 uint32_t *which, struct error *e);

/* Set *e (ERROR_USAGE): no function matches the text, and which may have been meant. Returns -1. */
int select_none(const struct symbolized *c, const char *text, struct error *e);

#endif
