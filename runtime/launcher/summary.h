/* The totals of a measurement, for the launcher's summary at the end. */
#ifndef RUNTIME_LAUNCHER_SUMMARY_H
#define RUNTIME_LAUNCHER_SUMMARY_H

#include "formats/base/cursor.h"
#include "formats/datafile.h"
#include "formats/base/utf8.h"
#include "runtime/events/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { LAUNCH_SOURCE_BYTES = 63 };

/* Of one event. */
struct launch_event {
	uint64_t clock; /* the sum of all weights, in its unit */
	uint64_t samples[CSP_DISPOSITIONS];
	uint64_t weight[CSP_DISPOSITIONS];
	/* source of samples, from the first file that names one that is no longer; clean */
	char source[UTF8_CLEAN_BYTES(LAUNCH_SOURCE_BYTES)];
};

struct launch_summary {
	uint32_t files, unreadable;
	uint32_t processes; /* files of first images; the others come after exec */
	uint32_t execs;     /* images that have ended by it */
	struct launch_event events[CSPROF_MAX_EVENTS]; /* as they were asked for */
	uint64_t cpu;                                  /* ns: CPU time of all threads */
	uint64_t cost;                                 /* ns of that time that measuring took */
	uint64_t outside; /* ns that it took besides, to load, write and end */
};

/* Add up the ACCOUNT chunks of the datafiles in dir that are not older than *since (on the
 * kernel's coarse real time clock, which gives files their times). Returns 0, or -1 if dir
 * cannot be read. */
int launch_summarize(const char *dir, const struct timespec *since, struct launch_summary *out);

/* Step over everything before the trailer of a datafile. Returns 0, or -1 if it is damaged. */
int launch_skip_to_trailer(struct cursor *c);

/* Whether time a is before b. */
bool launch_is_older(const struct timespec *a, const struct timespec *b);

/* The number of datafiles in dir; 0 if it cannot be read. */
uint32_t launch_count_datafiles(const char *dir);

#endif
