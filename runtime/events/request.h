/* The argument of -e: EVENT, EVENT@PERIOD, EVENT:PERIOD or EVENT@fRATE. Used by the launcher,
 * which checks it, and by the library. */
#ifndef RUNTIME_EVENTS_REQUEST_H
#define RUNTIME_EVENTS_REQUEST_H

#include <stdint.h>

enum { CSPROF_DEFAULT_RATE = 1000, CSPROF_MAX_RATE = 100000 };

/* A row of list.h. */
struct csprof_event {
	const char *name, *unit; /* "ns" */
	const char *text, *details;
};

/* Ends with a row without a name. The first one is the default. */
extern const struct csprof_event csprof_events[];

/* The requested measurement. */
struct csprof_event_request {
	const struct csprof_event *event;
	uint64_t period; /* mean, in the event's unit */
	uint64_t rate;   /* resulting samples per second */
};

/* Parse one event; NULL: the default. Returns 0, or -1 with *why, a constant text that describes
 * the error. Periods may have the suffixes ns, us, ms and s. Makes no system calls. */
int csprof_event_parse(const char *text, struct csprof_event_request *out, const char **why);

/* Parse the argument of --budget: percent, with at most two decimals, into hundredths. As above. */
int csprof_budget_parse(const char *text, uint32_t *out, const char **why);

#endif
