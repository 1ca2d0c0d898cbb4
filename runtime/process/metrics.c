#include "runtime/csprof.h"

#include "runtime/base/options.h"
#include "runtime/cpu/slots.h"
#include "runtime/events/sampling.h"
#include "runtime/process/state.h"

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

#define FITS(id, text, ...)                                                                        \
	_Static_assert(sizeof(text CSP_SAMPLES_SUFFIX) <= sizeof metrics->name, "a column's "      \
										"name");
CSPROF_EVENTS(FITS)

/* Make the two columns of an event. */
static int add_event(struct csprof_measured *m, uint32_t clock,
		     const struct csprof_event_request *request)
{
	char samples[sizeof metrics->name] = "";
	const char *name = request->event->name;
	*m = (struct csprof_measured){
	    .event = request->event,
	    .by = csprof_samplings[request->event - csprof_events],
	    .period = request->period,
	    .rate = request->rate,
	    .column = num_metrics,
	    .clock = clock,
	};
	size_t length = strlen(name);
	memcpy(samples, name, length + 1);
	memcpy(samples + length, CSP_SAMPLES_SUFFIX, sizeof CSP_SAMPLES_SUFFIX);
	int r = csprof_set_metric_info_and_period(csprof_new_metric(), name, request->event->unit,
						  m->by->flags, 1, clock);
	return r < 0 ? r
		     : csprof_set_metric_info_and_period(csprof_new_metric(), samples, "count",
							 m->by->flags | CSP_METRIC_SAMPLES,
							 request->period, clock);
}

static uint32_t add_count(const char *name, uint64_t flags)
{
	int id = csprof_new_metric();
	int r = csprof_set_metric_info_and_period(id, name, "count", flags, 1, 0);
	return r < 0 ? CSP_NONE : (uint32_t)id;
}

static void add_counts(struct csprof_counts *c)
{
	c->activations = add_count(CSP_ACTIVATIONS, CSP_METRIC_ACTIVATIONS);
	bool all = csprof_options.returns == CSPROF_RETURNS_ALL;
	c->returns = add_count(all ? CSP_RETURNS : CSP_FIRST_RETURNS, CSP_METRIC_RETURNS);
	c->abandoned = add_count(all ? CSP_ABANDONED : CSP_FIRST_ABANDONED, CSP_METRIC_ABANDONED);
}

int csprof_metrics_init(const struct csprof_event_request *requests, uint32_t n)
{
	num_metrics = 0;
	csprof_process.num_measured = 0;
	bool counts = csprof_options.marks && csprof_options.returns != CSPROF_RETURNS_NONE &&
		      csprof_have_slots();
	uint32_t columns = n * CSPROF_EVENT_COLUMNS + (counts ? CSPROF_COUNT_COLUMNS : 0);
	int r = n <= CSPROF_MAX_MEASURED ? csprof_set_max_metrics(columns) : -E2BIG;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		r = add_event(&csprof_process.measured[i], i, &requests[i]);
		csprof_process.num_measured += r == 0;
	}
	csprof_process.counts = (struct csprof_counts){CSP_NONE, CSP_NONE, CSP_NONE};
	if (r == 0 && counts)
		add_counts(&csprof_process.counts);
	return r;
}
