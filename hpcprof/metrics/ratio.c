#include "hpcprof/metrics/ratio.h"

#include "hpcprof/metrics/interval.h"
#include "hpcprof/model/sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, NUMBER = 6, WITH_INTERVAL = 22 };

/* ---- what is asked for ------------------------------------------------------------------ */

/* NAME=ABOVE/BELOW: where ABOVE begins. Terms of a PMU's event have an = too, after a slash. */
static const char *after_name(const char *text)
{
	size_t n = strcspn(text, "=/");

	return text[n] == '=' ? text + n + 1 : text;
}

/* Find the metrics at both sides of one of the slashes: names may have some. */
static bool split(struct shown_metrics *columns, const struct model *m, const struct common *o,
		  const char *text, struct shown_ratio *r, struct arena *a)
{
	for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *above = layout_format(a, "%.*s", (int)(slash - text), text);

		if (!above)
			return false;
		if (shown_metrics_known(m, above) && shown_metrics_known(m, slash + 1))
			return shown_metrics_have(columns, m, o, above, a, &r->above) &&
			       shown_metrics_have(columns, m, o, slash + 1, a, &r->below);
	}
	r->name = NULL;
	return true;
}

/* Which of the two there is not, if there is one slash. */
static int no_ratio(const struct model *m, const char *text, const char *whole, struct arena *a,
		    struct error *e)
{
	const char *slash = strchr(text, '/');

	if (slash && !strchr(slash + 1, '/')) {
		const char *above = layout_format(a, "%.*s", (int)(slash - text), text);
		if (!above)
			return error_memory(e, strlen(text));
		return shown_metrics_unknown(m, shown_metrics_known(m, above) ? slash + 1 : above,
					     a, e);
	}
	return error_set(e, ERROR_USAGE, "--ratio '%.100s': expected two metrics, as in %s", whole,
			 "REALTIME/CPUTIME");
}

int ratio_choose(struct shown_metrics *columns, const struct model *m, const struct common *o,
		 struct arena *a, struct error *e)
{
	size_t n = o->ratios.len;

	if (!n)
		return 0;
	if (o->samples)
		return error_set(e, ERROR_USAGE,
				 "--ratio is of events: it cannot be combined with --samples");
	columns->ratios = calloc(n, sizeof *columns->ratios);
	if (!columns->ratios)
		return error_memory(e, n * sizeof *columns->ratios);
	for (size_t i = 0; i < n; i++) {
		const char *whole = o->ratios.at[i], *text = after_name(whole);
		struct shown_ratio *r = &columns->ratios[i];

		r->name = text == whole ? whole
					: layout_format(a, "%.*s", (int)(text - whole) - 1, whole);
		r->name = r->name ? layout_clean(a, r->name) : NULL;
		if (!r->name || !split(columns, m, o, text, r, a))
			return error_memory(e, strlen(whole));
		if (!r->name)
			return no_ratio(m, text, whole, a, e);
	}
	columns->num_ratios = n;
	return 0;
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Three digits that count. */
static void print_number(char *out, size_t size, double value)
{
	if (value == 0)
		snprintf(out, size, "0");
	else if (value >= 1e6 || value < 1e-4)
		snprintf(out, size, "%.1e", value);
	else if (value >= 100)
		snprintf(out, size, "%.0f", value);
	else
		snprintf(out, size, "%.*f",
			 value >= 10    ? 1
			 : value >= 1   ? 2
			 : value >= 0.1 ? 3
					: 4,
			 value);
}

/* The effective number of samples in the value; if there is none, what may have been missed with a
 * probability of 5%: three (Hanley and Lippman-Hand, JAMA 249, 1983). */
static double samples_in(const struct shown_metric *c, uint64_t value)
{
	const double missed = 3;
	double n = c->total ? c->samples * (double)value / (double)c->total : 0;

	return n > 0 ? n : missed;
}

/* Of a sum and a part of it: 1, and what the other parts are of that one. */
static void print_interval(char out[RATIO_BYTES], const struct shown_metric *above, uint64_t a,
			   const struct shown_metric *below, uint64_t b)
{
	const double z = 1.959963984540054; /* 97.5% of a normal distribution are below */
	bool part = above->metric->flags & MODEL_SUM && model_realtime_part(below->metric) >= 0;
	double base = part ? 1 : 0;

	a -= part ? b : 0;
	double n = samples_in(above, a), m = samples_in(below, b);
	double factor = exp(z * sqrt(1 / n + 1 / m)), ratio = (double)a / (double)b;
	double missed = n * (double)above->total / above->samples / (double)b;
	char low[RATIO_BYTES / 4], high[RATIO_BYTES / 4];
	size_t length = strlen(out);

	print_number(low, sizeof low, base + ratio / factor);
	print_number(high, sizeof high, base + (a ? ratio * factor : missed));
	snprintf(out + length, RATIO_BYTES - length, " [%s, %s]", low, high);
}

char *ratio_text(char out[RATIO_BYTES], const struct shown_metrics *columns, size_t ratio,
		 const uint64_t *values)
{
	const struct shown_ratio *r = &columns->ratios[ratio];
	const struct shown_metric *above = &columns->at[r->above], *below = &columns->at[r->below];
	uint64_t a = values[r->above], b = values[r->below];

	snprintf(out, RATIO_BYTES, "%s", a && !b ? "-" : "");
	if (!b)
		return out;
	print_number(out, RATIO_BYTES, (double)a / (double)b);
	if (above->samples > 0 && below->samples > 0)
		print_interval(out, above, a, below, b);
	return out;
}

/* ---- widths ----------------------------------------------------------------------------- */

static unsigned width_of(const char *name, unsigned number)
{
	unsigned width = layout_width(name);

	return width > number ? width : number;
}

unsigned ratio_width(const struct shown_metrics *columns, size_t ratio)
{
	const struct shown_ratio *r = &columns->ratios[ratio];
	bool intervals = columns->at[r->above].samples > 0 && columns->at[r->below].samples > 0;

	return width_of(r->name, intervals ? WITH_INTERVAL : NUMBER);
}

unsigned ratio_widths(const struct common *o)
{
	unsigned all = 0;

	for (size_t i = 0; i < o->ratios.len; i++) {
		const char *text = o->ratios.at[i], *above = after_name(text);
		unsigned name =
		    (unsigned)(above == text ? strlen(text) : (size_t)(above - text) - 1);
		unsigned number = o->ci ? WITH_INTERVAL : NUMBER;

		all += GAP + (name > number ? name : number);
	}
	return all;
}
