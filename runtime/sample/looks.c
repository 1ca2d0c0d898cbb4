#include "runtime/sample/looks.h"

#include "runtime/base/options.h"
#include "runtime/base/scale.h"
#include "runtime/base/sections.h"
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <stdbool.h>

enum {
	SIGNAL_NS = 10 * 1000, /* where the launcher has not measured what a signal costs */
	LOOK = 3,              /* a look costs about as much as so many signals */
	AT_ONCE = 100,         /* an image may make so many looks at any time; */
	FIRST = 300,           /* so many more at first, */
	FIRST_PART = 80,       /* for one part in so many of a CPU; */
	PER_CPU = 1000,        /* later for one part in so many of a CPU, */
	PER_SAMPLED = 6,       /* or of what samples of CPU time take, if that is more */
	CHILD = 10,            /* so many a forked child beside that: they cost what its fork did */
};

/* ns of CPU time by looks and by samples of CPU time, and the start of the image. */
struct account {
	_Atomic(uint64_t) spent, sampled;
	uint64_t start;
};
/* Shared with forked processes; without such a page, each has what it inherited. */
static struct account *shared;
static struct account own;

/* What a forked child may still spend beside that, and when it began. */
static CSPROF_TOGETHER _Atomic(int64_t) childs;
static CSPROF_TOGETHER uint64_t child_start;

static const uint64_t longest_ns = 60ull * 1000 * 1000 * 1000;

uint64_t csprof_looks_signal(void)
{
	return csprof_options.cost.timer ? csprof_options.cost.timer : SIGNAL_NS;
}

static uint64_t look(void)
{
	return LOOK * csprof_looks_signal();
}

void csprof_looks_start(void)
{
	if (shared && shared != &own) /* of an earlier measurement */
		os_unmap(shared, sizeof *shared);
	own = (struct account){0};
	shared = os_map_shared(sizeof *shared);
	if (!shared)
		shared = &own;
	shared->start = os_clock_mono();
	atomic_store(&childs, 0);
	child_start = 0;
}

void csprof_looks_in_child(void)
{
	atomic_store(&childs, CHILD * (int64_t)look());
	child_start = os_clock_mono();
}

static uint64_t allowed(uint64_t now)
{
	uint64_t elapsed = now - shared->start;
	uint64_t share = atomic_load_explicit(&shared->sampled, memory_order_relaxed) / PER_SAMPLED;
	return AT_ONCE * look() + csprof_smaller(FIRST * look(), elapsed / FIRST_PART) +
	       csprof_larger(share, elapsed / PER_CPU);
}

enum { ONE = 1024 };

/* Of what is allowed, in units of one part in ONE. */
static uint64_t used(uint64_t now)
{
	uint64_t have = allowed(now) / ONE + 1;
	return atomic_load_explicit(&shared->spent, memory_order_relaxed) / have;
}

static bool child_may(void)
{
	return atomic_load_explicit(&childs, memory_order_relaxed) > 0;
}

/* As requested, and longer by the sixteenth power of the ratio if more was spent than is allowed:
 * so that is never exceeded by much, and a thread is looked at more often as soon as there is time.
 * A child that uses its own part makes gaps as long as it has lived, so that a few looks see its
 * start, and the next second. */
uint64_t csprof_looks_gap(uint64_t asked)
{
	enum { SQUARES = 4, MOST = 1 << 30 };
	uint64_t now = os_clock_mono(), ratio = used(now);
	if (ratio <= ONE)
		return asked;
	for (int i = 0; i < SQUARES; i++)
		ratio = csprof_smaller(ratio, MOST) * csprof_smaller(ratio, MOST) / ONE;
	uint64_t longer = csprof_smaller(asked * csprof_smaller(ratio, MOST) / ONE, longest_ns);
	if (child_may())
		longer = csprof_smaller(longer, now - child_start);
	return csprof_larger(asked, longer);
}

void csprof_looks_spent(uint64_t ns)
{
	if (child_may() && used(os_clock_mono()) > ONE)
		atomic_fetch_sub_explicit(&childs, (int64_t)ns, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(&shared->spent, ns, memory_order_relaxed);
}

void csprof_looks_allow(uint64_t ns)
{
	atomic_fetch_add_explicit(&shared->sampled, ns, memory_order_relaxed);
}
