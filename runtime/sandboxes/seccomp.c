#include "runtime/sandboxes/seccomp.h"

#include "runtime/base/message.h"
#include "runtime/cpu/port.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/plugins.h"
#include "runtime/process/process.h"
#include "runtime/process/samplers.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sandboxes/bpf.h"
#include "runtime/trees/mem.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>

static __thread bool confined, filtered;
static atomic_bool all_filtered, all_confined, all_refused, sharing_refused;

bool csprof_confined(void)
{
	return confined || atomic_load_explicit(&all_confined, memory_order_relaxed);
}

bool csprof_filtered(void)
{
	return filtered || atomic_load_explicit(&all_filtered, memory_order_relaxed);
}

bool csprof_may_share(void)
{
	return !csprof_confined() && !atomic_load_explicit(&sharing_refused, memory_order_relaxed);
}

bool csprof_sampling_refused(void)
{
	return atomic_load(&all_refused);
}

/* ---- evaluating the filter ----------------------------------------------------------- */

static bool allowed(const struct sock_fprog *filter, const struct os_need *need)
{
	struct seccomp_data call = {
	    .nr = need->number,
	    .arch = CSPROF_CPU_AUDIT,
	    .instruction_pointer = (uintptr_t)csprof_confined,
	};
	for (int i = 0; i < 6; i++)
		call.args[i] = need->args[i];
	uint32_t verdict = csprof_bpf_run(filter->filter, filter->len, &call);
	switch (verdict & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return true;
	case SECCOMP_RET_ERRNO:
		return !need->must;
	}
	return false;
}

/* filter NULL: strict mode. needs NULL: none. */
static bool all_allowed(const struct sock_fprog *filter, const struct os_need *needs)
{
	for (; needs && needs->number != OS_NEEDS_END; needs++)
		if (!filter || !allowed(filter, needs))
			return false;
	return true;
}

/* For the drivers that are loaded with the program. */
static bool call_allowed(const void *filter, int number)
{
	struct os_need need = {.number = number, .must = true};
	return filter && allowed(filter, &need);
}

/* The calls that a source makes in a handler. */
static bool source_allowed(const struct sock_fprog *filter, const struct csprof_source *s)
{
	return !s->driver ||
	       (all_allowed(filter, s->driver->needs) &&
		(!atomic_load(&s->later) || all_allowed(filter, s->driver->needs_later)));
}

/* The calls that start, silence and stop sources; a handler may also make them, if a source was
 * closed. */
static bool event_allowed(const struct sock_fprog *filter, const struct csprof_sampling *by)
{
	for (size_t i = 0; by->drivers[i]; i++)
		for (size_t k = 0; k < CSPROF_DRIVER_SETUPS; k++)
			if (!all_allowed(filter, by->drivers[i]->needs_setup[k]))
				return false;
	return all_allowed(filter, by->needs);
}

static bool sampling_allowed(const struct sock_fprog *filter)
{
	if (!all_allowed(filter, os_needs_in_handler))
		return false;
	for (uint32_t e = 0; e < csprof_process.num_measured; e++)
		if (!event_allowed(filter, csprof_process.measured[e].by))
			return false;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		CSPROF_EACH_SAMPLER (s, p)
			if (!source_allowed(filter, &p->source))
				return false;
	return true;
}

/* ---- restricting ----------------------------------------------------------------------- */

static void each_thread(bool all, void (*what)(csprof_state_t *))
{
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (all || s == csprof_self)
			what(s);
}

/* Stop the source now, because that could be forbidden later; but not while a handler may still
 * arm it. */
static void end_sampling(csprof_state_t *s)
{
	if (!csprof_samplers_any(s))
		return;
	csprof_samplers_rest(s, CSP_MEASURING_OFF);
	csprof_samplers_quiet(s);
	if (!csprof_thread_wait_idle(s, os_clock_mono() + CSPROF_WAIT_NS))
		return;
	csprof_samplers_stop(s, false);
	CSPROF_EACH_SAMPLER (s, p)
		p->source.driver = NULL;
}

