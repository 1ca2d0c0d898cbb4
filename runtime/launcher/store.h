/* The launcher's part of the store: it makes a directory for stores before COMMAND begins, and
 * afterwards datafiles from what dead processes left there. */
#ifndef RUNTIME_LAUNCHER_STORE_H
#define RUNTIME_LAUNCHER_STORE_H

#include <limits.h>
#include <stdint.h>

struct launch_store {
	char path[PATH_MAX]; /* the directory of stores, absolute; empty: none */
	char link[PATH_MAX]; /* a link to path, in the directory of datafiles */
	int lock;            /* held while the launcher lives; -1: none */
};

/* Make the directory for stores. place: NULL or "memory" (in memory that outlives processes;
 * prints a message if there is none), "private" (no directory), or the directory in which it is
 * made. out: the directory for datafiles. Returns 0, or -1 after one line on stderr. */
int launch_store_make(struct launch_store *s, const char *place, const char *out);

struct launch_recovered {   /* initially zero */
	uint32_t datafiles; /* made from stores of dead processes */
	uint32_t lost;    /* processes that had no memory for their store, and wrote no datafile */
	uint32_t running; /* processes that are still running */
	uint32_t failed;  /* stores from which no datafile could be made */
	char why[512];    /* why the first one failed */
};

/* While COMMAND runs: make datafiles from the stores of dead processes, if some of them had the
 * rights of other users, and could not do it themselves. */
void launch_store_look(const struct launch_store *s, const char *out, struct launch_recovered *r);

/* COMMAND, process pid, has ended with wait status (pid 0: it did not begin): make datafiles
 * from the stores of all dead processes, and remove the directory if no stores are left. Processes
 * that are about to end are waited for, up to a second. */
void launch_store_recover(struct launch_store *s, const char *out, int pid, int status,
			  struct launch_recovered *r);

#endif
