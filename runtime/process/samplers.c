#include "runtime/process/samplers.h"

static bool is_measured(const struct csprof_sampler *p)
{
	return atomic_load(&csprof_process.measuring) &&
	       atomic_load_explicit(&p->rest, memory_order_relaxed) != CSP_MEASURING_OFF;
}

bool csprof_sampler_wanted(const struct csprof_sampler *p)
{
	return is_measured(p) && !atomic_load(&p->stopped);
}

bool csprof_samplers_measured(const csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (is_measured(p))
			return true;
	return false;
}

bool csprof_samplers_any(const csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver)
			return true;
	return false;
}

bool csprof_samplers_wanted(const csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (csprof_sampler_wanted(p))
			return true;
	return false;
}

bool csprof_samplers_pending(const csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (atomic_load(&p->sampled))
			return true;
	return false;
}

void csprof_samplers_quiet(csprof_state_t *state)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver)
			p->source.driver->quiet(&p->source);
}

void csprof_sampler_hush(const csprof_state_t *state, struct csprof_sampler *p)
{
	const struct csprof_driver *driver = p->source.driver;
	if (driver)
		(state != csprof_self && driver->hush ? driver->hush : driver->quiet)(&p->source);
}

void csprof_samplers_rest(csprof_state_t *state, enum csp_disposition why)
{
	CSPROF_EACH_SAMPLER (state, p) {
		enum csp_disposition sampled = CSP_TAIL;
		if (why == CSP_MEASURING_OFF)
			atomic_store(&p->rest, why);
		else
			atomic_compare_exchange_strong(&p->rest, &sampled, why);
	}
}

bool csprof_samplers_resting(const csprof_state_t *state, enum csp_disposition why)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver && atomic_load(&p->rest) == why)
			return true;
	return false;
}

void csprof_samplers_stop(csprof_state_t *state, bool in_child)
{
	CSPROF_EACH_SAMPLER (state, p)
		if (p->source.driver)
			p->source.driver->stop(&p->source, in_child);
}
