/* The end of the measurement of processes that go on. */
#ifndef RUNTIME_LAUNCHER_DETACH_H
#define RUNTIME_LAUNCHER_DETACH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Processes by what became of them, and the first of each kind. */
struct launch_detached {
	struct launch_detached_as {
		unsigned n;
		uint32_t first; /* pid */
	} done,                 /* its datafile is written; */
	    holds,              /* and some threads have not let go of its memory yet */
	    silent,             /* it has not answered in time: it is stopped, for example */
	    drivers,            /* it is measured with a driver, which cannot end before it */
	    elsewhere;          /* it may not be asked, or is in another pid namespace */
};

/* Those that directory has, also those that they start meanwhile. given_up: set by a handler to end
 * the wait; may be NULL. Returns 0, or -1 after one line on stderr. */
int launch_detach_all(const char *directory, const volatile sig_atomic_t *given_up,
		      struct launch_detached *result);

/* One process. Returns 0, or -1 after one line on stderr. */
int launch_detach_process(pid_t pid, struct launch_detached *result);

/* Say on stderr which remain measured, and why. Returns whether any does. */
bool launch_detach_complain(const struct launch_detached *r);

/* The measurement of one process, seen from outside. */
struct launch_watched {
	uint32_t pid;
	const char *directory;
	int fd; /* its store; -1: it is looked for */
};
/* Whether it has ended, though the process may go on. */
bool launch_watch(struct launch_watched *w);

#endif
