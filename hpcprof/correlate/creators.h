/* Which functions create threads for others. */
#ifndef HPCPROF_CORRELATE_CREATORS_H
#define HPCPROF_CORRELATE_CREATORS_H

#include "symbolize/symbolize.h"

#include <stdbool.h>

/* Whether the function is of a library that creates threads for others, or has no name. module: the
 * path of its load module. */
bool creators_helps(const char *module, const struct symbol_function *f);

#endif
