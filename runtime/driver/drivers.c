#include "runtime/driver/driver.h"

#include <errno.h>

const struct csprof_driver *const csprof_drivers[] = {
    &csprof_driver_task_clock,
    &csprof_driver_timers,
    &csprof_driver_itimer,
    NULL,
};

static int start(struct csprof_source *s, const struct csprof_driver *driver, int sig,
		 uint64_t period_ns, uint64_t first_ns)
{
	*s = (struct csprof_source){
	    .driver = driver, /* its first signal may come before start ends */
	    .period = period_ns,
	    .floor = s->floor,
	    .sig = sig,
	    .clock.fd = -1,
	    .cpu_timer = -1,
	    .mono_timer = -1,
	    .lost = -1,
	};
	return driver->start(s, sig, first_ns);
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
			return r;
		}
	}
	s->driver = NULL;
	return r;
}

/* There is always a driver, as another thread may just be about to call it. */
int csprof_source_replace(struct csprof_source *s, uint32_t *which, uint64_t next_ns)
{
	int lost = s->clock.fd, r = -ENODEV;
	s->driver->stop(s, false);
	for (uint32_t i = 0; r < 0 && csprof_drivers[i]; i++) {
		if (!csprof_drivers[i]->in_handler)
			continue;
		r = start(s, csprof_drivers[i], s->sig, s->period, next_ns);
		*which = i;
	}
	s->lost = lost;
	return r;
}

bool csprof_source_sent(const struct csprof_source *s, const siginfo_t *info)
{
	return s->driver->sent(s, info) || (s->lost >= 0 && os_task_clock_sent(info, s->lost));
}
