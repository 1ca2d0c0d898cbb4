/* The text view: a summary that fits a terminal. The sections are in files of their own. */
#include "hpcprof/text.h"

#include "hpcprof/views.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *format_list(struct text *t, const char *format, va_list ap)
{
	const char *out = layout_format_list(&t->arena, format, ap);

	if (!out)
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
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = format_list(t, format, ap);
	va_end(ap);
	fputc('\n', t->out);
	if (text)
		layout_title(t->out, t->o->color, text);
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
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = format_list(t, format, ap);
	va_end(ap);
	if (text)
		layout_paragraph(t->out, t->o->width, text);
}

bool text_value_cells(struct text *t, struct layout_table *table, uint64_t value, size_t column)
{
	const struct column *c = &t->columns[column];
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

/* Of each metric four numbers stand beside the names, one percentage or two without a value. */
enum { NAMES = 34, EACH = 23, GAP = 2, UNIT = 10 };

static unsigned each_metric(const struct profile *p, const struct options *o)
{
	unsigned percents = 2 * (columns_percent_width(o) + GAP);
	unsigned units = text_compare_columns(p, o);

	if (units)
		return percents + units * UNIT;
	return o->ci ? percents : EACH;
}

static bool print_all(struct text *t)
{
	return text_measured(t) && text_compared(t) && text_tables(t) && text_paths(t) &&
	       text_quality(t) && !t->starved;
}

static int print(FILE *out, const struct profile *p, const struct options *o, struct error *e)
{
	struct text t = {.out = out, .p = p, .m = p->model, .c = &p->code, .o = o};
	struct columns columns;
	int rc = columns_choose(&columns, p->model, o, columns_fitting(o, NAMES, each_metric(p, o)),
				&t.arena, e);

	t.columns = columns.at;
	t.chosen = &columns;
	t.num_columns = columns.len;
	t.columns_left_out = columns.left_out;
	if (rc == 0)
		rc = attribute(p->model, &p->code, columns.values, columns.len, &t.a, e);
	if (rc == 0 && !(text_tables_choose(&t) && text_paths_choose(&t)))
		rc = error_memory(e, 0);
	if (rc == 0)
		rc = text_compare_units(&t, e);
	if (rc == 0 && !print_all(&t))
		rc = error_memory(e, 0);
	text_compare_deinit(&t);
	text_paths_deinit(&t);
	text_tables_deinit(&t);
	attribution_deinit(&t.a);
	columns_deinit(&columns);
	arena_deinit(&t.arena);
	return rc;
}

const struct view text_view = {
    .name = "text",
    .summary = "a summary: where the time went, by which paths, how sure that is",
    .takes = OPTION_METRIC | OPTION_ROWS | OPTION_SORT | OPTION_SAMPLES | OPTION_NO_INLINE |
	     OPTION_SYMBOLS | OPTION_THREADS | OPTION_JOIN | OPTION_STATS | OPTION_COLLECTIVE |
	     OPTION_CI,
    .print = print,
};
