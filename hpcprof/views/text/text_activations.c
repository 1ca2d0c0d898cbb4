/* The text view's tables of activations: by function, and by call. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/activations.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

enum { FUNCTION_ROWS = 15, BRIEF_ROWS = 8, SITE_ROWS = 15 };

/* The column whose values are per activation: the first, if it was sampled. */
static const struct shown_metric *time_column(const struct text *t)
{
	const struct shown_metric *c = t->num_columns ? &t->columns[0] : NULL;

	return c && c->metric->flags & CSP_METRIC_ASYNC ? c : NULL;
}

static bool number_cells(struct text *t, struct layout_table *table, const struct activations *a,
			 const struct activations_row *row)
{
	const struct model_metric *of = t->columns[0].metric;
	const char *unit = t->columns[0].unit, *each = "-";
	char number[LAYOUT_NUMBER_BYTES], of_one[ACTIVATIONS_EACH_BYTES];
	bool ok = layout_number(table, layout_value(number, row->time, unit));

	if (ok && a->entered)
		ok = layout_number(table, layout_exact(number, row->entered));
	if (row->entered)
		each = activations_each(of_one, of, row->time, row->innermost, row->entered, unit);
	if (ok && a->entered)
		ok = layout_number(table, each);
	if (ok && a->returned)
		ok = layout_number(table, layout_exact(number, row->returned));
	if (ok && a->abandoned)
		ok = layout_number(table, layout_exact(number, row->abandoned));
	return ok;
}

static bool function_cells(struct text *t, struct layout_table *table,
			   const struct activations_row *row)
{
	uint32_t module = t->c->functions.at[row->function].module;

	return layout_cell(table, label_function(t->c, &t->arena, row->function)) &&
	       layout_cell(table, label_module_base(t->m, &t->arena, module));
}

static bool site_cells(struct text *t, struct layout_table *table,
		       const struct activations_row *row)
{
	const char *caller = "(no caller)", *line = "";

	if (row->caller != ACTIVATIONS_NONE) {
		line = label_line(t->m, t->c, &t->arena, row->line);
		caller = label_function(t->c, &t->arena, row->caller);
	}
	return layout_cell(table, label_function(t->c, &t->arena, row->function)) &&
	       layout_cell(table, caller) && layout_cell(table, line);
}

static bool print_rows(struct text *t, const struct activations *a,
		       const struct activations_row *rows, size_t n, size_t most)
{
	static const struct layout_column of_function[] = {{"function", false, CUT_NAME, 12},
							   {"load module", false, CUT_LEFT, 11}};
	static const struct layout_column of_site[] = {{"function", false, CUT_NAME, 12},
						       {"caller", false, CUT_NAME, 12},
						       {"called from", false, CUT_LEFT, 16}};
	struct layout_column columns[8] = {{"total", true, CUT_NOT, 0},
					   {"activations", true, CUT_NOT, 0},
					   {"each", true, CUT_NOT, 0}};
	struct layout_table table = {.arena = &t->arena, .columns = columns};
	bool sites = rows == a->sites.at, ok = true;
	const struct layout_column *labels = sites ? of_site : of_function;
	size_t num_labels =
	    sites ? sizeof of_site / sizeof *of_site : sizeof of_function / sizeof *of_function;

	table.num_columns = a->entered ? 3 : 1;
	if (a->returned)
		columns[table.num_columns++] = (struct layout_column){
		    a->all ? "returned" : "first returned", true, CUT_NOT, 0};
	if (a->abandoned)
		columns[table.num_columns++] = (struct layout_column){
		    a->all ? "abandoned" : "first abandoned", true, CUT_NOT, 0};
	for (size_t i = 0; i < num_labels; i++)
		columns[table.num_columns++] = labels[i];
	for (size_t i = 0; ok && i < n && i < most; i++)
		ok = number_cells(t, &table, a, &rows[i]) &&
		     (sites ? site_cells : function_cells)(t, &table, &rows[i]);
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	if (ok && n > most)
		text_paragraph(t, "... and %zu more (-n %zu shows all)", n - most, n);
	return ok;
}

