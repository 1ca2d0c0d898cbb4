/* What a user writes after -e: EVENT, EVENT@PERIOD, EVENT:PERIOD or EVENT@fRATE.
 * Shared by the launcher, which checks it, and the library, which obeys it. */
#ifndef RUNTIME_EVENT_H
#define RUNTIME_EVENT_H

#include <stdint.h>

enum { CSPROF_DEFAULT_RATE = 1000, CSPROF_MAX_RATE = 100000 };

struct csprof_event {
	char name[32];
	uint64_t period; /* mean, in the event's unit: ns of CPU time */
	uint64_t rate;   /* samples per second that this makes */
};

/* Parse one event. 0, or -1 and *why, a constant text that says what is wrong.
 * Periods take the suffixes ns, us, ms and s. Calls nothing. */
int csprof_event_parse(const char *text, struct csprof_event *out, const char **why);

/* How much of each thread's time measuring may take, in hundredths of a percent. */
enum { CSPROF_DEFAULT_BUDGET = 500, CSPROF_LEAST_BUDGET = 10, CSPROF_WHOLE = 10000 };

/* What a user writes after --budget: percent, with at most two decimals. As above. */
int csprof_budget_parse(const char *text, uint32_t *out, const char **why);

#endif
