#include "runtime/driver/driver.h"

#include <errno.h>
#include <string.h>

const struct csprof_driver *const csprof_drivers[] = {
    &csprof_driver_task_clock,
    &csprof_driver_timers,
    &csprof_driver_itimer,
    NULL,
};

static int start(struct csprof_source *s, const struct csprof_driver *driver, int sig,
		 uint64_t period_ns, uint64_t first_ns)
{
	memset(s, 0, sizeof *s);
	s->fd = s->cpu_timer = s->mono_timer = -1;
	s->period = period_ns;
	s->sig = sig;
	s->driver = driver; /* its first signal may come before start ends */
	int r = driver->start(s, sig, first_ns);
	if (r < 0)
		s->driver = NULL;
	return r;
}

static bool crowded(uint32_t i)
{
	return csprof_drivers[i]->crowded && csprof_drivers[i]->crowded();
}

int csprof_source_start(struct csprof_source *s, uint32_t *from, int sig, uint64_t period_ns,
			uint64_t first_ns)
{
	int r = -ENODEV;
	for (uint32_t i = *from; csprof_drivers[i]; i++) {
		uint32_t best = csprof_drivers[i + 1] && crowded(i) ? i + 1 : i;
		r = start(s, csprof_drivers[best], sig, period_ns, first_ns);
		if (r < 0 && best != i) {
			best = i;
			r = start(s, csprof_drivers[best], sig, period_ns, first_ns);
		}
		if (r >= 0) {
			*from = best;
			return 0;
		}
	}
	return r;
}