static void explain(struct text *t, const struct activations *a)
{
	const struct shown_metric *c = &t->columns[0];
	char interval[LAYOUT_NUMBER_BYTES];

	if (a->entered)
		text_paragraph(
		    t,
		    "An activation is a call that was sampled while the function called "
		    "others. \"each\" is right where it is well above %s, the interval "
		    "between samples, and has no \"<\"; otherwise calls are shorter, and "
		    "there were more. \"<\": many samples were in the function itself, "
		    "where its calls are not counted.",
		    layout_value(interval, c->metric->interval, c->unit));
}

static bool print_tables(struct text *t, const struct activations *a)
{
	size_t most = text_rows(t, t->brief ? BRIEF_ROWS : FUNCTION_ROWS);

	text_title(t, "Activations (%s)", t->columns[0].name);
	if (!print_rows(t, a, a->functions.at, a->functions.len, most))
		return false;
	explain(t, a);
	if (t->brief)
		return true;
	text_title(t, "Activations by call (%s)", t->columns[0].name);
	return print_rows(t, a, a->sites.at, a->sites.len, text_rows(t, SITE_ROWS));
}

static bool add_up(struct text *t, struct activations *a)
{
	const struct shown_metric *time = time_column(t);
	struct error e;

	return activations_add_up(a, t->m, t->c, time->values, t->chosen->outside, &e) == 0;
}

bool text_activations(struct text *t)
{
	struct activations a;
	bool ok = true;

	if (t->o->samples || !time_column(t) || !activations_find(t->m, &a)) {
		if (t->own->sections[SECTION_ACTIVATIONS])
			text_paragraph(t, "No activations were counted (hpcrun --mark marks "
					  "counts them).");
		return true;
	}
	ok = add_up(t, &a) && (!a.functions.len || print_tables(t, &a));
	activations_deinit(&a);
	return ok;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void put_site(struct text *t, struct view_json *j, const struct activations_row *row)
{
	bool called = row->caller != ACTIVATIONS_NONE;
	const struct code_line *at = called ? &t->c->lines.at[row->line] : NULL;

	view_json_text(j, "caller", called ? t->c->functions.at[row->caller].name : NULL);
	view_json_text(j, "file", at ? t->c->files.at[at->file].name : NULL);
	view_json_number(j, "line", at ? at->line : 0);
}

static void put_rows(struct text *t, struct view_json *j, const struct activations_row *rows,
		     size_t n, bool sites)
{
	const struct model_metric *of = t->columns[0].metric;
	size_t most = text_rows(t, sites ? SITE_ROWS : FUNCTION_ROWS);
	uint64_t left = 0;
	bool saturated = false;

	view_json_rows(j, sites ? "activations_by_call" : "activations", "rows");
	for (size_t i = 0; i < n; i++) {
		if (i >= most) {
			left = sum_add(left, rows[i].time, &saturated);
			continue;
		}
		view_json_row(j);
		view_json_function(j, rows[i].function);
		if (sites)
			put_site(t, j, &rows[i]);
		view_json_number(j, "total", rows[i].time);
		view_json_number(j, "activations", rows[i].entered);
		view_json_bool(
		    j, "each_at_most",
		    activations_are_missed(of, rows[i].time, rows[i].innermost, rows[i].entered));
		view_json_number(j, "returned", rows[i].returned);
		view_json_number(j, "abandoned", rows[i].abandoned);
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", n > most ? n - most : 0, &left, 1);
}

bool text_activations_json(struct text *t, struct view_json *j)
{
	struct activations a;
	bool ok;

	if (t->o->samples || !time_column(t) || !activations_find(t->m, &a))
		return true;
	ok = add_up(t, &a);
	if (ok) {
		view_json_bool(j, "all_ends_counted", a.all);
		put_rows(t, j, a.functions.at, a.functions.len, false);
		put_rows(t, j, a.sites.at, a.sites.len, true);
	}
	activations_deinit(&a);
	return ok;
}
