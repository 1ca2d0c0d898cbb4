/* The text view: a summary that fits a terminal. The sections are in files of their own. */
#include "hpcprof/text.h"

#include "hpcprof/views.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

/* Of each metric four numbers stand beside the names. */
enum { NAMES = 34, EACH = 23 };

static int print(FILE *out, const struct profile *p, const struct options *o, struct error *e)
{
	struct text t = {.out = out, .p = p, .m = p->model, .c = &p->code, .o = o};
	struct columns columns;
	int rc =
	    columns_choose(&columns, p->model, o, columns_fitting(o, NAMES, EACH), &t.arena, e);

	t.columns = columns.at;
	t.num_columns = columns.len;
	t.columns_left_out = columns.left_out;
	if (rc == 0)
		rc = attribute(p->model, &p->code, columns.values, columns.len, &t.a, e);
	if (rc == 0 &&
	    (!(text_measured(&t) && text_tables(&t) && text_paths(&t) && text_quality(&t)) ||
	     t.starved))
		rc = error_memory(e, 0);
	attribution_deinit(&t.a);
	columns_deinit(&columns);
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
