/* The cost of sampling on this machine. */
#ifndef RUNTIME_LAUNCHER_COST_H
#define RUNTIME_LAUNCHER_COST_H

#include "runtime/base/options.h"

#include <stdbool.h>

/* The cost as measured since the last boot, or measured now in a child process, which takes
 * about 0.1 s. It is kept in hpcrun/cost in the user's cache directory ($XDG_CACHE_HOME, else
 * ~/.cache), if there is one. What cannot be measured is 0. */
void launch_cost(struct csprof_cost *out);

/* Whether this user may use performance events. */
bool launch_events_allowed(void);

#endif
