/* What sampling costs on this machine. */
#ifndef RUNTIME_LAUNCH_COST_H
#define RUNTIME_LAUNCH_COST_H

#include "runtime/options.h"

#include <stdbool.h>

/* As it was measured since the machine was started, else measured now, which takes a child of
 * this process some 0.1 s; kept in hpcrun/cost in the user's cache directory
 * ($XDG_CACHE_HOME, else ~/.cache), where there is one. What cannot be measured is 0. */
void launch_cost(struct csprof_cost *out);

/* May this user have performance events? */
bool launch_events_allowed(void);

#endif
