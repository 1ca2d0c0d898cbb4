/* Linked into a test build of libhpcrun.so (tests.mk: faulty): with $FAULT_LATE in the environment,
 * every second sample of a thread uses so many ns of CPU time after it has armed the next one,
 * which is then pending when its handler ends. */
#include "runtime/sample/pace.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

void __real_csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact);
void __wrap_csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact);

static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void __wrap_csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact)
{
	static _Thread_local unsigned samples __attribute__((tls_model("initial-exec")));
	const char *late = getenv("FAULT_LATE");
	uint64_t start = cpu_time(), ns = late ? strtoull(late, NULL, 10) : 0;

	__real_csprof_pace_armed(p, now, next_ns, exact);
	if (samples++ % 2 == 1)
		while (cpu_time() - start < ns)
			;
}
