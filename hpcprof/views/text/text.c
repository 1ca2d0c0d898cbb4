/* The text view: a summary that fits a terminal. Each section has a file of its own. */
#include "hpcprof/views/text/text.h"

#include "hpcprof/command/list.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/metrics/ratio.h"

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
	const struct shown_metric *c = &t->columns[column];
	char number[LAYOUT_NUMBER_BYTES];

	return layout_number(table, layout_percent(number, value, c->total)) &&
	       layout_number(table, layout_value(number, value, c->unit));
}

bool text_row_cells(struct text *t, struct layout_table *table, const uint64_t *values)
{
	bool ok = values != NULL;

	for (size_t i = 0; ok && i < t->num_columns; i++)
		ok = text_value_cells(t, table, values[i], i);
	return ok && text_ratio_cells(t, table, values);
}

bool text_ratio_cells(struct text *t, struct layout_table *table, const uint64_t *values)
{
	char ratio[RATIO_BYTES];
	bool ok = true;

	for (size_t i = 0; ok && i < t->num_ratios; i++)
		ok = layout_number(table, ratio_text(ratio, t->chosen, i, values));
	return ok;
}

void text_ratio_titles(const struct text *t, struct layout_column *titles, size_t *n)
{
	for (size_t i = 0; i < t->num_ratios; i++)
		titles[(*n)++] =
		    (struct layout_column){t->chosen->ratios[i].name, true, CUT_NOT, 0};
}

size_t text_rows(const struct text *t, size_t most)
{
	return t->o->rows ? (size_t)t->o->rows : most;
}

/* Each metric has four numbers beside the names; one percentage, or two without a value. */
enum { NAMES = 34, EACH = 23, GAP = 2, UNIT = 10 };

static unsigned each_metric(const struct profile *p, const struct text_options *own)
{
	const struct common *o = &own->common;
	unsigned percents = 2 * (shown_percent_width(o) + GAP);
	unsigned units = text_compare_columns(p, own);

	if (units)
		return percents + units * UNIT;
	return o->ci ? percents : EACH;
}

/* Which sections there are: those asked for, or the answer in short. filtered: only some paths are
 * shown. */
static void choose_sections(struct text *t, bool filtered)
{
	const struct text_options *o = t->own;

	t->brief = !o->all;
	for (size_t i = 0; i < SECTIONS; i++)
		t->brief &= !o->sections[i];
	for (size_t i = 0; i < SECTIONS; i++)
		t->shows[i] = o->all || o->sections[i];
	if (t->brief)
		t->shows[SECTION_WAITS] = t->shows[SECTION_REGIONS] = t->shows[SECTION_FUNCTIONS] =
		    t->shows[SECTION_ACTIVATIONS] = t->shows[SECTION_CALLS] =
			t->shows[SECTION_QUALITY] = true;
	/* the values of processes and threads are those of all paths */
	if (t->brief)
		t->shows[SECTION_PROCESSES] = t->shows[SECTION_THREADS] = !filtered;
	t->shows[SECTION_FUNCTIONS] &= !o->outline;
	t->shows[SECTION_ACTIVATIONS] &= !o->outline;
	t->shows[SECTION_CALLS] &= !t->flat && !o->outline;
}

static bool print_text(struct text *t, const struct text_span *s)
{
	bool empty = !t->num_columns || !t->columns[0].total;
	bool time = !t->num_columns || strcmp(t->columns[0].unit, "ns") == 0;

	if (!text_headline(t, s))
		return false;
	if ((t->shows[SECTION_MEASURED] && !text_measured(t, s)) ||
	    (t->shows[SECTION_PROCESSES] && !text_processes(t, NULL)) ||
	    (t->shows[SECTION_THREADS] && !text_threads(t, NULL)) ||
	    (t->shows[SECTION_WAITS] && !text_waits(t)) ||
	    (t->shows[SECTION_REGIONS] && !text_regions(t)) || !text_compared(t))
		return false;
	if (empty) {
		text_title(t, "No samples");
		text_paragraph(t, "Nothing was recorded%s%s. This is normal %s.",
			       t->num_columns ? " for " : "",
			       t->num_columns ? t->columns[0].metric_name : "",
			       time ? "for a program that hardly used the CPU"
				    : "if there were fewer than in a sample's period");
	} else if (!text_tables(t) || (t->shows[SECTION_ACTIVATIONS] && !text_activations(t)) ||
		   (t->shows[SECTION_CALLS] && !text_paths(t))) {
		return false;
	}
	if (t->shows[SECTION_QUALITY] && !text_quality(t))
		return false;
	if (t->brief && !empty) {
		fputc('\n', t->out);
		text_paragraph(
		    t,
		    "More: --all shows files, lines, load modules and more on the quality "
		    "of the data; see also hpcprof %s.",
		    t->flat ? "annotate" : "tree, annotate and callers");
		if (t->m->has_labels && !t->o->group_by.len && !t->o->labels.len)
			text_paragraph(t, "There are labels: 'hpcprof query labels' shows them, "
					  "and --group-by KEY groups all by one.");
	}
	return !t->starved;
}

