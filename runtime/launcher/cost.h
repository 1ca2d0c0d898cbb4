/* The cost of measuring on this machine. */
#ifndef RUNTIME_LAUNCHER_COST_H
#define RUNTIME_LAUNCHER_COST_H

#include "runtime/base/options.h"

#include <stdbool.h>

/* The cost as measured since the last boot, or measured now in child processes, which takes about a
 * second, and up to five if other processes use the CPU. Then it is measured again by a launcher
 * that finds the CPU free ten minutes later. It is kept in hpcrun/cost in the user's cache
 * directory ($XDG_CACHE_HOME, else ~/.cache), if there is one; without it, image and child are not
 * measured. The library and the directories for datafiles and stores are those of this measurement,
 * as for launch_set_environment. What cannot be measured is 0. */
void launch_cost(const char *library, const char *datafiles, const char *store,
		 struct csprof_cost *out);

/* Whether this user may use performance events. */
bool launch_events_allowed(void);

#endif
