/* The views callers and callees: a function, and a row for each function that calls it or that it
 * calls. */
#include "hpcprof/command/list.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/metrics/ratio.h"
#include "hpcprof/correlate/select.h"
#include "hpcprof/metrics/shown_metrics.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/metrics/view_json.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/terminal/name_cuts.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROWS = 20, NAMES = 36, EACH = 6, WITH_VALUES = 100 };

struct caller_calls {
	FILE *out;
	const struct model *m;
	const struct symbolized *c;
	const struct common *o;
	bool callees;
	struct arena arena;
	struct shown_metrics columns;
	bool *wanted;   /* per function: whether the view is about it */
	uint32_t which; /* one of them */
	struct attributed_rows rows, own;
	uint8_t *edges; /* per row: CALLED: there was a real call, INLINED: it was inlined */
	uint32_t *ids;  /* rows with values, in order */
	size_t num_ids, shown;
	struct stats stats;
};

enum { CALLED = 1, INLINED = 2 };

/* Rows are functions, followed by: */
static uint32_t row_outermost(const struct caller_calls *t) /* callers: it is outermost */
{
	return (uint32_t)t->c->functions.len;
}
static uint32_t row_missing(const struct caller_calls *t) /* callers: it begins a partial path */
{
	return row_outermost(t) + 1;
}
enum { MORE_ROWS = 2 };

static uint32_t row_of_caller(void *context, const struct occurrence *o)
{
	const struct caller_calls *t = context;

	if (!t->wanted[o->code->function])
		return ATTRIBUTE_NO_ROW;
	if (o->caller)
		return o->caller->function;
	return o->partial ? row_missing(t) : row_outermost(t);
}

static uint32_t row_of_callee(void *context, const struct occurrence *o)
{
	const struct caller_calls *t = context;

	return o->caller && t->wanted[o->caller->function] ? o->code->function : ATTRIBUTE_NO_ROW;
}

static uint32_t row_of_call(void *context, const struct occurrence *o)
{
	const struct caller_calls *t = context;
	uint32_t row = t->callees ? row_of_callee(context, o) : row_of_caller(context, o);

	if (row != ATTRIBUTE_NO_ROW)
		t->edges[row] |= o->code->inlined ? INLINED : CALLED;
	return row;
}

static uint32_t own_row(void *context, const struct occurrence *o)
{
	const struct caller_calls *t = context;
	return t->wanted[o->code->function] ? 0 : ATTRIBUTE_NO_ROW;
}

static int order(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct caller_calls *t = context;
	bool by_self = t->o->sort == SORT_EXCLUSIVE;
	bool by_name = t->o->sort == SORT_NAME;
	const uint64_t *keys[2] = {t->rows.inclusive, t->rows.exclusive};
	size_t n = t->columns.len;

	for (int k = 0; !by_name && k < 2; k++)
		for (size_t i = 0; i < n; i++) {
			uint64_t x = keys[by_self ? 1 - k : k][a * n + i];
			uint64_t y = keys[by_self ? 1 - k : k][b * n + i];
			if (x != y)
				return x > y ? -1 : 1;
		}
	if (a >= row_outermost(t) || b >= row_outermost(t))
		return a < b ? -1 : a > b;
	return label_compare_functions(t->m, t->c, a, b);
}

static int collect(struct caller_calls *t, struct error *e)
{
	size_t rows = t->c->functions.len + MORE_ROWS, n = t->columns.len;

	t->edges = calloc(rows, sizeof *t->edges);
	t->ids = calloc(rows, sizeof *t->ids);
	if (!t->edges || !t->ids)
		return error_memory(e, rows * sizeof *t->ids);
	if (attribute_rows(t->m, t->c, t->columns.values, n, 1, own_row, t, &t->own, e) != 0 ||
	    attribute_rows(t->m, t->c, t->columns.values, n, rows, row_of_call, t, &t->rows, e) !=
		0)
		return -1;
	for (uint32_t row = 0; row < rows; row++)
		for (size_t i = 0; i < n; i++)
			if (t->rows.inclusive[row * n + i]) {
				t->ids[t->num_ids++] = row;
				break;
			}
	qsort_r(t->ids, t->num_ids, sizeof *t->ids, order, t);
	t->shown = t->o->rows ? t->o->rows : DEFAULT_ROWS;
	if (t->shown > t->num_ids)
		t->shown = t->num_ids;
	return 0;
}

