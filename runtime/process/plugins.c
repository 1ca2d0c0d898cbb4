#include "runtime/process/plugins.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/process.h"
#include "runtime/sample/fault.h"
#include "runtime/sample/sampler.h"

#include <errno.h>
#include <string.h>

enum { MOST = 8 };
_Static_assert(HPCRUN_DRIVER_METRICS <= CSPROF_RECORDED_METRICS, "all at once");

struct plugin {
	_Atomic(const struct hpcrun_driver *) driver;
	atomic_bool on;
	atomic_bool samples; /* it may be asked for samples */
	volatile int forbidden;
	int metrics[HPCRUN_DRIVER_METRICS];
	struct hpcrun_driver_host host;
};
static CSPROF_LARGE struct plugin plugins[MOST];
static CSPROF_TOGETHER atomic_bool any; /* was ever started */

static struct plugin *next_on(struct plugin *p)
{
	p = p ? p + 1 : plugins;
	while (p < plugins + MOST && !atomic_load(&p->on))
		p++;
	return p < plugins + MOST ? p : NULL;
}

#define EACH_ON(p)                                                                                 \
	for (struct plugin *p = atomic_load(&any) ? next_on(NULL) : NULL; p; p = next_on(p))

/* ---- the start -------------------------------------------------------------------------- */

static const struct hpcrun_driver_host *off(const struct hpcrun_driver *driver, const char *why)
{
	char text[160] = "a driver is off: ";
	size_t n = strlen(text), more = strnlen(driver->name, 31);
	memcpy(text + n, driver->name, more);
	text[n + more] = ':';
	csprof_say(CSPROF_SAY_ALWAYS, text, why, INT64_MIN);
	return NULL;
}

/* Returns the place of the driver, or of a new one; NULL: there is none. */
static struct plugin *place_of(const struct hpcrun_driver *driver, bool *known)
{
	struct plugin *p = plugins;
	csprof_lock();
	while (p < plugins + MOST && atomic_load(&p->driver) && atomic_load(&p->driver) != driver)
		p++;
	*known = p < plugins + MOST && atomic_load(&p->driver);
	if (p == plugins + MOST)
		p = NULL;
	else
		atomic_store(&p->driver, driver);
	csprof_unlock();
	return p;
}

static bool make_metrics(struct plugin *p, const struct hpcrun_driver *driver)
{
	for (uint32_t i = 0; i < driver->num_metrics; i++) {
		int metric =
		    csprof_metric_of_program(driver->metrics[i].name, driver->metrics[i].unit);
		if (metric < 0)
			return false;
		p->metrics[i] = csprof_metric_number(metric);
	}
	return true;
}

const struct hpcrun_driver_host *csprof_plugin_start(const struct hpcrun_driver *driver,
						     const char *file)
{
	bool known;
	if (!csprof_process_measured())
		return NULL;
	if (driver->size < sizeof *driver)
		return off(driver, "it was made for another version of hpcrun");
	if (driver->num_metrics > HPCRUN_DRIVER_METRICS)
		return off(driver, "it has too many metrics");
	struct plugin *p = place_of(driver, &known);
	if (!p)
		return off(driver, "there are too many");
	if (known)
		return atomic_load(&p->on) ? &p->host : NULL;
	if (!make_metrics(p, driver))
		return off(driver, "there is no room for its metrics, or others have their names");
	p->host = (struct hpcrun_driver_host){.size = sizeof p->host,
					      .metrics = p->metrics,
					      .signal = csprof_process.sig,
					      .forbidden = &p->forbidden,
					      .now = os_clock_mono};
	if (driver->start && driver->start(&p->host, csprof_options_of_driver(file)) != 0)
		return NULL;
	atomic_store(&p->samples, driver->sampled != NULL);
	atomic_store(&p->on, true);
	atomic_store(&any, true);
	if (csprof_self && driver->thread_start)
		driver->thread_start();
	csprof_say(CSPROF_SAY_PROCESS, "driver started:", driver->name, INT64_MIN);
	return &p->host;
}

/* ---- threads and processes -------------------------------------------------------------- */

void csprof_plugins_thread_start(void)
{
	EACH_ON(p)
	if (p->driver->thread_start)
		p->driver->thread_start();
}

void csprof_plugins_thread_stop(void)
{
	EACH_ON(p)
	if (p->driver->thread_stop)
		p->driver->thread_stop();
}

void csprof_plugins_in_child(void)
{
	if (csprof_self)
		csprof_plugins_thread_start();
}

void csprof_plugins_exiting(void)
{
	EACH_ON(p)
	if (p->driver->exiting)
		p->driver->exiting();
}

void csprof_plugins_stop(bool again)
{
	EACH_ON(p)
	{
		if (p->driver->stop)
			p->driver->stop();
		if (!again)
			atomic_store(&p->on, false);
	}
}

void csprof_plugins_restrict(bool (*allowed)(const void *filter, int number), const void *filter)
{
	EACH_ON(p)
	{
		const int *call = p->driver->calls;
		while (call && *call >= 0 && allowed(filter, *call))
			call++;
		p->forbidden |= call && *call >= 0;
	}
}

/* ---- samples ---------------------------------------------------------------------------- */

/* The arguments of a call for csprof_attempt. */
struct plugin_asking {
	const struct hpcrun_driver *driver;
	const siginfo_t *info;
	void *ucontext;
	uint64_t *amounts;
	int n;
};

static void ask(csprof_state_t *state, void *arg)
{
	struct plugin_asking *a = arg;
	state->guard.foreign = true;
	a->n = a->driver->sampled(a->info, a->ucontext, a->amounts);
	state->guard.foreign = false;
}

static void record(const struct plugin *p, const struct plugin_asking *a)
{
	struct csprof_recording r = {.n = 0};
	for (int i = 0; i < a->n && i < HPCRUN_DRIVER_METRICS; i++)
		csprof_recording_add(&r, csprof_metric_of_number(p->metrics[i]), a->amounts[i]);
	if (r.n)
		csprof_record_interrupted(a->ucontext, &r);
}

/* Whether its source has sent the signal. The caller has set busy. */
static bool sample(struct plugin *p, csprof_state_t *state, const siginfo_t *info, void *ucontext)
{
	uint64_t amounts[HPCRUN_DRIVER_METRICS] = {0};
	enum csp_disposition why;
	bool can = csprof_samplers_wanted(state) && !csprof_context_is_unsafe(ucontext, &why);
	struct plugin_asking a = {p->driver, info, ucontext, can ? amounts : NULL, -1};
	bool whole = csprof_attempt(state, ask, &a);
	state->guard.foreign = false;
	if (!whole) {
		if (atomic_exchange(&p->samples, false)) /* else another thread has said it */
			off(p->driver, "it has faulted");
		return true;
	}
	if (can)
		record(p, &a);
	return a.n >= 0;
}

bool csprof_plugins_signal(csprof_state_t *state, const siginfo_t *info, void *ucontext)
{
	EACH_ON(p)
	{
		if (!atomic_load(&p->samples))
			continue;
		if (!state || atomic_exchange(&state->busy, true)) {
			if (p->driver->sampled(info, ucontext, NULL) >= 0)
				return true;
			continue;
		}
		bool sent = sample(p, state, info, ucontext);
		atomic_store(&state->busy, false);
		if (sent)
			return true;
	}
	return false;
}