void csprof_seccomp_before(struct csprof_confining *c, const struct sock_fprog *filter,
			   bool all_threads)
{
	*c = (struct csprof_confining){.filtered_before = filtered};
	filtered = true;
	if (!csprof_process_measured())
		return;
	if (all_threads)
		atomic_store(&all_filtered, true);
	csprof_sources_freeze();
	csprof_sample_settle();
	/* later threads inherit it from the only one */
	all_threads |= csprof_process.threads == csprof_self && csprof_self && !csprof_self->next;
	c->all_threads = all_threads;
	c->confined = !all_allowed(filter, os_needs_elsewhere);
	if (!all_allowed(filter, os_needs_share))
		atomic_store(&sharing_refused,
			     true); /* also if the filter is refused: little is lost */
	if (c->confined && !csprof_store_survives()) {
		c->finished = csprof_process_finish("confined");
	} else {
		csprof_lock();
		csprof_plugins_restrict(call_allowed, filter);
		c->off = !sampling_allowed(filter);
		c->closed = c->off && c->confined && all_threads;
		if (c->off)
			each_thread(all_threads, end_sampling);
		if (c->closed)
			each_thread(all_threads, csprof_thread_close);
		if (c->off && all_threads)
			atomic_store(&all_refused, true);
		csprof_unlock();
	}
	if (c->off || c->finished)
		csprof_say(CSPROF_SAY_SOURCE,
			   "the program restricts its system calls: sampling stops here", NULL,
			   INT64_MIN);
	if (c->confined && all_threads)
		atomic_store(&all_confined, true);
	else if (c->confined)
		confined = true;
}

void csprof_seccomp_failed(const struct csprof_confining *c)
{
	if (c->confined && c->all_threads)
		atomic_store(&all_confined, false);
	else if (c->confined)
		confined = false;
	filtered = c->filtered_before;
	if (c->finished)
		csprof_process_resume();
	if (!c->off)
		return;
	csprof_lock();
	if (c->all_threads)
		atomic_store(&all_refused, false);
	if (c->closed)
		each_thread(c->all_threads, csprof_thread_reopen);
	/* other threads cannot get a source from here */
	if (csprof_self && !csprof_samplers_any(csprof_self))
		csprof_thread_resample(csprof_self);
	csprof_unlock();
	csprof_say(CSPROF_SAY_SOURCE, "the restriction failed: sampling continues", NULL,
		   INT64_MIN);
}

void csprof_seccomp_new_thread(void)
{
	if (confined)
		atomic_store(&all_confined, true);
	if (filtered)
		atomic_store(&all_filtered, true);
}

/* ---- the program's calls ---------------------------------------------------------------- */

/* Whether the filter is readable and has a length that the kernel accepts. */
static bool is_filter(const struct sock_fprog *f)
{
	if (!os_readable((uintptr_t)f) || !os_readable((uintptr_t)(f + 1) - 1))
		return false;
	return f->len > 0 && f->len <= BPF_MAXINSNS && os_readable((uintptr_t)f->filter) &&
	       os_readable((uintptr_t)(f->filter + f->len) - 1);
}

long csprof_seccomp_prctl(int option, const unsigned long *args)
{
	const struct sock_fprog *filter = (const struct sock_fprog *)args[1];
	struct csprof_confining c;
	bool strict = args[0] == SECCOMP_MODE_STRICT;
	if (option != PR_SET_SECCOMP ||
	    (!strict && (args[0] != SECCOMP_MODE_FILTER || !is_filter(filter))))
		return os_prctl(option, args);
	csprof_seccomp_before(&c, strict ? NULL : filter, false);
	long r = os_prctl(option, args);
	if (r < 0)
		csprof_seccomp_failed(&c);
	return r;
}

long csprof_seccomp_call(unsigned operation, unsigned flags, const struct sock_fprog *filter)
{
	struct csprof_confining c;
	bool strict = operation == SECCOMP_SET_MODE_STRICT && !flags && !filter;
	if (!strict && (operation != SECCOMP_SET_MODE_FILTER || !is_filter(filter)))
		return os_seccomp(operation, flags, filter);
	csprof_seccomp_before(&c, strict ? NULL : filter, flags & SECCOMP_FILTER_FLAG_TSYNC);
	long r = os_seccomp(operation, flags, filter);
	/* with TSYNC r may be a thread that could not be synchronised */
	if (r < 0 || (r > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)))
		csprof_seccomp_failed(&c);
	return r;
}
