/* The views callers and callees: a function, and a row for each function on the other side
 * of its calls. */
#include "hpcprof/attribute.h"
#include "hpcprof/columns.h"
#include "hpcprof/labels.h"
#include "hpcprof/select.h"
#include "hpcprof/sum.h"
#include "hpcprof/views.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROWS = 20, NAMES = 36, EACH = 18 };

struct calls {
	FILE *out;
	const struct model *m;
	const struct code *c;
	const struct options *o;
	bool callees;
	struct arena arena;
	struct columns columns;
	bool *wanted;   /* per function: the one that the view is about */
	uint32_t which; /* one of them */
	struct attributed_rows rows, own;
	uint8_t *edges; /* per row: bit 0: some call was a real one, bit 1: some was inlined */
	uint32_t *ids;  /* rows with values, in order */
	size_t num_ids;
};

enum { CALLED = 1, INLINED = 2 };

/* Rows are functions, and behind them: */
static uint32_t row_outermost(const struct calls *t) /* callers: it was the first frame */
{
	return (uint32_t)t->c->functions.len;
}
static uint32_t row_missing(const struct calls *t) /* callers: the path begins with it */
{
	return row_outermost(t) + 1;
}
enum { MORE_ROWS = 2 };

static uint32_t row_of_caller(void *context, const struct occurrence *o)
{
	const struct calls *t = context;

	if (!t->wanted[o->code->function])
		return ATTRIBUTE_NO_ROW;
	if (o->caller)
		return o->caller->function;
	return o->partial ? row_missing(t) : row_outermost(t);
}

static uint32_t row_of_callee(void *context, const struct occurrence *o)
{
	const struct calls *t = context;

	return o->caller && t->wanted[o->caller->function] ? o->code->function : ATTRIBUTE_NO_ROW;
}

static uint32_t row_of_call(void *context, const struct occurrence *o)
{
	const struct calls *t = context;
	uint32_t row = t->callees ? row_of_callee(context, o) : row_of_caller(context, o);

	if (row != ATTRIBUTE_NO_ROW)
		t->edges[row] |= o->code->inlined ? INLINED : CALLED;
	return row;
}

static uint32_t own_row(void *context, const struct occurrence *o)
{
	const struct calls *t = context;
	return t->wanted[o->code->function] ? 0 : ATTRIBUTE_NO_ROW;
}

static int order(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct calls *t = context;
	bool by_self = t->o->sort_given && t->o->sort == SORT_EXCLUSIVE;
	bool by_name = t->o->sort_given && t->o->sort == SORT_NAME;
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

static int collect(struct calls *t, struct error *e)
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
	return 0;
}

/* ---- printing ----------------------------------------------------------------------------- */

static bool single(const struct calls *t)
{
	return t->columns.len == 1;
}

/* Of one metric: share of the function, percent and value of all; percent of self. Of several
 * the two percentages. */
static bool value_cells(struct calls *t, struct layout_table *table, const uint64_t *exclusive,
			const uint64_t *inclusive)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true;

	for (size_t i = 0; i < t->columns.len; i++) {
		const struct column *c = &t->columns.at[i];
		if (single(t))
			ok &= layout_number(
			    table, layout_percent(number, inclusive[i], t->own.inclusive[i]));
		ok &= layout_number(table, layout_percent(number, inclusive[i], c->total));
		if (single(t))
			ok &= layout_number(table, layout_value(number, inclusive[i], c->unit));
		ok &= layout_number(table, layout_percent(number, exclusive[i], c->total));
	}
	return ok;
}

static const char *row_name(struct calls *t, uint32_t row)
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

static bool add_row(struct calls *t, struct layout_table *table, uint32_t row)
{
	size_t n = t->columns.len;
	const char *module = "";

	if (row < row_outermost(t))
		module = label_module_base(t->m, &t->arena, t->c->functions.at[row].module);
	return value_cells(t, table, t->rows.exclusive + row * n, t->rows.inclusive + row * n) &&
	       layout_cell(table, row_name(t, row)) && layout_cell(table, module);
}

