/* The names of events that only perf counts: perf's own, and the synonyms that users of PAPI, of
 * DCPI and of older profilers know. */
#ifndef RUNTIME_LAUNCHER_PERF_NAMES_H
#define RUNTIME_LAUNCHER_PERF_NAMES_H

#include "runtime/events/request.h"

#include <stddef.h>
#include <stdint.h>

/* The names are those of perf-list(1), the kinds those of perf_event_open(2). per_second: about how
 * many come per second of CPU time (runtime/events/list.h); too few rather than too many: a first
 * period that is too short gives one early sample, one that is too long gives none. */
struct launch_perf_name {
	const char *name, *text;
	struct os_perf_kind kind;
	uint64_t per_second;
};
/* Ends with a row without a name. */
extern const struct launch_perf_name launch_perf_names[];

/* name stands for means: an event of runtime/events/list.h or of the table above. */
struct launch_synonym {
	const char *name, *means;
};
extern const struct launch_synonym launch_synonyms[];

/* The row with that name of n bytes, or NULL. */
const struct launch_perf_name *launch_perf_name(const char *name, size_t n);
/* What that name of n bytes stands for, or NULL. */
const char *launch_synonym(const char *name, size_t n);

#endif
