#include "runtime/driver/driver.h"

#include <errno.h>
#include <string.h>

const struct csprof_driver *const csprof_drivers[] = {
    &csprof_driver_task_clock,
    &csprof_driver_timers,
    &csprof_driver_itimer,
    NULL,
};

int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns)
{
	int r = -ENODEV;
	for (uint32_t i = *from; csprof_drivers[i]; i++) {
		memset(s, 0, sizeof *s);
		s->fd = s->cpu_timer = s->mono_timer = -1;
		s->period = period_ns;
		s->sig = sig;
		s->driver = csprof_drivers[i]; /* its first signal may come before start ends */
		r = s->driver->start(s, sig, first_ns);
		if (r >= 0) {
			*from = i;
			return 0;
		}
		s->driver = NULL;
	}
	return r;
}
