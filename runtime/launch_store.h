/* The launcher's part in the store: a directory for it before COMMAND begins, and
 * datafiles of what dead processes left there afterwards. */
#ifndef RUNTIME_LAUNCH_STORE_H
#define RUNTIME_LAUNCH_STORE_H

#include <limits.h>
#include <stdint.h>

struct launch_store {
	char path[PATH_MAX]; /* the directory of stores, absolute; empty: none */
	char link[PATH_MAX]; /* to it, in the directory of datafiles */
	int lock;            /* held while the launcher lives; -1: none */
};

/* Make the directory for stores that place names: NULL or "memory" (in memory that
 * outlives processes; said where there is none), "private" (none), or a directory in which
 * it is made. out: the directory for datafiles. 0, or -1 after one line on stderr. */
int launch_store_make(struct launch_store *s, const char *place, const char *out);

struct launch_recovered {
	uint32_t datafiles; /* made of the stores of dead processes */
	uint32_t running;   /* processes that still run */
	uint32_t failed;    /* stores that no datafile could be made of */
	char why[512];      /* of the first that failed */
};

/* COMMAND, process pid, has ended with wait status (pid 0: it did not begin): make datafiles of the
 * stores of all processes that are dead, and remove the directory if no other is left. */
void launch_store_recover(struct launch_store *s, const char *out, int pid, int status,
			  struct launch_recovered *r);

#endif
