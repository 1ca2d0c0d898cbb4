/* Keeping the names of what was sampled with the measurement, by hpcprof, at the end. */
#ifndef RUNTIME_LAUNCHER_PACK_H
#define RUNTIME_LAUNCHER_PACK_H

#include <signal.h>
#include <time.h>

/* Run 'hpcprof pack' for the datafiles in dir that are not older than since, and wait for it.
 * shown: how to name the directory in a message. While it runs, *child is its pid, to which the
 * caller's handlers pass signals; else 0. Nothing happens if there is no hpcprof beside hpcrun.
 * Says on stderr if it failed, or if it took long. */
void launch_pack(const char *dir, const char *shown, const struct timespec *since,
		 volatile sig_atomic_t *child);

#endif
