#include "hpcprof/metrics/shown_metrics.h"

#include "formats/base/nearest.h"
#include "formats/datafile.h"
#include "hpcprof/metrics/interval.h"
#include "hpcprof/metrics/ratio.h"
#include "hpcprof/model/sums.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "a, b"; NULL if memory ran out, or if a or b is NULL. */
static const char *listed(struct arena *arena, const char *a, const char *b)
{
	char *out, *to;

	if (!a || !b)
		return NULL;
	to = out = arena_alloc(arena, strlen(a) + strlen(b) + 3);
	if (!out)
		return NULL;
	if (a[0])
		to = stpcpy(stpcpy(to, a), ", ");
	strcpy(to, b);
	return out;
}

const char *shown_metrics_names(const struct shown_metrics *c, struct arena *a)
{
	const char *all = "";
	for (size_t i = 0; i < c->len; i++)
		all = listed(a, all, c->at[i].name);
	return all && c->left_out ? layout_format(a, "%s and %zu more", all, c->left_out) : all;
}

/* A clean list of all metrics, for a message. */
static const char *metric_names(const struct model *m, struct arena *a)
{
	const char *all = "";
	for (size_t i = 0; i < m->metrics.len; i++)
		all = listed(a, all, layout_clean(a, m->metrics.at[i].name));
	return all ? all : "";
}

static bool add_column(struct shown_metrics *out, const struct model *m,
		       const struct model_metric *metric, const struct common *o, struct arena *a)
{
	static const char counted[] = " samples", estimated[] = " samples, estimated";
	const char *suffix = !o->samples ? "" : model_num_estimated(m) ? estimated : counted;
	const char *metric_name = layout_clean(a, metric->name);
	char *name = metric_name ? arena_alloc(a, strlen(metric_name) + sizeof estimated) : NULL;

	if (!name)
		return false;
	strcpy(stpcpy(name, metric_name), suffix);
	out->values[out->len] = o->samples ? metric->samples : metric->events;
	out->at[out->len] = (struct shown_metric){
	    .metric = metric,
	    .values = out->values[out->len],
	    .of_samples = o->samples,
	    .unit = o->samples ? "count" : metric->unit,
	    .metric_name = metric_name,
	    .name = name,
	    .total = o->samples ? metric->total.samples : metric->total.events,
	    .samples = o->ci ? interval_samples(m, metric, o->samples) : 0,
	};
	out->len++;
	return true;
}

/* Whether all files are of other profilers, which put the metric first that matters most. */
static bool is_foreign(const struct model *m)
{
	bool all = m->processes.len > 0;

	for (size_t i = 0; i < m->processes.len; i++)
		all &= m->processes.at[i].foreign;
	return all;
}

/* Whether it is shown without -m. Activations are not, as their sums along a path mean nothing:
 * views have a place of their own for them. */
static bool is_usual(const struct model_metric *metric)
{
	return !(metric->flags & MODEL_ACTIVATION_FLAGS);
}

struct metric_order {
	bool as_in_files, has_sum;
};

/* A sum first, then its parts as a user thinks of them, then all others. */
static int part_of_sum(const struct model_metric *metric, bool has_sum)
{
	int part = model_realtime_part(metric);

	if (metric->flags & MODEL_SUM || !has_sum)
		return -1;
	return part < 0 ? MODEL_REALTIME_PARTS : part;
}

/* Metrics with values first, then sampled ones, then sums, then by name, or as in the files. */
static int by_use(const void *pa, const void *pb, void *context)
{
	const struct metric_order *order = context;
	const struct model_metric *a = *(const struct model_metric *const *)pa;
	const struct model_metric *b = *(const struct model_metric *const *)pb;
	int used =
	    (int)(b->total.samples || b->total.events) - (int)(a->total.samples || a->total.events);
	int sampled = (int)!!(b->flags & CSP_METRIC_ASYNC) - (int)!!(a->flags & CSP_METRIC_ASYNC);

	if (used || sampled)
		return used ? used : sampled;
	if (order->as_in_files && a->position != b->position)
		return a->position < b->position ? -1 : 1;
	int part = part_of_sum(a, order->has_sum) - part_of_sum(b, order->has_sum);
	return part ? part : strcmp(a->name, b->name);
}

static int choose_all(struct shown_metrics *out, const struct model *m, const struct common *o,
		      size_t most, struct arena *a, struct error *e)
{
	size_t n = 0, used = 0;
	const struct model_metric **sorted =
	    calloc(m->metrics.len + 1, sizeof(struct model_metric *));
	const struct metric_order order = {is_foreign(m), model_num_recorded(m) < m->metrics.len};
	bool ok = sorted != NULL;

	for (size_t i = 0; ok && i < m->metrics.len; i++) {
		if (!is_usual(&m->metrics.at[i]))
			continue;
		sorted[n++] = &m->metrics.at[i];
		used += m->metrics.at[i].total.samples || m->metrics.at[i].total.events;
	}
	if (ok)
		qsort_r(sorted, n, sizeof(struct model_metric *), by_use, (void *)&order);
	for (size_t i = 0; ok && i < n && i < most && (i < used || !i); i++)
		ok = add_column(out, m, sorted[i], o, a);
	out->left_out = used > out->len ? used - out->len : 0;
	free(sorted);
	return ok ? 0 : error_memory(e, n * sizeof(struct model_metric *));
}

