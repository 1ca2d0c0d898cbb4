/* The environment by which a program is measured. */
#ifndef RUNTIME_LAUNCHER_ENVIRONMENT_H
#define RUNTIME_LAUNCHER_ENVIRONMENT_H

#include "runtime/launcher/options.h"
#include "runtime/base/options.h"

/* Set the variables of this process, so that the program that it executes next is measured with
 * these options: by library, with its datafiles in out and its store in store ("": private), all
 * absolute paths. 0, or -1 if there is no memory. */
int launch_set_environment(const struct launch_options *o, const char *library, const char *out,
			   const char *store, const struct csprof_cost *cost);

#endif
