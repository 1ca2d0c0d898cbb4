/* The threads of a process that is measured from now on: each begins in a handler of our signal. */
#ifndef RUNTIME_LAUNCHER_ATTACH_THREADS_H
#define RUNTIME_LAUNCHER_ATTACH_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How many threads are measured, and how many have not begun; one of these, and its name. */
struct launch_attached {
	uint32_t threads, silent;
	pid_t first;
	bool blocks; /* it blocks the signal */
	char name[16];
};

/* Ask the threads to begin, by sig, until all do, or no more do for a while. directory: of
 * datafiles. If the process has no store that others can read, it is not known who has begun. */
void launch_attach_threads(pid_t pid, const char *directory, int sig, struct launch_attached *out);

#endif
