/* The text view's tables: load modules, folders, files, namespaces, functions, lines. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <stdlib.h>

static int compare_modules(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_modules(t->m, a, b);
}

static int compare_files(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_files(t->m, t->c, a, b);
}

static int compare_folders(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_groups(t->m, &t->c->folders, a, b);
}

static int compare_namespaces(const struct text *t, uint32_t a, uint32_t b)
{
	return label_compare_groups(t->m, &t->c->namespaces, a, b);
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

static bool folder_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	return layout_cell(table, label_folder(t->m, t->c, &t->arena, id));
}

static bool namespace_cells(struct text *t, struct layout_table *table, uint32_t id)
{
	return layout_cell(table, label_namespace(t->m, t->c, &t->arena, id));
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
    [BY_FOLDER] = {"Folders",
		   "folder",
		   "folders",
		   {{"folder", false, CUT_LEFT, 12}},
		   1,
		   10,
		   compare_folders,
		   folder_cells},
    [BY_FILE] = {"Files",
		 "file",
		 "files",
		 {{"file", false, CUT_LEFT, 12}},
		 1,
		 10,
		 compare_files,
		 file_cells},
    [BY_NAMESPACE] = {"Namespaces",
		      "namespace",
		      "namespaces",
		      {{"namespace", false, CUT_MIDDLE, 12}},
		      1,
		      10,
		      compare_namespaces,
		      namespace_cells},
    [BY_FUNCTION] = {"Functions",
		     "function",
		     "functions",
		     {{"function", false, CUT_NAME, 12}, {"load module", false, CUT_LEFT, 11}},
		     2,
		     15,
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

struct row_ordering {
	const struct text *t;
	enum grouping g;
};

static int order(const void *pa, const void *pb, void *context)
{
	const struct row_ordering *o = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	size_t n = o->t->num_columns;
	const uint64_t *keys[2] = {o->t->a.by[o->g].exclusive, o->t->a.by[o->g].inclusive};
	int c;

	if (o->t->o->sort == SORT_INCLUSIVE) {
		keys[0] = o->t->a.by[o->g].inclusive;
		keys[1] = o->t->a.by[o->g].exclusive;
	}
	for (int k = 0; o->t->o->sort != SORT_NAME && k < 2; k++)
		for (size_t i = 0; i < n; i++)
			if (keys[k][a * n + i] != keys[k][b * n + i])
				return keys[k][a * n + i] > keys[k][b * n + i] ? -1 : 1;
	c = kinds[o->g].compare(o->t, a, b);
	return c ? c : (a > b) - (a < b);
}

/* How many rows of the table are shown unless -n asks for more: of a table by self, those that have
 * some. */
