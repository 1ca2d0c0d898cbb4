/* Events as this machine's kernel describes them, and whether this user may count them. */
#ifndef RUNTIME_LAUNCHER_PERF_SYSTEM_H
#define RUNTIME_LAUNCHER_PERF_SYSTEM_H

#include "runtime/events/request.h"

#include <stdbool.h>
#include <stddef.h>

/* The size of a text that says why something cannot be counted. */
enum { LAUNCH_WHY_BYTES = 320 };

/* What perf is to count for a name in one of these forms (perf-list(1)):
 *	rHEX			the CPU's own code of an event
 *	PMU/TERM=N,TERM,.../	as /sys/bus/event_source/devices/PMU describes it; TERM may be the
 *				name of an event there
 *	SYSTEM:TRACEPOINT	of the kernel
 * root is the directory that holds /sys, usually "". Returns 1; 0 if the name has none of these
 * forms; -1 and why. No other thread may change the environment. */
int launch_perf_kind(const char *root, const char *name, struct os_perf_kind *kind,
		     char why[LAUNCH_WHY_BYTES]);

/* Whether all of them happen in the kernel. */
bool launch_perf_in_kernel(const struct os_perf_kind *kind);

/* Whether this user can sample it on this machine. If not, why says the reason and, after a
 * semicolon, the remedy, if there is one. */
bool launch_perf_allowed(const char *root, const struct os_perf_kind *kind,
			 char why[LAUNCH_WHY_BYTES]);

/* Call each(what, name) for the events of this machine's PMUs, as PMU/EVENT/, in the order of their
 * names, and return their number. launch_perf_tracepoints: for SYSTEM:TRACEPOINT; -1 if this user
 * may not read them. each may be NULL. */
typedef void launch_perf_each(void *what, const char *name);
long launch_perf_pmu_events(const char *root, launch_perf_each *each, void *what);
long launch_perf_tracepoints(const char *root, launch_perf_each *each, void *what);

#endif