/* ---- statistics ---------------------------------------------------------------------------- */

/* Rows of the statistics, followed by the rows that are shown. */
enum { EVERYTHING, THE_FUNCTION, FIRST_SHOWN };

struct caller_counting {
	struct stats_rows *rows;
	const uint32_t *row; /* per row: its row of the statistics; EVERYTHING: not shown */
};

static bool count_row(void *context, uint32_t node, uint32_t row, bool inclusive)
{
	const struct caller_counting *x = context;

	return !x->row[row] || stats_use(x->rows, node, x->row[row], inclusive);
}

static int count_rows(struct caller_calls *t, struct stats_rows *rows, struct error *e)
{
	static const uint32_t function = THE_FUNCTION;
	size_t n = t->c->functions.len + MORE_ROWS;
	uint32_t *row = calloc(n, sizeof *row);
	struct caller_counting x = {rows, &function};
	int rc;

	if (!row)
		return error_memory(e, n * sizeof *row);
	rc = attribute_row_uses(t->m, t->c, 1, own_row, t, count_row, &x, e);
	for (size_t i = 0; i < t->shown; i++)
		row[t->ids[i]] = FIRST_SHOWN + (uint32_t)i;
	x.row = row;
	if (rc == 0)
		rc = attribute_row_uses(t->m, t->c, n, row_of_call, t, count_row, &x, e);
	free(row);
	return rc;
}

/* Read the files a second time, for the statistics. */
static int collect_stats(struct caller_calls *t, const struct profile *p, struct error *e)
{
	struct stats_rows *rows = &t->stats.rows[0];

	t->stats.profile = p;
	t->stats.options = t->o;
	t->stats.columns = &t->columns;
	t->stats.num_trees = 1;
	*rows = (struct stats_rows){.keys = t->m->contexts.keys,
				    .num_nodes = model_num_contexts(t->m),
				    .num_columns = t->columns.len,
				    .num_rows = FIRST_SHOWN + (uint32_t)t->shown};
	if (!stats_use(rows, MODEL_ROOT, EVERYTHING, true) ||
	    !stats_use(rows, MODEL_PARTIAL_ROOT, EVERYTHING, true))
		return error_memory(e, sizeof(struct stats_use));
	if (count_rows(t, rows, e) != 0)
		return -1;
	return stats_collect(&t->stats, e);
}

/* ---- printing ----------------------------------------------------------------------------- */

static bool single(const struct caller_calls *t)
{
	return t->columns.len == 1;
}

/* Whether there is room for values and the share, also with intervals. */
static bool with_values(const struct caller_calls *t)
{
	return single(t) && (!t->o->ci || t->o->width >= WITH_VALUES);
}

/* For one metric: the share of the function; percentage and value of the total; percentage of self.
 * For several, or without room: the two percentages. */
static bool value_cells(struct caller_calls *t, struct layout_table *table,
			const uint64_t *exclusive, const uint64_t *inclusive)
{
	char number[LAYOUT_NUMBER_BYTES], percent[SHOWN_PERCENT_BYTES], ratio[RATIO_BYTES];
	bool ok = true;

	for (size_t i = 0; i < t->columns.len; i++) {
		const struct shown_metric *c = &t->columns.at[i];
		if (with_values(t))
			ok &= layout_number(
			    table, layout_percent(number, inclusive[i], t->own.inclusive[i]));
		ok &= layout_number(table, shown_metric_percent(percent, c, inclusive[i]));
		if (with_values(t))
			ok &= layout_number(table, layout_value(number, inclusive[i], c->unit));
		ok &= layout_number(table, shown_metric_percent(percent, c, exclusive[i]));
	}
	for (size_t i = 0; i < t->columns.num_ratios; i++)
		ok &= layout_number(table, ratio_text(ratio, &t->columns, i, inclusive));
	return ok;
}

