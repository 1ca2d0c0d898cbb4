/* What a measurement came to, for the launcher's closing line. */
#ifndef RUNTIME_LAUNCH_SUMMARY_H
#define RUNTIME_LAUNCH_SUMMARY_H

#include "formats/datafile.h"

#include <stdint.h>
#include <time.h>

struct launch_summary {
	uint32_t files, unreadable;
	uint32_t processes; /* files of first images: the others came by exec */
	uint64_t clock;     /* ns: the sum of all weights */
	uint64_t samples[CSP_DISPOSITIONS];
	uint64_t cost;   /* ns of CPU time that measuring took */
	char source[64]; /* of the samples; of the first file that says */
};

/* Add up the ACCOUNT chunks of the datafiles in dir that are not older than *since
 * (of the kernel's coarse real time clock, which stamps files). 0, or -1 where dir cannot be read.
 */
int launch_summarize(const char *dir, const struct timespec *since, struct launch_summary *out);

#endif
