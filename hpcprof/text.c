/* The text view: a summary that fits a terminal. The sections are in files of their own. */
#include "hpcprof/text.h"

#include "hpcprof/views.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *format_list(struct text *t, const char *format, va_list ap)
{
	va_list again;
	char *out;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	out = n < 0 ? NULL : arena_alloc(&t->arena, (size_t)n + 1);
	if (out)
		vsnprintf(out, (size_t)n + 1, format, ap);
	else
		t->starved = true;
	return out;
}

const char *text_format(struct text *t, const char *format, ...)
{
	const char *out;
	va_list ap;

	va_start(ap, format);
	out = format_list(t, format, ap);
	va_end(ap);
	return out;
}

void text_title(struct text *t, const char *format, ...)
{
	va_list ap;

	fputs(t->o->color ? "\n\x1b[1m" : "\n", t->out);
	va_start(ap, format);
	vfprintf(t->out, format, ap);
	va_end(ap);
	fputs(t->o->color ? "\x1b[0m\n" : "\n", t->out);
}

enum { LABEL_WIDTH = 12 };

bool text_fact(struct text *t, const char *label, const char *format, ...)
{
	const char *value;
	va_list ap;

	va_start(ap, format);
	value = format_list(t, format, ap);
	va_end(ap);
	if (value)
		value = layout_cut_middle(&t->arena, value, t->o->width - LABEL_WIDTH - 2);
	if (value)
		fprintf(t->out, "  %-*s%s\n", LABEL_WIDTH, label, value);
	return value != NULL;
}

void text_paragraph(struct text *t, const char *format, ...)
{
	unsigned used = 0;
	const char *at;
	va_list ap;

	va_start(ap, format);
	at = format_list(t, format, ap);
	va_end(ap);
	while (at && *at) {
		size_t n = strcspn(at, " ");
		char word[512];
		unsigned wide;

		snprintf(word, sizeof word, "%.*s", (int)n, at);
		wide = layout_width(word);
		if (used && used + 1 + wide > t->o->width) {
			fputc('\n', t->out);
			used = 0;
		}
		fprintf(t->out, "%s%.*s", used ? " " : "  ", (int)n, at);
		used += wide + (used ? 1 : 2);
		at += n + strspn(at + n, " ");
	}
	fputc('\n', t->out);
}

bool text_value_cells(struct text *t, struct layout_table *table, uint64_t value, size_t column)
{
	const struct text_column *c = &t->columns[column];
	char number[LAYOUT_NUMBER_BYTES];

	return layout_number(table, layout_percent(number, value, c->total)) &&
	       layout_number(table, layout_value(number, value, c->unit));
}

size_t text_rows(const struct text *t, size_t most)
{
	if (!t->o->rows_given)
		return most;
	return t->o->rows ? (size_t)t->o->rows : SIZE_MAX;
}

static bool named(const struct model_metric *metric, const char *name)
{
	return strcasecmp(metric->name, name) == 0;
}

static bool add_column(struct text *t, size_t metric)
{
	const struct model_metric *m = &t->m->metrics.at[metric];
	const char *metric_name = layout_clean(&t->arena, m->name), *name = metric_name;

	if (name && t->o->samples)
		name = text_format(t, "%s samples", name);
	if (!name)
		return false;
	t->columns[t->num_columns++] = (struct text_column){
	    .metric = m,
	    .values = t->o->samples ? m->samples : m->events,
	    .unit = t->o->samples ? "count" : m->unit,
	    .metric_name = metric_name,
	    .name = name,
	    .total = t->o->samples ? m->total.samples : m->total.events,
	};
	return true;
}

/* A clean list of the metrics there are, for a message. */
static const char *metric_names(struct text *t)
{
	const char *all = "";
	for (size_t i = 0; all && i < t->m->metrics.len; i++) {
		const char *name = layout_clean(&t->arena, t->m->metrics.at[i].name);
		all = name ? text_format(t, "%s%s%s", all, i ? ", " : "", name) : NULL;
	}
	return all ? all : "";
}

/* The metrics of -m, in its order; else the first by name among the sampled ones, or, if
 * there is none, among all: a file's order means nothing once several are merged. */
static int choose_columns(struct text *t, struct error *e)
{
	const struct options *o = t->o;
	size_t best = SIZE_MAX;

	t->columns = calloc(o->metrics.len + 1, sizeof *t->columns);
	if (!t->columns)
		return error_memory(e, sizeof *t->columns);
	for (size_t k = 0; k < o->metrics.len; k++) {
		size_t i = 0;
		while (i < t->m->metrics.len && !named(&t->m->metrics.at[i], o->metrics.at[k]))
			i++;
		if (i == t->m->metrics.len)
			return error_set(e, ERROR_USAGE, "no metric '%s' (there are: %s)",
					 o->metrics.at[k], metric_names(t));
		if (!add_column(t, i))
			return error_memory(e, sizeof *t->columns);
	}
	for (size_t i = 0; !o->metrics.len && i < t->m->metrics.len; i++) {
		const struct model_metric *a = &t->m->metrics.at[i];
		const struct model_metric *b = best == SIZE_MAX ? NULL : &t->m->metrics.at[best];
		bool async_a = a->flags & CSP_METRIC_ASYNC;
		bool async_b = b && b->flags & CSP_METRIC_ASYNC;
		if (!b || async_a > async_b || (async_a == async_b && strcmp(a->name, b->name) < 0))
			best = i;
	}
	if (best != SIZE_MAX && !add_column(t, best))
		return error_memory(e, sizeof *t->columns);
	return 0;
}

static int print(FILE *out, const struct profile *p, const struct options *o, struct error *e)
{
	struct text t = {.out = out, .p = p, .m = p->model, .c = &p->code, .o = o};
	const uint64_t **values = NULL;
	int rc = choose_columns(&t, e);

	if (rc == 0)
		values = calloc(t.num_columns + 1, sizeof *values);
	for (size_t i = 0; values && i < t.num_columns; i++)
		values[i] = t.columns[i].values;
	if (rc == 0 && !values)
		rc = error_memory(e, sizeof *values);
	if (rc == 0)
		rc = attribute(p->model, &p->code, values, t.num_columns, &t.a, e);
	if (rc == 0 &&
	    (!(text_measured(&t) && text_tables(&t) && text_paths(&t) && text_quality(&t)) ||
	     t.starved))
		rc = error_memory(e, 0);
	attribution_deinit(&t.a);
	free(values);
	free(t.columns);
	arena_deinit(&t.arena);
	return rc;
}

const struct view text_view = {
    .name = "text",
    .summary = "a summary: where the time went, by which paths, how sure that is",
    .takes = OPTION_METRIC | OPTION_ROWS | OPTION_SORT | OPTION_SAMPLES | OPTION_NO_INLINE |
	     OPTION_SYMBOLS | OPTION_THREADS,
    .print = print,
};