static const char *row_name(struct caller_calls *t, uint32_t row)
{
	const char *name, *inlined = "", *self = "";

	if (row == row_outermost(t))
		return "(no caller)";
	if (row == row_missing(t))
		return "(callers not known)";
	if (t->edges[row] & INLINED)
		inlined = t->edges[row] & CALLED ? " [partly inlined]" : " [inlined]";
	if (t->wanted[row])
		self = " [recursion]";
	name = layout_clean(&t->arena, t->c->functions.at[row].name);
	return name ? layout_format(&t->arena, "%s%s%s", name, self, inlined) : NULL;
}

static bool add_row(struct caller_calls *t, struct layout_table *table, uint32_t row)
{
	size_t n = t->columns.len;
	const char *module = "";

	if (row < row_outermost(t))
		module = label_module_base(t->m, &t->arena, t->c->functions.at[row].module);
	return value_cells(t, table, t->rows.exclusive + row * n, t->rows.inclusive + row * n) &&
	       layout_cell(table, row_name(t, row)) && layout_cell(table, module);
}

static bool add_titles(struct caller_calls *t, struct layout_column *titles, size_t *n)
{
	for (size_t i = 0; i < t->columns.len; i++) {
		const char *total = single(t) ? "total" : t->columns.at[i].name;
		if (with_values(t))
			titles[(*n)++] = (struct layout_column){"share", true, CUT_NOT, 0};
		titles[(*n)++] = (struct layout_column){total, true, CUT_NOT, 0};
		if (with_values(t))
			titles[(*n)++] = (struct layout_column){"", true, CUT_NOT, 0};
		titles[(*n)++] = (struct layout_column){"self", true, CUT_NOT, 0};
	}
	for (size_t i = 0; i < t->columns.num_ratios; i++)
		titles[(*n)++] =
		    (struct layout_column){t->columns.ratios[i].name, true, CUT_NOT, 0};
	titles[(*n)++] =
	    (struct layout_column){t->callees ? "callee" : "caller", false, CUT_NAME, 16};
	titles[(*n)++] = (struct layout_column){"load module", false, CUT_LEFT, 11};
	return true;
}

