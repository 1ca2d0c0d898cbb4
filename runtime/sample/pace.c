#include "runtime/sample/pace.h"

#include "runtime/base/cost.h"
#include "runtime/base/scale.h"

#include <stdatomic.h>

/* NOT_KNOWN_NS is a long time for an interrupt and a signal on any machine. */
enum { WINDOW = 16, AVERAGED = 16, NOT_KNOWN_NS = 100 * 1000 };

/* What the thread sampled last has seen: the initial values for a new thread. */
static _Atomic(uint32_t) last_own;
static _Atomic(uint64_t) last_kernel = (uint64_t)UINT32_MAX << 1; /* the lowest bit: certain */

/* The launcher's value is preferred: what is seen is too much if all system calls are long. */
uint32_t csprof_pace_kernel(const struct csprof_pace *p)
{
	return p->said ? p->said : p->kernel != UINT32_MAX ? p->kernel : NOT_KNOWN_NS;
}

/* The larger value, for limits that must hold even if samples have become more expensive. A few
 * readings are not enough to say that they have: a host may have taken the CPU away in each, and
 * a thread whose source is not exact makes no others. */
static uint64_t cost(const struct csprof_pace *p, uint64_t own)
{
	uint32_t kernel = csprof_pace_kernel(p);
	return own + (p->certain && p->kernel > kernel ? p->kernel : kernel);
}

static uint32_t clip(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX - 1;
}

void csprof_pace_init(struct csprof_pace *p, uint64_t asked_ns, uint32_t share, uint32_t said)
{
	uint64_t kernel = atomic_load_explicit(&last_kernel, memory_order_relaxed);
	*p = (struct csprof_pace){
	    .asked = asked_ns,
	    .share = share,
	    .said = said,
	    .kernel = (uint32_t)(kernel >> 1),
	    .certain = kernel & 1,
	    .next = UINT32_MAX,
	    .own = atomic_load_explicit(&last_own, memory_order_relaxed),
	};
}

void csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact)
{
	p->due = exact ? now + next_ns : 0;
	p->until = now + next_ns - next_ns / 8;
}

uint64_t csprof_pace_early(const struct csprof_pace *p, uint64_t now)
{
	return now < p->until ? p->until - now : 0;
}

void csprof_pace_rearmed(struct csprof_pace *p)
{
	p->due = 0;
}

/* A reading before the due time says nothing. */
static void saw_kernel(struct csprof_pace *p, uint64_t began)
{
	if (!p->due || began <= p->due)
		return;
	uint32_t late = clip(began - p->due);
	if (late < p->next)
		p->next = late;
	if (late < p->kernel)
		p->kernel = late;
	if (++p->seen < WINDOW)
		return;
	p->kernel = p->next;
	p->certain = true;
	p->next = UINT32_MAX;
	p->seen = 0;
}

/* A sample that is much more expensive than usual (a page from the disk, a host that took the
 * CPU away) is followed by a longer pause of its own, and changes the average little; if many
 * are, the average follows. */
static void saw_own(struct csprof_pace *p, uint64_t own)
{
	enum { UNUSUAL = 4, UNUSUAL_NS = 10 * 1000 };
	uint64_t most = (uint64_t)p->own * UNUSUAL + UNUSUAL_NS;
	p->own = clip(((uint64_t)p->own * (AVERAGED - 1) + (own < most ? own : most)) / AVERAGED);
}

void csprof_pace_saw(struct csprof_pace *p, uint64_t began, uint64_t ended)
{
	saw_kernel(p, began);
	saw_own(p, ended - began);
	if (p->certain || !(atomic_load_explicit(&last_kernel, memory_order_relaxed) & 1))
		atomic_store_explicit(&last_kernel, (uint64_t)p->kernel << 1 | p->certain,
				      memory_order_relaxed);
	atomic_store_explicit(&last_own, p->own, memory_order_relaxed);
}

uint64_t csprof_pace_mean(const struct csprof_pace *p)
{
	uint64_t least =
	    csprof_larger(2 * CSPROF_PACE_LEAST_NS, CSPROF_PACE_MEAN * cost(p, p->own));
	uint64_t sample = p->own + csprof_pace_kernel(p);
	return csprof_larger(csprof_larger(p->asked, least), sample * CSPROF_WHOLE / p->share);
}

uint64_t csprof_pace_floor(const struct csprof_pace *p)
{
	return csprof_pace_rest(p, p->own);
}

uint64_t csprof_pace_rest(const struct csprof_pace *p, uint64_t own_ns)
{
	return csprof_larger(CSPROF_PACE_LEAST_NS, CSPROF_PACE_REST * cost(p, own_ns));
}