static size_t usual_rows(const struct text *t, enum grouping g)
{
	const struct text_table *table = &t->tables[g];
	size_t n = t->num_columns, most = kinds[g].rows, i;
	const uint64_t *self = t->a.by[g].exclusive;

	if (t->o->rows)
		return table->count;
	if (t->o->sort == SORT_INCLUSIVE || t->o->sort == SORT_NAME)
		return most;
	for (i = 0; i < table->count && i < most; i++) {
		bool some = false;
		for (size_t k = 0; k < n; k++)
			some |= self[table->ids[i] * n + k] != 0;
		if (!some)
			break;
	}
	return i;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Let the id at the top of the heap ids[0 .. n - 1] sink, so that none is after its parent's. */
static void sink(uint32_t *ids, size_t n, struct row_ordering *o)
{
	for (size_t at = 0, child = 1; child < n; at = child, child = 2 * at + 1) {
		if (child + 1 < n && order(&ids[child], &ids[child + 1], o) < 0)
			child++;
		if (order(&ids[at], &ids[child], o) >= 0)
			break;
		swap(&ids[at], &ids[child]);
	}
}

/* Sort the first rows to the front: a heap of those found has the last of them at its top. The
 * others are in no order. With a million rows, sorting all takes longer than all else. */
static void sort_first(uint32_t *ids, size_t n, size_t first, struct row_ordering *o)
{
	qsort_r(ids, first, sizeof *ids, order, o);
	if (first == 0 || first == n)
		return;
	for (size_t i = 0; i < first / 2; i++)
		swap(&ids[i], &ids[first - 1 - i]); /* the last first: that is a heap */
	for (size_t i = first; i < n; i++)
		if (order(&ids[i], &ids[0], o) < 0) {
			swap(&ids[i], &ids[0]);
			sink(ids, first, o);
		}
	qsort_r(ids, first, sizeof *ids, order, o);
}

/* Choose the rows with any value, in the requested order. */
static bool choose(struct text *t, enum grouping g)
{
	struct text_table *table = &t->tables[g];
	size_t rows = t->a.by[g].num_rows, n = t->num_columns, most;
	struct row_ordering o = {t, g};

	table->ids = malloc((rows + 1) * sizeof *table->ids);
	if (!table->ids)
		return false;
	for (size_t id = 0; id < rows; id++)
		for (size_t i = 0; i < n; i++)
			if (t->a.by[g].inclusive[id * n + i]) {
				table->ids[table->count++] = (uint32_t)id;
				break;
			}
	most = text_rows(t, kinds[g].rows);
	table->shown = table->count < most ? table->count : most;
	sort_first(table->ids, table->count, table->shown, &o);
	most = text_rows(t, usual_rows(t, g));
	if (most < table->shown)
		table->shown = most;
	return true;
}

bool text_tables_choose(struct text *t)
{
	bool ok = true;

	for (int g = 0; ok && g < GROUPINGS; g++)
		ok = choose(t, (enum grouping)g);
	return ok;
}

void text_tables_deinit(struct text *t)
{
	for (int g = 0; g < GROUPINGS; g++)
		free(t->tables[g].ids);
}

static void print_rest(struct text *t, enum grouping g)
{
	const struct text_table *table = &t->tables[g];
	size_t more = table->count - table->shown;
	char number[LAYOUT_NUMBER_BYTES];
	uint64_t rest = 0;
	bool saturated = false;

	for (size_t i = table->shown; i < table->count; i++)
		rest =
		    sum_add(rest, t->a.by[g].exclusive[table->ids[i] * t->num_columns], &saturated);
	if (!rest && !t->o->rows)
		return;
	fprintf(t->out, "  ... and %zu more %s with %s\n", more,
		more == 1 ? kinds[g].one : kinds[g].many,
		layout_percent(number, rest, t->columns[0].total));
}

/* Widths of the output from which values are shown beside the percentages of self, or total. With
 * several metrics, or little room, the names must fit. If units are compared, their columns have
 * the values. */
enum { ROOMY = 80, ROOMY_INTERVALS = 100, INTERVALS_ROOM = 2 * 14 };

static bool has_values(const struct text *t, bool total)
{
	unsigned least = t->o->ci ? ROOMY_INTERVALS : total ? ROOMY : 0;

	if (total && t->o->ci)
		least += INTERVALS_ROOM;
	return t->compare == COMPARE_NOT && t->o->width >= least && (t->num_columns == 1 || !total);
}

/* Functions have a column for the kernel's part of their total, if there is room and any to speak
 * of. */
static bool has_kernel(const struct text *t, enum grouping g)
{
	return g == BY_FUNCTION && !t->flat && t->kernel.total && t->num_columns == 1 &&
	       has_values(t, true) && t->kernel.total >= t->columns[0].total / 100;
}

static bool kernel_cell(struct text *t, struct layout_table *table, uint32_t function)
{
	char number[LAYOUT_NUMBER_BYTES];
	uint64_t value = t->kernel.under[function];

	return layout_number(table,
			     value ? layout_percent(number, value, t->columns[0].total) : "");
}

static bool value_cells(struct text *t, struct layout_table *table, enum grouping g, size_t place,
			size_t column, bool total)
{
	size_t at = t->tables[g].ids[place] * t->num_columns + column;
	uint64_t value = (total ? t->a.by[g].inclusive : t->a.by[g].exclusive)[at];
	const struct shown_metric *c = &t->columns[column];
	char number[LAYOUT_NUMBER_BYTES], percent[SHOWN_PERCENT_BYTES];

	return layout_number(table, shown_metric_percent(percent, c, value)) &&
	       (!has_values(t, total) ||
		layout_number(table, layout_value(number, value, c->unit))) &&
	       text_compare_cells(t, table, &t->stats.rows[0],
				  t->tables[g].first_row + (uint32_t)place, column, total);
}

/* The row's own values, or if it is sorted by total, those. */
static const uint64_t *ratio_values(const struct text *t, enum grouping g, size_t place)
{
	bool total = t->o->sort == SORT_INCLUSIVE;

	return (total ? t->a.by[g].inclusive : t->a.by[g].exclusive) +
	       t->tables[g].ids[place] * t->num_columns;
}

static bool fill(struct text *t, struct layout_table *table, enum grouping g)
{
	bool ok = true;

	for (size_t row = 0; ok && row < t->tables[g].shown; row++) {
		for (size_t i = 0; ok && i < t->num_columns; i++)
			ok = value_cells(t, table, g, row, i, false) &&
			     (t->flat || value_cells(t, table, g, row, i, true));
		ok = ok && text_ratio_cells(t, table, ratio_values(t, g, row));
		if (ok && has_kernel(t, g))
			ok = kernel_cell(t, table, t->tables[g].ids[row]);
		ok = ok && kinds[g].cells(t, table, t->tables[g].ids[row]);
	}
	return ok;
}

/* Add the titles for the exclusive values (percentage and value) and the inclusive ones. */
static void add_titles(struct text *t, struct layout_column *titles, size_t *n)
{
	for (size_t i = 0; i < t->num_columns; i++) {
		const char *self = t->num_columns > 1 ? t->columns[i].name : "self";
		for (int total = 0; total < (t->flat ? 1 : 2); total++) {
			titles[(*n)++] =
			    (struct layout_column){total ? "total" : self, true, CUT_NOT, 0};
			if (has_values(t, total))
				titles[(*n)++] = (struct layout_column){"", true, CUT_NOT, 0};
			*n += text_compare_titles(t, i, total, titles + *n);
		}
	}
}

static bool print_columns(struct text *t, enum grouping g)
{
	size_t columns = 0, units = t->compare == COMPARE_SINGLE ? t->stats.names.len : 3;
	struct layout_column *titles =
	    calloc((4 + 2 * units) * t->num_columns + t->num_ratios + 3, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	bool ok = titles != NULL;

	if (ok)
		add_titles(t, titles, &columns);
	if (ok)
		text_ratio_titles(t, titles, &columns);
	if (ok && has_kernel(t, g))
		titles[columns++] = (struct layout_column){"kernel", true, CUT_NOT, 0};
	for (size_t i = 0; ok && i < kinds[g].num_labels; i++)
		titles[columns++] = kinds[g].labels[i];
	table.num_columns = columns;
	ok = ok && fill(t, &table, g) && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	free(titles);
	return ok;
}

/* Print each row's labels on a line, and its statistics below. */
static bool print_lines(struct text *t, enum grouping g)
{
	struct stat_lines l = stat_lines(t->out, &t->arena, &t->stats);
	bool ok = true;

	stat_lines_titles(&l);
	for (size_t row = 0; ok && row < t->tables[g].shown; row++) {
		struct layout_table cells = {.arena = &t->arena};
		const char *text = NULL;
		if (kinds[g].cells(t, &cells, t->tables[g].ids[row]))
			text = cells.cells.len > 1
				   ? text_format(t, "%s  %s", cells.cells.at[0], cells.cells.at[1])
				   : cells.cells.at[0];
		if (text)
			text = layout_cut_middle(&t->arena, text, t->o->width - 2);
		if (text)
			fprintf(t->out, "  %s\n", text);
		ok = text && stat_lines_print(&l, &t->stats.rows[0],
					      t->tables[g].first_row + (uint32_t)row);
		layout_table_deinit(&cells);
	}
	return ok;
}

static bool print_table(struct text *t, enum grouping g)
{
	bool ok;

	text_title(t, "%s (%s)", kinds[g].title, t->columns[0].name);
	ok = t->compare == COMPARE_LINES ? print_lines(t, g) : print_columns(t, g);
	if (ok && t->tables[g].shown < t->tables[g].count)
		print_rest(t, g);
	return ok;
}

/* With --all, there is no table of folders or namespaces that names none, and none of one folder.
 */
static bool tells(const struct text *t, enum text_section section, enum grouping g)
{
	const struct text_table *table = &t->tables[g];
	const struct code_group *groups = g == BY_FOLDER      ? t->c->folders.at
					  : g == BY_NAMESPACE ? t->c->namespaces.at
							      : NULL;
	bool named = !groups;

	if (t->own->sections[section])
		return true;
	for (size_t i = 0; groups && i < table->shown; i++)
		named |= groups[table->ids[i]].name != NULL;
	return named && (g != BY_FOLDER || table->count > 1);
}

static const struct {
	enum text_section section;
	enum grouping g;
} tables[] = {{SECTION_MODULES, BY_MODULE},     {SECTION_FOLDERS, BY_FOLDER},
	      {SECTION_FILES, BY_FILE},         {SECTION_NAMESPACES, BY_NAMESPACE},
	      {SECTION_FUNCTIONS, BY_FUNCTION}, {SECTION_LINES, BY_LINE}};

unsigned text_tables_wanted(const struct text *t)
{
	unsigned wanted = ATTRIBUTE_NOTHING;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (t->shows[tables[i].section])
			wanted |= ATTRIBUTE(tables[i].g);
	return wanted;
}

bool text_tables(struct text *t)
{
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof tables / sizeof *tables; i++)
		ok = !t->shows[tables[i].section] || !tells(t, tables[i].section, tables[i].g) ||
		     print_table(t, tables[i].g);
	return ok;
}
