/* What a program image takes outside of its account, because it is measured. */
#ifndef RUNTIME_LAUNCHER_IMAGE_COST_H
#define RUNTIME_LAUNCHER_IMAGE_COST_H

#include "runtime/base/cost.h"

#include <stdbool.h>

/* The name (argv[0]) by which the launcher executes itself as a program that does nothing. */
#define LAUNCH_IMAGE_NAME "hpcrun-does-nothing"

/* That program: it forks so many children, one after the other, which also do nothing. Returns its
 * exit status. */
int launch_image_run(const char *children);

/* Measure cost->image and cost->child: run that program alone and measured by turns, 12 to 300
 * times, for about a second, or three if the machine does other work. Its datafiles are in a
 * directory of their own below out, which is removed. Both are 0 if that is not possible. Returns
 * false if another measurement may be better: not all runs succeeded, or the standard error of
 * child is more than a third of it. */
bool launch_image_cost(const char *library, const char *out, const char *store,
		       struct csprof_cost *cost);

#endif