/* The metric that text names, followed by part (which may be ""). NULL if there is none. */
static const struct model_metric *find_metric(const struct model *m, const char *text,
					      const char *part)
{
	size_t n = strlen(text), end = strlen(part);

	if (n < end || strcasecmp(text + n - end, part) != 0)
		return NULL;
	for (size_t i = 0; i < m->metrics.len; i++) {
		const char *name = m->metrics.at[i].name;
		if (strlen(name) == n - end && strncasecmp(name, text, n - end) == 0)
			return &m->metrics.at[i];
	}
	return NULL;
}

bool shown_metrics_known(const struct model *m, const char *name)
{
	return find_metric(m, name, "") != NULL;
}

bool shown_metrics_have(struct shown_metrics *out, const struct model *m, const struct common *o,
			const char *name, struct arena *a, size_t *column)
{
	const struct model_metric *metric = find_metric(m, name, "");

	for (*column = 0; *column < out->len; ++*column)
		if (out->at[*column].metric == metric)
			return true;
	return add_column(out, m, metric, o, a);
}

int shown_metrics_unknown(const struct model *m, const char *name, struct arena *a, struct error *e)
{
	struct nearest near = {.typed = name};
	char hint[NEAREST_TEXT];

	for (size_t i = 0; i < m->metrics.len; i++) {
		const char *known = layout_clean(a, m->metrics.at[i].name);
		if (known)
			nearest_offer(&near, known, strlen(known));
	}
	return error_set(e, ERROR_USAGE, "no metric '%.100s'%s (the metrics are: %s)", name,
			 nearest_text(hint, &near, ""), metric_names(m, a));
}

/* Choose a metric of -m: its name, followed by a part in views that compare profiles. */
static int choose_named(struct shown_metrics *out, const struct model *m, const struct common *o,
			const char *text, bool has_parts, struct arena *a, struct error *e)
{
	static const char *const parts[] = {
	    [PART_ANY] = "", [PART_SUM] = ":sum", [PART_MIN] = ":min", [PART_MAX] = ":max"};
	int last = has_parts ? PART_MAX : PART_ANY;
	const struct model_metric *metric = NULL;
	int part = PART_ANY;

	for (; part <= last && !(metric = find_metric(m, text, parts[part])); part++)
		;
	if (!metric)
		return shown_metrics_unknown(m, text, a, e);
	if (!add_column(out, m, metric, o, a))
		return error_memory(e, sizeof *out->at);
	out->at[out->len - 1].part = (enum shown_part)part;
	return 0;
}

static int choose_metrics(struct shown_metrics *out, const struct model *m, const struct common *o,
			  bool has_parts, size_t most, struct arena *a, struct error *e)
{
	size_t room = (o->metrics.len > m->metrics.len ? o->metrics.len : m->metrics.len) + 1 +
		      2 * o->ratios.len;

	memset(out, 0, sizeof *out);
	out->at = calloc(room, sizeof *out->at);
	out->values = calloc(room, sizeof *out->values);
	if (!out->at || !out->values)
		return error_memory(e, room * sizeof *out->at);
	if (2 * o->ratios.len < most) /* their metrics need room, too */
		most -= 2 * o->ratios.len;
	else if (o->ratios.len)
		most = 1;
	if (!o->metrics.len)
		return choose_all(out, m, o, most, a, e);
	for (size_t k = 0; k < o->metrics.len; k++)
		if (choose_named(out, m, o, o->metrics.at[k], has_parts, a, e) != 0)
			return -1;
	return 0;
}

int shown_metrics_choose(struct shown_metrics *out, const struct model *m, const struct common *o,
			 bool has_parts, size_t most, struct arena *a, struct error *e)
{
	if (choose_metrics(out, m, o, has_parts, most, a, e) != 0)
		return -1;
	return ratio_choose(out, m, o, a, e);
}

int shown_metrics_add_samples(struct shown_metrics *c, struct error *e)
{
	size_t n = c->len;
	struct shown_metric *at = calloc(2 * n + 1, sizeof *at);
	const uint64_t **values = calloc(2 * n + 1, sizeof *values);

	if (!at || !values) {
		free(at);
		free(values);
		return error_memory(e, n * sizeof *at);
	}
	for (size_t i = 0; i < n; i++) {
		const struct model_metric *m = c->at[i].metric;
		at[i] = at[n + i] = c->at[i];
		at[n + i].values = m->samples;
		at[n + i].unit = "count";
		at[n + i].total = m->total.samples;
		at[n + i].of_samples = true;
		values[i] = m->events;
		values[n + i] = m->samples;
	}
	free(c->at);
	free(c->values);
	c->at = at;
	c->values = values;
	c->len = 2 * n;
	return 0;
}

void shown_metrics_deinit(struct shown_metrics *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->copies && i < c->len; i++)
		free(c->copies[i]);
	free(c->copies);
	free(c->outside);
	free(c->ratios);
	free(c->at);
	free(c->values);
	memset(c, 0, sizeof *c);
}

char *shown_metric_percent(char out[SHOWN_PERCENT_BYTES], const struct shown_metric *c,
			   uint64_t value)
{
	char percent[LAYOUT_NUMBER_BYTES];
	struct interval i;

	layout_percent(percent, value, c->total);
	if (!c->samples || !c->total) {
		snprintf(out, SHOWN_PERCENT_BYTES, "%s", percent);
		return out;
	}
	i = interval_share(value, c->total, c->samples);
	snprintf(out, SHOWN_PERCENT_BYTES, "%s [%.1f, %.1f]", percent, 100 * i.low, 100 * i.high);
	return out;
}

size_t shown_metrics_fitting(const struct common *o, unsigned label, unsigned each)
{
	label += ratio_widths(o);
	return o->width >= label + 2 * each ? (o->width - label) / each : 1;
}
