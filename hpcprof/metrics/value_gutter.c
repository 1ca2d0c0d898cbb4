#include "hpcprof/metrics/value_gutter.h"

#include "hpcprof/metrics/ratio.h"
#include "hpcprof/terminal/layout.h"

#include <string.h>

enum { ROOMY = 100, VALUE = 8, GAP = 2 };

/* The width of a percentage, with its interval if there is one. */
static unsigned percent_width(const struct value_gutter *m)
{
	bool intervals = false;

	for (size_t i = 0; i < m->columns->len; i++)
		intervals |= m->columns->at[i].samples > 0;
	return intervals ? SHOWN_INTERVAL : SHOWN_PERCENT;
}

static bool self_has_value(const struct value_gutter *m)
{
	return m->columns->len == 1 && (m->width >= ROOMY || percent_width(m) == SHOWN_PERCENT);
}

static bool total_has_value(const struct value_gutter *m)
{
	return m->columns->len == 1 && m->width >= ROOMY + 2 * (percent_width(m) - SHOWN_PERCENT);
}

unsigned value_gutter_each(const struct common *o)
{
	return 2 * (shown_percent_width(o) + GAP);
}

static unsigned title(const struct value_gutter *m, FILE *out, const char *text, bool with_value)
{
	return (unsigned)fprintf(out, "%*s%*s", (int)percent_width(m), text,
				 with_value ? GAP + VALUE + GAP : GAP, "");
}

void value_gutter_titles(const struct value_gutter *m, FILE *out, const char *text)
{
	unsigned used;

	if (m->columns->len > 1) {
		for (size_t i = 0; i < m->columns->len; i++) {
			const char *name = m->columns->at[i].name;
			unsigned wide = layout_width(name), room = 2 * percent_width(m) + GAP;
			fprintf(out, "%*s%.*s", (int)(wide < room ? GAP + room - wide : GAP), "",
				(int)(wide <= room ? strlen(name) : room), name);
		}
		fputc('\n', out);
	}
	used = (unsigned)fprintf(out, "  ");
	for (size_t i = 0; i < m->columns->len; i++) {
		if (m->total_first)
			used += title(m, out, "total", total_has_value(m));
		used += title(m, out, "self", self_has_value(m));
		if (!m->total_first)
			used += title(m, out, "total", total_has_value(m));
	}
	for (size_t i = 0; i < m->columns->num_ratios; i++) {
		const char *name = m->columns->ratios[i].name;
		unsigned width = ratio_width(m->columns, i), wide = layout_width(name);
		used += width + GAP;
		fprintf(out, "%*s%s%*s", (int)(width - wide), "", name, GAP, "");
	}
	fprintf(out, "%.*s\n", used < m->width ? (int)(m->width - used) : 0, text);
}

static unsigned pair(const struct value_gutter *m, FILE *out, const struct shown_metric *c,
		     const uint64_t *value, bool with_value)
{
	char percent[SHOWN_PERCENT_BYTES] = "", number[LAYOUT_NUMBER_BYTES] = "";
	int width = (int)percent_width(m);

	if (value && *value)
		shown_metric_percent(percent, c, *value);
	if (value && *value && with_value)
		layout_value(number, *value, c->unit);
	if (with_value)
		return (unsigned)fprintf(out, "%*s  %*s  ", width, percent, VALUE, number);
	return (unsigned)fprintf(out, "%*s  ", width, percent);
}

static unsigned ratio(const struct value_gutter *m, FILE *out, size_t i, const uint64_t *values)
{
	char text[RATIO_BYTES] = "";

	if (values)
		ratio_text(text, m->columns, i, values);
	return (unsigned)fprintf(out, "%*s  ", (int)ratio_width(m->columns, i), text);
}

unsigned value_gutter_print(const struct value_gutter *m, FILE *out, char mark,
			    const uint64_t *exclusive, const uint64_t *inclusive)
{
	unsigned used = (unsigned)fprintf(out, "%c ", mark);

	for (size_t i = 0; i < m->columns->len; i++) {
		const struct shown_metric *c = &m->columns->at[i];
		const uint64_t *self = exclusive ? exclusive + i : NULL;
		const uint64_t *total = inclusive ? inclusive + i : NULL;
		if (m->total_first)
			used += pair(m, out, c, total, total_has_value(m));
		used += pair(m, out, c, self, self_has_value(m));
		if (!m->total_first)
			used += pair(m, out, c, total, total_has_value(m));
	}
	for (size_t i = 0; i < m->columns->num_ratios; i++)
		used += ratio(m, out, i, m->total_first || !exclusive ? inclusive : exclusive);
	return used;
}
