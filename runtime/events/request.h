/* The argument of -e: EVENT, EVENT@PERIOD, EVENT:PERIOD or EVENT@fRATE. Used by the launcher,
 * which checks it, and by the library.
 *
 * An event that only perf can count is followed by what perf is to count:
 * NAME{TYPE:CONFIG:CONFIG1:CONFIG2:FLAGS:PER_SECOND}, the fields of struct os_perf_kind and the
 * one below; FLAGS is the sum of 1 (not the kernel) and 2 (only the kernel). The launcher adds
 * this, because names depend on the machine and take files to read. */
#ifndef RUNTIME_EVENTS_REQUEST_H
#define RUNTIME_EVENTS_REQUEST_H

#include "runtime/os/os.h"

#include <stddef.h>
#include <stdint.h>

enum { CSPROF_DEFAULT_RATE = 1000, CSPROF_MAX_RATE = 100000 };

/* The size of a name: with the suffix of its samples' column it is the name of a metric. */
enum { CSPROF_NAME_BYTES = 54 };

enum { CSPROF_NOT_KERNEL = 1, CSPROF_ONLY_KERNEL = 2 };

/* A row of list.h. */
struct csprof_event {
	const char *name, *unit; /* "ns", "count" */
	const char *text, *details;
	struct os_perf_kind kind; /* of the performance event that counts it */
	uint64_t per_second;      /* see list.h */
};

/* Ends with a row without a name. The first one is the default. */
extern const struct csprof_event csprof_events[];

/* The requested measurement. */
struct csprof_event_request {
	const struct csprof_event *event;
	char name[CSPROF_NAME_BYTES]; /* that of event, or of what perf counts */
	struct os_perf_kind kind;     /* the event's, or what perf counts */
	uint64_t per_second;          /* see list.h */
	/* Of times both are set. Of counts one is, the other is 0: the period varies, so that
	 * samples come at that rate, or the rate depends on the program. */
	uint64_t period; /* mean, in the event's unit */
	uint64_t rate;   /* samples per second of CPU time */
};

/* The size of the longest event that is understood. */
enum { CSPROF_EVENT_BYTES = 256 };

/* Parse one event, of n bytes. Returns 0, or -1 with *why, a constant text that describes the
 * error. Periods of times may have the suffixes ns, us, ms and s. Makes no system calls. */
int csprof_event_parse(const char *text, size_t n, struct csprof_event_request *out,
		       const char **why);
/* The length of the first event of a list: up to the comma after it, or the end. Commas between
 * slashes or braces are part of it. */
size_t csprof_event_length(const char *list);

/* Events to be measured together. */
enum { CSPROF_MAX_EVENTS = 8 };
struct csprof_event_requests {
	struct csprof_event_request of[CSPROF_MAX_EVENTS];
	uint32_t n;
};
/* Parse a list separated by commas and add it to *out; NULL: the default. As above; *at: the event
 * that is wrong. */
int csprof_events_parse(const char *list, struct csprof_event_requests *out, const char **at,
			const char **why);

/* Parse the argument of --budget: percent, with at most two decimals, into hundredths. As above. */
int csprof_budget_parse(const char *text, uint32_t *out, const char **why);

#endif
