/* What the kernel says of a thread: how long it has waited for a CPU, and who observes it. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <string.h>

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

/* The number after a line's title (proc_pid_status(5)); none: it is 0. */
static uint64_t number_after(const char *text, const char *title)
{
	uint64_t value = 0;
	size_t n = strlen(title);
	while (*text && strncmp(text, title, n) != 0)
		text++;
	if (*text)
		number(text + n, &value);
	return value;
}

void os_observed(char *text, size_t bytes, bool *traced, bool *filtered)
{
	if (os_task_file(0, "status", text, bytes) <= 0)
		return;
	*traced = number_after(text, "\nTracerPid:\t") != 0;
	*filtered = number_after(text, "\nSeccomp:\t") != 0;
}
