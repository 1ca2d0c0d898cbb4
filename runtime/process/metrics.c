#include "runtime/csprof.h"

#include "runtime/base/options.h"
#include "runtime/cpu/slots.h"
#include "runtime/events/sampling.h"
#include "runtime/process/state.h"
#include "runtime/trees/mem.h"

#include <errno.h>
#include <string.h>

static struct store_metric metrics[STORE_MAX_METRICS];
static uint32_t num_metrics, max_metrics, num_common;
static uint32_t num_clocks; /* of a thread */

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

static void describe(struct store_metric *m, const char *name, const char *unit, uint64_t flags)
{
	memset(m, 0, sizeof *m);
	memcpy(m->name, name, strnlen(name, sizeof m->name - 1));
	memcpy(m->unit, unit, strnlen(unit, sizeof m->unit - 1));
	m->flags = flags;
	m->period = 1;
}

int csprof_set_metric_info_and_period(int id, const char *name, const char *unit, uint64_t flags,
				      uint64_t period, uint32_t event)
{
	if (id < 0 || (uint32_t)id >= num_metrics)
		return -EINVAL;
	describe(&metrics[id], name, unit, flags);
	metrics[id].period = period;
	metrics[id].event = event;
	return 0;
}

uint32_t csprof_num_metrics(void)
{
	return num_metrics;
}

uint32_t csprof_num_common_metrics(void)
{
	return num_common;
}

uint32_t csprof_num_clocks(void)
{
	return num_clocks;
}

void csprof_metrics_to_store(struct store_header *h)
{
	memcpy(h->metrics, metrics, sizeof h->metrics);
	h->num_metrics = num_metrics;
}

#define FITS(by, text, ...)                                                                        \
	_Static_assert(sizeof(text CSP_SAMPLES_SUFFIX) <= sizeof metrics->name, "a column's "      \
										"name");
CSPROF_EVENTS(FITS)
_Static_assert(CSPROF_NAME_BYTES + sizeof CSP_SAMPLES_SUFFIX - 1 <= sizeof metrics->name, "same");

/* The name of the column that counts the samples of the one with that name, which has room for it.
 */
static void name_samples(char out[sizeof metrics->name], const char *name)
{
	size_t length = strlen(name);
	memset(out, 0, sizeof metrics->name);
	memcpy(out, name, length + 1);
	memcpy(out + length, CSP_SAMPLES_SUFFIX, sizeof CSP_SAMPLES_SUFFIX);
}

/* Make the two columns of an event. */
static int add_event(struct csprof_measured *m, const struct csprof_event_request *request)
{
	char samples[sizeof metrics->name];
	const char *name = request->name;
	const struct csprof_sampling *by = csprof_samplings[request->event - csprof_events];
	uint32_t clock = by->clock ? num_clocks++ : CSPROF_CPU_CLOCK;
	*m = (struct csprof_measured){
	    .by = by,
	    .kind = request->kind,
	    .period = request->period,
	    .rate = request->rate,
	    .column = num_metrics,
	    .clock = clock,
	};
	name_samples(samples, name);
	atomic_store(&m->per_second, request->per_second);
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

/* It has no clock: what others are charged with is not the time of this thread. */
static uint32_t add_blame(uint64_t period)
{
	char samples[sizeof metrics->name];
	int id = csprof_new_metric(), n = csprof_new_metric();
	uint64_t flags = CSP_METRIC_ASYNC;
	name_samples(samples, CSP_BLAME);
	int r = csprof_set_metric_info_and_period(id, CSP_BLAME, "ns", flags, 1, CSP_NONE);
	if (r == 0)
		r = csprof_set_metric_info_and_period(n, samples, "count",
						      flags | CSP_METRIC_SAMPLES, period, CSP_NONE);
	return r < 0 ? CSP_NONE : (uint32_t)id;
}

/* The event that the looks at waiting threads are of, or NULL. */
static const struct csprof_event_request *find_waits(const struct csprof_event_request *requests,
						     uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct csprof_sampling *by =
		    csprof_samplings[requests[i].event - csprof_events];
		if (by->elapses && by->drivers[0])
			return &requests[i];
	}
	return NULL;
}

/* The metrics that the program made in an earlier measurement remain, in the same order, behind the
 * common ones: it knows them by their numbers. Put them to the end, where those are not. If there
 * are too many, the last ones are lost. */
