/* Datafiles of processes that still run. */
#ifndef RUNTIME_LAUNCHER_SNAPSHOT_H
#define RUNTIME_LAUNCHER_SNAPSHOT_H

#include <stdbool.h>

/* What is in a directory of datafiles. */
struct launch_content {
	unsigned stores; /* links to directories of stores */
	unsigned datafiles;
};
int launch_content(const char *directory, struct launch_content *content); /* -1: errno */

/* Whether a file of that name means something else in a directory of datafiles. */
bool launch_is_reserved(const char *name);

/* Write what all processes have recorded so far, ended ones included, to the new directory
 * OUT/NAME; name NULL: snapshot-N with the first free N from 1. Its datafiles have the names that
 * the final ones have, by which hpcprof sees that they are of the same processes. Returns 0, or -1
 * after one line on stderr; then there is nothing new. */
int launch_snapshot(const char *out, const char *name, bool quiet);

/* Write what the running processes have recorded so far to OUT/flushed, and wait until it is on
 * disk. Returns 0, or -1 after one line on stderr. */
int launch_flush(const char *out, bool quiet);
/* The processes have ended: remove what their datafiles have made useless there. */
void launch_flushed_drop(const char *out);

#endif
