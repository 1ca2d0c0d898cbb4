/* The text view's tables: load modules, files, functions, lines. */
#include "hpcprof/labels.h"
#include "hpcprof/sum.h"
#include "hpcprof/text.h"

#include <stdlib.h>

static int compare_modules(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_modules(t->m, a, b);
}

static int compare_files(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_files(t->m, t->c, a, b);
}

static int compare_functions(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_functions(t->m, t->c, a, b);
}

static int compare_lines(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_lines(t->m, t->c, a, b);
}

static bool module_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	return layout_cell(table, label_module(t->m, &t->arena, id));
}

static bool file_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	return layout_cell(table, label_file(t->m, t->c, &t->arena, id));
}

static bool function_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	uint32_t module = t->c->functions.at[id].module;

	return layout_cell(table, label_function(t->c, &t->arena, id)) &&
	       layout_cell(table, label_module_base(t->m, &t->arena, module));
}

static bool line_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	const struct code_line *line = &t->c->lines.at[id];
	const char *function = layout_clean(&t->arena, t->c->functions.at[line->function].name);

	return layout_cell(table, label_line(t->m, t->c, &t->arena, id)) &&
	       layout_cell(table, line->several ? "(several)" : function);
}

static const struct kind {
	const char *title, *one, *many;
	struct layout_column labels[2];
	size_t num_labels;
	size_t rows;
	int (*compare)(const struct text *t, uint32_t a, uint32_t b);
	bool (*cells)(struct text *t, struct layout_table *table, uint32_t id);
} kinds[GROUPINGS] = {
    [BY_MODULE] = {"Load modules",
		   "load module",
		   "load modules",
		   {{"load module", false, CUT_LEFT, 11}},
		   1,
		   10,
		   compare_modules,
		   module_cells},
    [BY_FILE] = {"Files",
		 "file",
		 "files",
		 {{"file", false, CUT_LEFT, 12}},
		 1,
		 10,
		 compare_files,
		 file_cells},
    [BY_FUNCTION] = {"Functions",
		     "function",
		     "functions",
		     {{"function", false, CUT_NAME, 12}, {"load module", false, CUT_LEFT, 11}},
		     2,
		     20,
		     compare_functions,
		     function_cells},
    [BY_LINE] = {"Lines",
		 "line",
		 "lines",
		 {{"line", false, CUT_LEFT, 16}, {"function", false, CUT_NAME, 12}},
		 2,
		 15,
		 compare_lines,
		 line_cells},
};

struct ordering {
	const struct text *t;
	enum grouping g;
};

static int order(const void *pa, const void *pb, void *context)
{
	const struct ordering *o = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	size_t n = o->t->num_columns;
	const uint64_t *keys[2] = {o->t->a.by[o->g].exclusive, o->t->a.by[o->g].inclusive};

	if (o->t->o->sort == SORT_INCLUSIVE) {
		keys[0] = o->t->a.by[o->g].inclusive;
		keys[1] = o->t->a.by[o->g].exclusive;
	}
	for (int k = 0; o->t->o->sort != SORT_NAME && k < 2; k++)
		for (size_t i = 0; i < n; i++)
			if (keys[k][a * n + i] != keys[k][b * n + i])
				return keys[k][a * n + i] > keys[k][b * n + i] ? -1 : 1;
	return kinds[o->g].compare(o->t, a, b);
}

/* The rows that have any value, in the order asked for. NULL if memory ran out. */
static uint32_t *ordered(struct text *t, enum grouping g, size_t *count)
{
	size_t rows = t->a.by[g].num_rows, n = t->num_columns;
	uint32_t *ids = malloc((rows + 1) * sizeof *ids);
	struct ordering o = {t, g};

	*count = 0;
	for (size_t id = 0; ids && id < rows; id++)
		for (size_t i = 0; i < n; i++)
			if (t->a.by[g].inclusive[id * n + i]) {
				ids[(*count)++] = (uint32_t)id;
				break;
			}
	if (ids)
		qsort_r(ids, *count, sizeof *ids, order, &o);
	return ids;
}