static const struct store_metric *put_aside(const struct store_metric *own, uint32_t *n,
					    uint32_t num_before)
{
	uint32_t most = STORE_MAX_METRICS - num_before;
	*n = *n < most ? *n : most;
	return memmove(&metrics[STORE_MAX_METRICS - *n], own, *n * sizeof *own);
}

static void put_back(const struct store_metric *own, uint32_t n)
{
	memmove(&metrics[num_common], own, n * sizeof *own);
	num_metrics = num_common + n;
}

int csprof_metrics_init(const struct csprof_event_request *requests, uint32_t n)
{
	const struct store_metric *own = &metrics[num_common];
	uint32_t num_own = num_metrics - num_common;
	num_metrics = 0;
	csprof_process.num_measured = 0;
	bool counts = csprof_options.marks && csprof_options.returns != CSPROF_RETURNS_NONE &&
		      csprof_have_slots();
	const struct csprof_event_request *waits = find_waits(requests, n);
	uint32_t columns =
	    (n + (waits ? 1 : 0)) * CSPROF_EVENT_COLUMNS + (counts ? CSPROF_COUNT_COLUMNS : 0);
	int r = n <= CSPROF_MAX_MEASURED ? csprof_set_max_metrics(columns) : -E2BIG;
	if (r < 0)
		return r;
	own = put_aside(own, &num_own, columns);
	num_clocks = CSPROF_CPU_CLOCK + 1;
	csprof_process.samples_cpu = false;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		r = add_event(&csprof_process.measured[i], &requests[i]);
		csprof_process.num_measured += r == 0;
		csprof_process.samples_cpu |= csprof_process.measured[i].clock == CSPROF_CPU_CLOCK;
	}
	csprof_process.blame = r == 0 && waits ? add_blame(waits->period) : CSP_NONE;
	csprof_process.counts = (struct csprof_counts){CSP_NONE, CSP_NONE, CSP_NONE};
	if (r == 0 && counts)
		add_counts(&csprof_process.counts);
	num_common = num_metrics;
	put_back(own, num_own);
	return r;
}

/* ---- the program's own ------------------------------------------------------------------ */

static uint32_t find(const char *name)
{
	uint32_t i = 0;
	while (i < num_metrics && strcmp(metrics[i].name, name) != 0)
		i++;
	return i;
}

/* Make them in the store, too, before others can see them there. */
static int add_own(const char *name, const char *unit)
{
	char samples[sizeof metrics->name];
	int id = (int)num_metrics;
	if (num_metrics + 2 > STORE_MAX_METRICS)
		return -ENOSPC;
	name_samples(samples, name);
	describe(&metrics[id], name, unit, 0);
	describe(&metrics[id + 1], samples, "count", CSP_METRIC_SAMPLES);
	struct store_header *h = csprof_store_header();
	memcpy(&h->metrics[id], &metrics[id], 2 * sizeof *metrics);
	__atomic_store_n(&num_metrics, num_metrics + 2, __ATOMIC_RELEASE);
	__atomic_store_n(&h->num_metrics, num_metrics, __ATOMIC_RELEASE);
	return id;
}

int csprof_metric_of_program(const char *name, const char *unit)
{
	int id = -ENOTSUP;
	if (!name || !*name || strlen(name) + sizeof CSP_SAMPLES_SUFFIX > sizeof metrics->name)
		return -EINVAL;
	csprof_lock();
	if (csprof_process_counts()) {
		uint32_t known = find(name);
		if (known == num_metrics)
			id = add_own(name, unit ? unit : "");
		else
			id = csprof_metric_is_of_program(known) ? (int)known : -EINVAL;
	}
	csprof_unlock();
	return id;
}

/* A number below it is none, as those of the columns of an event were in every measurement. */
enum { FIRST_NUMBER = CSPROF_EVENT_COLUMNS };

int csprof_metric_number(int metric)
{
	return metric - (int)num_common + FIRST_NUMBER;
}

uint32_t csprof_metric_of_number(int number)
{
	return (uint32_t)(number - FIRST_NUMBER) + num_common;
}

bool csprof_metric_is_of_program(uint32_t metric)
{
	return metric >= num_common && metric < __atomic_load_n(&num_metrics, __ATOMIC_ACQUIRE) &&
	       !(metrics[metric].flags & CSP_METRIC_SAMPLES);
}
