/* Limits of CPU time and memory on work that others asked for and that need not return, as a
 * function of SQLite or of the C library. Used by the main thread while there is no other. */
#ifndef HPCPROF_COMMAND_LIMITS_H
#define HPCPROF_COMMAND_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct limits {
	struct rlimit data; /* before */
	bool has_data;
	bool has_timer;
};

/* Until limits_end, an allocation fails if the process has mebibytes MiB more than now, and some
 * for the work itself; 0: no limit. If it takes more than so many seconds of CPU time, the process
 * ends: it removes unfinished files, writes the message, which ends with a line, to standard error,
 * waits for the pager and exits with the status. What can stop by itself should do that before. */
void limits_begin(struct limits *l, double seconds, uint64_t mebibytes, const char *message,
		  int status);
void limits_end(struct limits *l);

/* CPU time of the process, in seconds. */
double limits_cpu_time(void);

#endif