static void print_rest(struct text *t, enum grouping g, const uint32_t *ids, size_t from,
		       size_t count)
{
	char number[LAYOUT_NUMBER_BYTES];
	uint64_t rest = 0;
	bool saturated = false;

	for (size_t i = from; i < count; i++)
		rest = sum_add(rest, t->a.by[g].exclusive[ids[i] * t->num_columns], &saturated);
	fprintf(t->out, "  ... and %zu more %s with %s\n", count - from,
		count - from == 1 ? kinds[g].one : kinds[g].many,
		layout_percent(number, rest, t->columns[0].total));
}

enum { ROOMY = 80 }; /* the width from which on totals have values */

/* Of one metric percent and value, else or in little room only percent: names have to fit. */
static bool has_total_values(const struct text *t)
{
	return t->num_columns == 1 && t->o->width >= ROOMY;
}

static bool total_cells(struct text *t, struct layout_table *table, uint64_t value, size_t column)
{
	char number[LAYOUT_NUMBER_BYTES];

	if (has_total_values(t))
		return text_value_cells(t, table, value, column);
	return layout_number(table, layout_percent(number, value, t->columns[column].total));
}

static bool fill(struct text *t, struct layout_table *table, enum grouping g, const uint32_t *ids,
		 size_t n)
{
	bool ok = true;

	for (size_t row = 0; ok && row < n; row++) {
		for (size_t i = 0; i < t->num_columns; i++) {
			size_t at = ids[row] * t->num_columns + i;
			ok &= text_value_cells(t, table, t->a.by[g].exclusive[at], i) &&
			      total_cells(t, table, t->a.by[g].inclusive[at], i);
		}
		ok &= kinds[g].cells(t, table, ids[row]);
	}
	return ok;
}

/* What is in the row itself, percent and value, and what is in it or called from it. */
static void add_titles(struct text *t, struct layout_column *titles, size_t *n)
{
	for (size_t i = 0; i < t->num_columns; i++) {
		const char *self = t->num_columns > 1 ? t->columns[i].name : "self";
		const char *const what[] = {self, "", "total", ""};
		for (int k = 0; k < (has_total_values(t) ? 4 : 3); k++)
			titles[(*n)++] = (struct layout_column){what[k], true, CUT_NOT, 0};
	}
}

static bool print_table(struct text *t, enum grouping g)
{
	size_t count = 0, columns = 0, rows = text_rows(t, kinds[g].rows);
	uint32_t *ids = ordered(t, g, &count);
	struct layout_column *titles = calloc(4 * t->num_columns + 2, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	bool ok = ids && titles;

	if (ok)
		add_titles(t, titles, &columns);
	for (size_t i = 0; ok && i < kinds[g].num_labels; i++)
		titles[columns++] = kinds[g].labels[i];
	table.num_columns = columns;
	if (ok) {
		text_title(t, "%s (%s)", kinds[g].title, t->columns[0].name);
		ok = fill(t, &table, g, ids, count < rows ? count : rows) &&
		     layout_print(t->out, &table, t->o->width);
	}
	if (ok && rows < count)
		print_rest(t, g, ids, rows, count);
	layout_table_deinit(&table);
	free(titles);
	free(ids);
	return ok;
}

bool text_tables(struct text *t)
{
	if (!t->num_columns || !t->columns[0].total) {
		text_title(t, "No samples");
		text_paragraph(t,
			       "Nothing was recorded%s%s, so there is nothing to attribute. A "
			       "program that hardly used the CPU looks like this.",
			       t->num_columns ? " for " : "",
			       t->num_columns ? t->columns[0].metric_name : "");
		return true;
	}
	return print_table(t, BY_MODULE) && print_table(t, BY_FILE) &&
	       print_table(t, BY_FUNCTION) && print_table(t, BY_LINE);
}