static bool add_titles(struct calls *t, struct layout_column *titles, size_t *n)
{
	for (size_t i = 0; i < t->columns.len; i++) {
		const char *total = single(t) ? "total" : t->columns.at[i].name;
		if (single(t))
			titles[(*n)++] = (struct layout_column){"share", true, CUT_NOT, 0};
		titles[(*n)++] = (struct layout_column){total, true, CUT_NOT, 0};
		if (single(t))
			titles[(*n)++] = (struct layout_column){"", true, CUT_NOT, 0};
		titles[(*n)++] = (struct layout_column){"self", true, CUT_NOT, 0};
	}
	titles[(*n)++] =
	    (struct layout_column){t->callees ? "callee" : "caller", false, CUT_NAME, 16};
	titles[(*n)++] = (struct layout_column){"load module", false, CUT_LEFT, 11};
	return true;
}

/* What the function has itself is the first row of its callees. */
static bool print_table(struct calls *t)
{
	struct layout_column *titles = calloc(4 * t->columns.len + 2, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	size_t most = t->o->rows_given ? t->o->rows ? t->o->rows : SIZE_MAX : DEFAULT_ROWS, i;
	bool ok = titles && add_titles(t, titles, &table.num_columns), saturated = false;

	if (ok && t->callees)
		ok = value_cells(t, &table, t->own.exclusive, t->own.exclusive) &&
		     layout_cell(&table, "(in itself)") && layout_cell(&table, "");
	for (i = 0; ok && i < t->num_ids && i < most; i++)
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

static bool print_heading(struct calls *t)
{
	const char *name = label_function(t->c, &t->arena, t->which), *text;
	const char *names = columns_names(&t->columns, &t->arena);
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
		const struct column *c = &t->columns.at[i];
		char total[LAYOUT_NUMBER_BYTES], self[LAYOUT_NUMBER_BYTES];
		char value[LAYOUT_NUMBER_BYTES], own[LAYOUT_NUMBER_BYTES];
		fprintf(t->out, "  total %s, %s; self %s, %s%s%s%s\n",
			layout_percent(total, t->own.inclusive[i], c->total),
			layout_value(value, t->own.inclusive[i], c->unit),
			layout_percent(self, t->own.exclusive[i], c->total),
			layout_value(own, t->own.exclusive[i], c->unit), single(t) ? "" : " (",
			single(t) ? "" : c->name, single(t) ? "" : ")");
	}
	if (many > 1)
		fprintf(t->out, "  %zu functions of this name are taken together\n", many);
	return true;
}

static int print(FILE *out, const struct profile *p, const struct options *o, bool callees,
		 struct error *e)
{
	struct calls t = {.out = out, .m = p->model, .c = &p->code, .o = o, .callees = callees};
	int rc = columns_choose(&t.columns, t.m, o, columns_fitting(o, NAMES, EACH), &t.arena, e);

	if (rc == 0)
		rc = select_named(t.m, t.c, o->subject, &t.wanted, &t.which, e);
	if (rc == 0)
		rc = collect(&t, e);
	if (rc == 0 && (!print_heading(&t) || !print_table(&t)))
		rc = error_memory(e, 0);
	free(t.wanted);
	free(t.edges);
	free(t.ids);
	free(t.rows.exclusive);
	free(t.rows.inclusive);
	free(t.own.exclusive);
	free(t.own.inclusive);
	columns_deinit(&t.columns);
	arena_deinit(&t.arena);
	return rc;
}

static int print_callers(FILE *out, const struct profile *p, const struct options *o,
			 struct error *e)
{
	return print(out, p, o, false, e);
}

static int print_callees(FILE *out, const struct profile *p, const struct options *o,
			 struct error *e)
{
	return print(out, p, o, true, e);
}

enum {
	TAKES = OPTION_METRIC | OPTION_ROWS | OPTION_SORT | OPTION_SAMPLES | OPTION_NO_INLINE |
		OPTION_SYMBOLS | OPTION_THREADS | OPTION_JOIN
};

const struct view callers_view = {
    .name = "callers",
    .summary = "what called a function, and how much of it each has",
    .subject = "FUNCTION",
    .takes = TAKES,
    .print = print_callers,
};

const struct view callees_view = {
    .name = "callees",
    .summary = "what a function called, and how much of it each has",
    .subject = "FUNCTION",
    .takes = TAKES,
    .print = print_callees,
};
