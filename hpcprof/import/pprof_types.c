/* The metrics of pprof's sample types. */
#include "formats/pprof.h"
#include "hpcprof/import/pprof_reader.h"

#include "hpcprof/model/sum.h"

#include <string.h>

static int read_type(struct pprof_reader *r, struct cursor c, const char **name, const char **unit)
{
	struct wire_field f;
	int rc = 0;

	*name = *unit = NULL;
	while (rc == 0 && cursor_left(&c)) {
		size_t at = c.pos;
		if (!wire_field(&c, &f))
			return pprof_damaged(r, at, "a sample type is damaged");
		if (f.number == PPROF_VALUE_TYPE_TYPE)
			rc = pprof_text_in(r, &f, at, name);
		else if (f.number == PPROF_VALUE_TYPE_UNIT)
			rc = pprof_text_in(r, &f, at, unit);
	}
	if (!*name)
		*name = "value";
	if (!*unit)
		*unit = "";
	return rc;
}

/* The unit of the model, and the factor to it. */
static const char *our_unit(const char *unit, uint64_t *factor)
{
	static const struct {
		const char *name, *ours;
		uint64_t factor;
	} units[] = {{"nanoseconds", "ns", 1},
		     {"microseconds", "ns", 1000},
		     {"milliseconds", "ns", 1000000},
		     {"seconds", "ns", 1000000000},
		     {"count", "", 1}};

	*factor = 1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].name) == 0) {
			*factor = units[i].factor;
			return units[i].ours;
		}
	return unit;
}

static bool is_same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* Whether name is base followed by suffix. */
static bool is_suffixed(const char *name, const char *base, size_t base_n, const char *suffix)
{
	return strncmp(name, base, base_n) == 0 && strcmp(name + base_n, suffix) == 0;
}

/* Whether a type is the number of samples of another. */
static bool is_samples_of(const struct pprof_reader *r, size_t samples, size_t events)
{
	const struct pprof_type *s = &r->sample_types.at[samples];
	const struct pprof_type *t = &r->sample_types.at[events];
	const char *mark = strrchr(t->name, '_');

	if (samples == events || strcmp(s->unit, "count") != 0)
		return false;
	if (mark && (strcmp(mark, "_samples") == 0 || strcmp(mark, "_sample") == 0))
		return false;
	if (strcmp(s->name, "samples") == 0 && r->sample_types.len == 2)
		return strcmp(t->unit, "count") != 0;
	if (mark && strcmp(mark, "_event") == 0)
		return is_suffixed(s->name, t->name, (size_t)(mark - t->name), "_sample");
	return is_suffixed(s->name, t->name, strlen(t->name), "_samples");
}

/* The type with the samples of a type, or its own index. */
static size_t samples_of(const struct pprof_reader *r, size_t events)
{
	for (size_t i = 0; i < r->sample_types.len; i++)
		if (is_samples_of(r, i, events))
			return i;
	return events;
}

/* The time on a CPU has one name, so that it can be compared. */
static const char *our_name(struct pprof_reader *r, const struct pprof_type *t)
{
	const char *mark = t->paired ? strrchr(t->name, '_') : NULL;

	if (strcmp(t->name, "cpu") == 0 && strcmp(t->unit, "nanoseconds") == 0)
		return "CPUTIME";
	if (mark && strcmp(mark, "_event") == 0)
		return parsed_text(r->p, t->name, (size_t)(mark - t->name));
	return t->name;
}

/* Make the metric of a type. */
static int make_metric(struct pprof_reader *r, struct pprof_type *t, bool periodic)
{
	struct parsed_metric metric = {.name = our_name(r, t),
				       .unit = our_unit(t->unit, &t->factor)};
	bool saturated = false;

	metric.counted = t->paired || strcmp(t->name, "samples") == 0;
	if (periodic && r->period <= INT64_MAX)
		metric.period = sum_mul(r->period, t->factor, &saturated);
	metric.sampled = metric.counted || metric.period > 1;
	t->metric = metric.name ? parsed_metric(r->p, &metric) : PARSED_NONE;
	return t->metric == PARSED_NONE ? pprof_out_of_memory(r) : 0;
}

/* The type that is shown if none is chosen. There is at least one. */
static size_t preferred_type(const struct pprof_reader *r)
{
	size_t n = r->sample_types.len;
	const struct span *name =
	    r->preferred && r->preferred < r->strings.len ? &r->strings.at[r->preferred] : NULL;

	for (size_t i = 0; name && i < n; i++)
		if (span_is(*name, r->sample_types.at[i].name))
			return i;
	return n - 1;
}

/* Make a metric of each type that is not the samples of another. */
static int make_metrics(struct pprof_reader *r, const char *period_name, const char *period_unit)
{
	struct pprof_type *types = r->sample_types.at;
	size_t n = r->sample_types.len;
	size_t first = preferred_type(r);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		size_t samples = samples_of(r, i);
		types[i].paired = samples != i;
		types[samples].samples |= samples != i;
	}
	/* the preferred one is the first metric */
	for (size_t i = 0; rc == 0 && i <= n; i++) {
		struct pprof_type *t = &types[i ? i - 1 : first];
		if (!t->samples && (!i || i - 1 != first))
			rc = make_metric(
			    r, t, is_same(t->name, period_name) && is_same(t->unit, period_unit));
	}
	for (size_t i = 0; i < n; i++)
		if (types[i].paired && !types[i].samples)
			types[samples_of(r, i)].metric = types[i].metric;
	return rc;
}

int pprof_types_read(struct pprof_reader *r)
{
	const char *period_name = "", *period_unit = "";
	int rc = 0;

	if (r->types.len > PARSED_METRICS_MOST)
		return error_set(r->e, ERROR_LIMIT, "more than %d sample types",
				 PARSED_METRICS_MOST);
	for (size_t i = 0; rc == 0 && i < r->types.len; i++) {
		struct pprof_type t = {0};
		rc = read_type(r, r->types.at[i], &t.name, &t.unit);
		if (rc == 0 && !vec_push(&r->sample_types, t))
			rc = pprof_out_of_memory(r);
	}
	if (rc == 0 && r->period_type.base)
		rc = read_type(r, r->period_type, &period_name, &period_unit);
	return rc == 0 ? make_metrics(r, period_name, period_unit) : rc;
}