static int print_all(struct text *t, struct error *e)
{
	struct text_span s;

	if (!text_span_measure(t, &s))
		return error_memory(e, 0);
	if (t->o->json)
		return text_json(t, &s, e);
	return print_text(t, &s) ? 0 : error_memory(e, 0);
}

int text_report(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct text_options *own = options;
	const struct common *o = &own->common;
	struct text t = {.out = out, .p = p, .m = p->model, .c = &p->code, .own = own, .o = o};
	struct shown_metrics columns;
	size_t most = o->json ? SIZE_MAX : shown_metrics_fitting(o, NAMES, each_metric(p, own));
	int rc = shown_metrics_choose(&columns, p->model, o, true, most, &t.arena, e);

	t.columns = columns.at;
	t.chosen = &columns;
	t.num_columns = columns.len;
	t.num_ratios = columns.num_ratios;
	t.columns_left_out = columns.left_out;
	t.flat = p->model->processes.len && model_num_flat(p->model) == p->model->processes.len;
	if (rc == 0)
		rc = path_filter(&columns, p->model, &p->code, o, e);
	choose_sections(&t, columns.outside != NULL);
	if (rc == 0)
		rc = attribute(p->model, &p->code, text_tables_wanted(&t), columns.values,
			       columns.len, &t.a, e);
	if (rc == 0 && columns.len)
		rc = kernel_part(p->model, &p->code, columns.values[0], &t.kernel, e);
	if (rc == 0 && !(text_tables_choose(&t) && text_paths_choose(&t)))
		rc = error_memory(e, 0);
	if (rc == 0 && !o->json)
		rc = text_compare_units(&t, e);
	if (rc == 0)
		rc = print_all(&t, e);
	text_compare_deinit(&t);
	text_paths_deinit(&t);
	text_tables_deinit(&t);
	kernel_part_deinit(&t.kernel);
	attribute_deinit(&t.a);
	shown_metrics_deinit(&columns);
	arena_deinit(&t.arena);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct text_options *o = options;
	bool columns = o->collective && (o->common.by || o->common.num_profiles > 1);
	const struct profile_request wanted = {
	    .common = &o->common, .threads = true, .units = o->common.stats || columns};

	if (common_check_json(&o->common, "text", e) != 0)
		return -1;
	return profile_show(out, &wanted, text_report, options, d, e);
}

static void set_defaults(void *options)
{
	struct text_options *o = options;

	o->collective = TEXT_COLLECTIVE;
}

#define SECTION(name, section, help)                                                               \
	{                                                                                          \
		0, name, NULL, help, option_flag,                                                  \
		    offsetof(struct text_options, sections[section]), NULL                         \
	}

static const struct option_row own_options[] = {
    {0, "all", NULL, "show every section", option_flag, offsetof(struct text_options, all), NULL},
    SECTION("measured", SECTION_MEASURED, "show what was measured, when, how and on what host"),
    SECTION("processes", SECTION_PROCESSES,
	    "show the processes, each with its command and its end"),
    SECTION("threads", SECTION_THREADS, "show the threads by name and by what created them"),
    SECTION("waits", SECTION_WAITS, "show what threads waited for, where, and who made them wait"),
    SECTION("regions", SECTION_REGIONS,
	    "show the regions that the program names, and how often they were entered"),
    SECTION("modules", SECTION_MODULES, "show the load modules"),
    SECTION("folders", SECTION_FOLDERS, "show the folders of source files"),
    SECTION("files", SECTION_FILES, "show the source files"),
    SECTION("namespaces", SECTION_NAMESPACES, "show namespaces, crates and packages"),
    SECTION("functions", SECTION_FUNCTIONS, "show the functions"),
    SECTION("lines", SECTION_LINES, "show the source lines"),
    SECTION("activations", SECTION_ACTIVATIONS,
	    "show how often functions were called, and how long each call took"),
    SECTION("calls", SECTION_CALLS, "show the hot part of the call tree"),
    SECTION("quality", SECTION_QUALITY, "show how reliable the data is"),
    {0, "collective", "N",
     "compare fewer than N profiles by columns, more by sum, min and max (4; 0: neither)",
     option_count, offsetof(struct text_options, collective), NULL},
    {0}};

static const struct option_row *const tables[] = {common_choice_options,   common_paths_options,
						  common_under_options,    common_metrics_options,
						  common_ratio_options,    common_rows_options,
						  common_values_options,   common_stats_options,
						  common_json_options,     own_options,
						  common_inlining_options, common_symbols_options,
						  common_loading_options,  NULL};

const struct command text_command = {
    .name = "text",
    .summary = "where the time went: functions, calls, and whether the data is reliable",
    .newest = true,
    .options = tables,
    .size = sizeof(struct text_options),
    .set_defaults = set_defaults,
    .run = run,
    .print = text_report,
};
