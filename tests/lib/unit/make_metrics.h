/*
 * The metrics of tests of the runtime's trees and stores: those of CPUTIME, as for -e CPUTIME@1ms.
 * Header only.
 */
#ifndef TESTS_LIB_UNIT_MAKE_METRICS_H
#define TESTS_LIB_UNIT_MAKE_METRICS_H

#include "runtime/csprof.h"
#include "runtime/process/state.h"

/* Once per process, before the first thread's state. 0, or negative on failure. */
static inline int make_metrics(void)
{
	struct csprof_event_request request;
	const char *why;

	return csprof_event_parse("CPUTIME@1ms", sizeof "CPUTIME@1ms" - 1, &request, &why) < 0
		   ? -1
		   : csprof_metrics_init(&request, 1);
}

#endif
