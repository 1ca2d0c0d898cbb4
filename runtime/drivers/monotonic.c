/* The timer of a thread that computes.
 *
 * A monotonic timer is exact, and the cheapest source, but would wake a blocked thread. So it is
 * armed only if the thread has not given up its CPU since its last sample (its voluntary context
 * switches have not changed): then it is running, and will probably continue to run. If other
 * threads run on its CPU in the meantime, the timer expires too early, and is armed again for
 * the missing time (csprof_pace_early): at most once each time that the thread has lost its CPU. */
#include "runtime/drivers/driver.h"
#include "runtime/os/os.h"

#include <errno.h>

enum { NONE = -1, REFUSED = -2 };

int csprof_monotonic_arm(struct csprof_source *s, uint64_t ns)
{
	if (s->mono_timer == NONE) {
		s->mono_timer = os_timer_create(OS_CLOCK_MONOTONIC, s->sig, s);
		if (s->mono_timer < 0)
			s->mono_timer = REFUSED; /* do not try again */
	}
	return s->mono_timer >= 0 ? os_timer_arm(s->mono_timer, ns) : -ENOTSUP;
}

void csprof_monotonic_hush(struct csprof_source *s)
{
	(void)s;
}

void csprof_monotonic_quiet(struct csprof_source *s)
{
	if (s->mono_timer >= 0)
		os_timer_arm(s->mono_timer, 0);
}

void csprof_monotonic_end(struct csprof_source *s)
{
	if (s->mono_timer >= 0)
		os_timer_delete(s->mono_timer);
	s->mono_timer = NONE;
}
