/* Datafiles of one process at several times: hpcrun control DIR snapshot writes what a process has
 * recorded so far, and the process goes on. */
#ifndef HPCPROF_LOAD_SNAPSHOTS_H
#define HPCPROF_LOAD_SNAPSHOTS_H

#include "hpcprof/load/scan.h"

/* Of files that are of the same process (the same host, pid and start), leave only the latest in
 * the list, and report it to d. Only files of the same name are compared, as snapshots have the
 * name of the final datafile. apart: those of
 * different arguments are not compared. The list remains sorted. -1 and *e if memory ran out. */
int snapshots_drop(struct scan *s, bool apart, struct diag *d, struct error *e);

#endif
