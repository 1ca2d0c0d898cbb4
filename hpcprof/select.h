/* The functions that a user means by a name or an expression. */
#ifndef HPCPROF_SELECT_H
#define HPCPROF_SELECT_H

#include "formats/base/error.h"
#include "hpcprof/correlate.h"
#include "hpcprof/model.h"

#include <stdbool.h>

/* Whether text is a POSIX extended regular expression. 0, or -1 and *e (ERROR_USAGE). */
int select_check(const char *option, const char *text, struct error *e);

/* Per function of the code, whether its name or linkage name matches the expression; freed by
 * the caller. NULL and *e (ERROR_USAGE: nothing matches, or it is no expression). */
bool *select_matching(const struct code *c, const char *expression, struct error *e);

/* The functions that name stands for: those of that name or linkage name, in however many
 * modules; else those that have it with parameters behind it; else those that it matches as
 * an expression, or that have it as a part. *out is per function of the code, freed by the
 * caller; *which is one of them. Several functions of one name are taken together. 0, or -1
 * and *e (ERROR_USAGE: none, or several of different names, with some of them). */
int select_named(const struct model *m, const struct code *c, const char *name, bool **out,
		 uint32_t *which, struct error *e);

#endif
