#include "runtime/csprof.h"

#include <errno.h>
#include <string.h>

static struct store_metric metrics[STORE_MAX_METRICS];
static uint32_t num_metrics, max_metrics;

int csprof_set_max_metrics(uint32_t max)
{
	if (max > STORE_MAX_METRICS || num_metrics > 0)
		return -EINVAL;
	max_metrics = max;
	return 0;
}

int csprof_new_metric(void)
{
	return num_metrics < max_metrics ? (int)num_metrics++ : -ENOSPC;
}

int csprof_set_metric_info_and_period(int id, const char *name, const char *unit, uint64_t flags,
				      uint64_t period, uint32_t event)
{
	if (id < 0 || (uint32_t)id >= num_metrics)
		return -EINVAL;
	struct store_metric *m = &metrics[id];
	memset(m, 0, sizeof *m);
	memcpy(m->name, name, strnlen(name, sizeof m->name - 1));
	memcpy(m->unit, unit, strnlen(unit, sizeof m->unit - 1));
	m->flags = flags;
	m->period = period;
	m->event = event;
	return 0;
}

uint32_t csprof_num_metrics(void)
{
	return num_metrics;
}

void csprof_metrics_to_store(struct store_header *h)
{
	memcpy(h->metrics, metrics, sizeof h->metrics);
}

int csprof_metrics_init(uint64_t period_ns)
{
	num_metrics = 0;
	int r = csprof_set_max_metrics(CSPROF_CPUTIME_COLUMNS);
	if (r == 0)
		r = csprof_set_metric_info_and_period(csprof_new_metric(), "CPUTIME", "ns",
						      CSP_METRIC_ASYNC, 1, 0);
	if (r == 0)
		r = csprof_set_metric_info_and_period(
		    csprof_new_metric(), "CPUTIME" CSP_SAMPLES_SUFFIX, "count",
		    CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, period_ns, 0);
	return r;
}
