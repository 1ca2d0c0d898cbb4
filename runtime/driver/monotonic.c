/* The timer of a thread that computes.
 *
 * A monotonic timer is exact, and the cheapest of all sources, but would wake a blocked
 * thread. So it is armed only where the thread gave its CPU up at no time since its last
 * sample (its voluntary context switches stand still): then it is running now, and by the
 * evidence it goes on running. Where others run in its place meanwhile, the timer expires too
 * early, and is armed again for what is missing (csprof_pace_early): at most once each time
 * that the thread has lost its CPU. */
#include "runtime/driver/driver.h"
#include "runtime/os/os.h"

#include <errno.h>

enum { NONE = -1, REFUSED = -2 };

int csprof_monotonic_arm(struct csprof_source *s, uint64_t ns)
{
	if (s->mono_timer == NONE) {
		s->mono_timer = os_timer_create(OS_CLOCK_MONOTONIC, s->sig, s);
		if (s->mono_timer < 0)
			s->mono_timer = REFUSED; /* not to be asked again */
	}
	return s->mono_timer >= 0 ? os_timer_arm(s->mono_timer, ns) : -ENOTSUP;
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