/* Print the table. The first row of callees is the function's own exclusive value. */
static bool print_table(struct caller_calls *t)
{
	struct layout_column *titles =
	    calloc(4 * t->columns.len + t->columns.num_ratios + 2, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	size_t i;
	bool ok = titles && add_titles(t, titles, &table.num_columns), saturated = false;

	if (ok && t->callees)
		ok = value_cells(t, &table, t->own.exclusive, t->own.exclusive) &&
		     layout_cell(&table, "(in itself)") && layout_cell(&table, "");
	for (i = 0; ok && i < t->shown; i++)
		ok = add_row(t, &table, t->ids[i]);
	ok = ok && layout_print(t->out, &table, t->o->width);
	if (ok && i < t->num_ids) {
		char number[LAYOUT_NUMBER_BYTES];
		uint64_t rest = 0;
		size_t left = t->num_ids - i;
		for (; i < t->num_ids; i++)
			rest = sum_add(rest, t->rows.exclusive[t->ids[i] * t->columns.len],
				       &saturated);
		fprintf(t->out, "  ... and %zu more %s%s with %s self\n", left,
			t->callees ? "callee" : "caller", left == 1 ? "" : "s",
			layout_percent(number, rest, t->columns.at[0].total));
	}
	layout_table_deinit(&table);
	free(titles);
	return ok;
}

static bool print_heading(struct caller_calls *t)
{
	const char *name = label_function(t->c, &t->arena, t->which), *text;
	const char *names = shown_metrics_names(&t->columns, &t->arena);
	unsigned room;
	size_t many = 0;

	for (size_t i = 0; i < t->c->functions.len; i++)
		many += t->wanted[i];
	if (!name || !names)
		return false;
	text = layout_format(&t->arena, "%s of  (%s)", t->callees ? "Callees" : "Callers", names);
	room = text && layout_width(text) < t->o->width ? t->o->width - layout_width(text) : 0;
	name = layout_cut_name(&t->arena, name, room > 20 ? room : 20);
	text = name ? layout_format(&t->arena, "%s of %s (%s)", t->callees ? "Callees" : "Callers",
				    name, names)
		    : NULL;
	if (!text)
		return false;
	fputc('\n', t->out);
	layout_title(t->out, t->o->color, text);
	for (size_t i = 0; i < t->columns.len; i++) {
		const struct shown_metric *c = &t->columns.at[i];
		char total[SHOWN_PERCENT_BYTES], self[SHOWN_PERCENT_BYTES];
		char value[LAYOUT_NUMBER_BYTES], own[LAYOUT_NUMBER_BYTES];
		fprintf(t->out, "  total %s, %s; self %s, %s%s%s%s\n",
			shown_metric_percent(total, c, t->own.inclusive[i]),
			layout_value(value, t->own.inclusive[i], c->unit),
			shown_metric_percent(self, c, t->own.exclusive[i]),
			layout_value(own, t->own.exclusive[i], c->unit), single(t) ? "" : " (",
			single(t) ? "" : c->name, single(t) ? "" : ")");
	}
	if (many > 1)
		fprintf(t->out, "  %zu functions of this name are combined\n", many);
	return true;
}

/* Print a row's name, in the statistics, on a line of its own. False if memory ran out. */
static bool print_name(struct caller_calls *t, struct name_cuts *cuts, const char *name)
{
	const char *text = name ? name_cuts_next(cuts, name, t->o->width - 2) : NULL;

	if (text)
		fprintf(t->out, "  %s\n", text);
	return text;
}

/* Print statistics of the function and of the rows of the table. */
static bool print_stats(struct caller_calls *t)
{
	const struct stats_rows *rows = &t->stats.rows[0];
	struct stat_lines l = stat_lines(t->out, &t->arena, &t->stats);
	const char *units = stat_lines_units(&l), *text;
	struct name_cuts cuts = {.arena = &t->arena};
	bool ok = units != NULL;

	text = ok ? layout_format(&t->arena, "%s over %s",
				  t->callees ? "These callees" : "These callers", units)
		  : NULL;
	if (!text)
		return false;
	fputc('\n', t->out);
	layout_title(t->out, t->o->color, text);
	ok = stat_lines_introduce(&l, rows, EVERYTHING) &&
	     print_name(t, &cuts, label_function(t->c, &t->arena, t->which)) &&
	     stat_lines_print(&l, rows, THE_FUNCTION);
	for (size_t i = 0; ok && i < t->shown; i++)
		ok = print_name(t, &cuts, row_name(t, t->ids[i])) &&
		     stat_lines_print(&l, rows, FIRST_SHOWN + (uint32_t)i);
	name_cuts_deinit(&cuts);
	return ok;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_row(struct caller_calls *t, struct view_json *j, uint32_t row)
{
	size_t n = t->columns.len;

	view_json_row(j);
	if (row < row_outermost(t)) {
		view_json_function(j, row);
		view_json_text(j, "kind", "function");
		view_json_bool(j, "inlined", t->edges[row] & INLINED);
		view_json_bool(j, "called", t->edges[row] & CALLED);
		view_json_bool(j, "recursion", t->wanted[row]);
	} else {
		json_member(j->out, "function", NULL);
		view_json_text(j, "kind",
			       row == row_missing(t) ? "callers_not_known" : "no_caller");
	}
	view_json_values(j, "self", t->rows.exclusive + row * n, n);
	view_json_values(j, "total", t->rows.inclusive + row * n, n);
	fputc('}', j->out);
}

/* The function, as text combines it: all of its name. */
static void json_subject(struct caller_calls *t, struct view_json *j)
{
	uint64_t many = 0;

	for (size_t i = 0; i < t->c->functions.len; i++)
		many += t->wanted[i];
	fputs(",\n\"of\":{", j->out);
	view_json_function(j, t->which);
	view_json_number(j, "combined", many);
	view_json_values(j, "self", t->own.exclusive, t->columns.len);
	view_json_values(j, "total", t->own.inclusive, t->columns.len);
	fputc('}', j->out);
}

static int print_json(struct caller_calls *t, const struct profile *p, struct error *e)
{
	const char *name = t->callees ? "callees" : "callers";
	struct view_json j = {.out = t->out, .p = p, .o = t->o, .columns = &t->columns};
	size_t n = t->columns.len;
	uint64_t *left = calloc(n + 1, sizeof *left);
	bool ok = left && view_json_begin(&j, name, &t->arena), saturated = false;

	if (ok) {
		json_subject(t, &j);
		view_json_rows(&j, name, "rows");
		for (size_t i = 0; i < t->shown; i++)
			json_row(t, &j, t->ids[i]);
		for (size_t i = t->shown; i < t->num_ids; i++)
			for (size_t k = 0; k < n; k++)
				left[k] = sum_add(left[k], t->rows.exclusive[t->ids[i] * n + k],
						  &saturated);
		view_json_left_out(&j, "rows", t->num_ids - t->shown, left, n);
	}
	free(left);
	return ok ? view_json_end(&j, e) : error_memory(e, n * sizeof *left);
}

static int print(FILE *out, const struct profile *p, const struct common *o, bool callees,
		 struct error *e)
{
	struct caller_calls t = {
	    .out = out, .m = p->model, .c = &p->code, .o = o, .callees = callees};
	unsigned each = EACH + 2 * shown_percent_width(o);
	size_t most = o->json ? SIZE_MAX : shown_metrics_fitting(o, NAMES, each);
	int rc = shown_metrics_choose(&t.columns, t.m, o, false, most, &t.arena, e);

	if (rc == 0)
		rc = path_filter(&t.columns, t.m, t.c, o, e);
	if (rc == 0)
		rc = select_named(t.m, t.c, o->subject, &t.wanted, &t.which, e);
	if (rc == 0)
		rc = collect(&t, e);
	if (rc == 0 && o->stats)
		rc = collect_stats(&t, p, e);
	if (rc == 0 && o->json)
		rc = print_json(&t, p, e);
	else if (rc == 0 &&
		 (!print_heading(&t) || !print_table(&t) || (o->stats && !print_stats(&t))))
		rc = error_memory(e, 0);
	stats_deinit(&t.stats);
	free(t.wanted);
	free(t.edges);
	free(t.ids);
	free(t.rows.exclusive);
	free(t.rows.inclusive);
	free(t.own.exclusive);
	free(t.own.inclusive);
	shown_metrics_deinit(&t.columns);
	arena_deinit(&t.arena);
	return rc;
}

static int print_callers(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	return print(out, p, options, false, e);
}

static int print_callees(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	return print(out, p, options, true, e);
}

static int run(FILE *out, const struct common *o, bool callees, struct diag *d, struct error *e)
{
	const struct profile_request wanted = {.common = o, .units = o->stats};

	const char *name = callees ? "callees" : "callers";

	if (common_check_json(o, name, e) != 0 || common_check_by(o, name, e) != 0)
		return -1;
	return profile_show(out, &wanted, callees ? print_callees : print_callers, o, d, e);
}

static int run_callers(FILE *out, const void *options, struct diag *d, struct error *e)
{
	return run(out, options, false, d, e);
}

static int run_callees(FILE *out, const void *options, struct diag *d, struct error *e)
{
	return run(out, options, true, d, e);
}

static const struct option_row *const tables[] = {common_choice_options,
						  common_paths_options,
						  common_under_options,
						  common_metrics_options,
						  common_ratio_options,
						  common_rows_options,
						  common_values_options,
						  common_stats_options,
						  common_json_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command callers_command = {
    .name = "callers",
    .summary = "the callers of a function, with the share of each",
    .subject = "FUNCTION",
    .newest = true,
    .options = tables,
    .size = sizeof(struct common),
    .run = run_callers,
    .print = print_callers,
};

const struct command callees_command = {
    .name = "callees",
    .summary = "the functions that a function called, with the share of each",
    .subject = "FUNCTION",
    .newest = true,
    .options = tables,
    .size = sizeof(struct common),
    .run = run_callees,
    .print = print_callees,
};
