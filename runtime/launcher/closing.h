/* What the launcher says at the end. */
#ifndef RUNTIME_LAUNCHER_CLOSING_H
#define RUNTIME_LAUNCHER_CLOSING_H

#include "runtime/launcher/options.h"
#include "runtime/launcher/store.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Report stores without a datafile, and where they are. */
void launch_say_stores(const char *dir, const struct launch_store *store,
		       const struct launch_recovered *r);

/* The summary of the datafiles in dir that are not older than *since. quoted: the directory as the
 * user can type it; listed: see launch_unmeasured_print; waited: the CPU time of COMMAND and all
 * that it has waited for, as the kernel counts it, ns. */
void launch_say_end(const struct launch_options *o, const char *quoted, const char *dir,
		    const struct timespec *since, size_t listed, const struct launch_recovered *r,
		    uint64_t waited);

#endif
