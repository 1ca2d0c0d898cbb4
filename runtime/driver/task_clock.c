/* The best source: the kernel's task clock as a performance event of each thread,
 * user and kernel time, at any rate. Needs perf_event_paranoid <= 1 or
 * CAP_PERFMON. */
#include "runtime/driver/driver.h"
#include "runtime/os/os.h"

#include <stddef.h>

static int start(struct csprof_source *s, int sig, uint64_t first_ns)
{
	int fd = os_task_clock_open(first_ns, sig, &s->page, &s->id);
	if (fd < 0)
		return fd;
	s->fd = fd;
	int r = os_task_clock_enable(fd, true);
	if (r < 0) {
		os_task_clock_close(fd, s->page, s->id);
		s->fd = -1;
		s->page = NULL;
	}
	return r;
}

static void arm(struct csprof_source *s, uint64_t next_ns)
{
	os_task_clock_period(s->fd, next_ns);
}

static bool sent(const struct csprof_source *s, const siginfo_t *info)
{
	return os_task_clock_sent(info, s->fd);
}

static void quiet(struct csprof_source *s)
{
	os_task_clock_enable(s->fd, false);
}

static void resume(struct csprof_source *s)
{
	os_task_clock_enable(s->fd, true);
}

static void stop(struct csprof_source *s, bool in_child)
{
	if (!in_child)
		os_task_clock_enable(s->fd, false);
	os_task_clock_close(s->fd, s->page, s->id);
	s->fd = -1;
	s->page = NULL;
}

const struct csprof_driver csprof_driver_task_clock = {
    .name = "perf task-clock",
    .kernel = true,
    .start = start,
    .arm = arm,
    .sent = sent,
    .quiet = quiet,
    .resume = resume,
    .stop = stop,
};
