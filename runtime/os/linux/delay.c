/* How long a thread has waited for a CPU: the scheduler's own count. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

static const char *number(const char *p, uint64_t *out)
{
	uint64_t v = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	*out = v;
	return *p == ' ' ? p + 1 : p;
}

/* "RAN WAITED TIMES": ns on a CPU, ns waiting for one, how often it got one
 * (Documentation/scheduler/sched-stats.rst). A kernel that does not count says 0 0 0. */
uint64_t os_run_delay(uint32_t tid)
{
	enum { BYTES = 72 };
	char text[BYTES];
	uint64_t ran, waited, times;
	if (os_task_file(tid, "schedstat", text, sizeof text) <= 0)
		return OS_NOT_KNOWN;
	number(number(number(text, &ran), &waited), &times);
	return times ? waited : OS_NOT_KNOWN;
}
