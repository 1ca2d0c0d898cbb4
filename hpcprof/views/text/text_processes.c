/* The text view's processes: by program, or one by one. */
#include "formats/base/path.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t text_sum(const struct text *t, const struct metric_sums *sums, size_t column)
{
	uint32_t metric = (uint32_t)(t->columns[column].metric - t->m->metrics.at);
	struct model_sum sum = metric_sums_get(sums, metric);

	return t->o->samples ? sum.samples : sum.events;
}

/* Whether it is known what each process has. Of some labels of a database or a merged file it is
 * not. */
static bool sums_known(const struct model *m)
{
	for (size_t i = 0; i < m->processes.len; i++)
		if (m->processes.at[i].has_sums)
			return true;
	return !m->metrics.len;
}

static uint64_t value_of(const struct text *t, const struct model_process *p, size_t column)
{
	return text_sum(t, &p->sums, column);
}

static int by_value(const void *pa, const void *pb, void *context)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;
	const struct text *t = context;
	uint64_t x = t->num_columns ? value_of(t, a, 0) : 0;
	uint64_t y = t->num_columns ? value_of(t, b, 0) : 0;
	int names = strcmp(text_command_of(a), text_command_of(b));

	if (t->o->sort != SORT_NAME && x != y)
		return x > y ? -1 : 1;
	return names ? names : text_by_start(pa, pb);
}

bool text_value_table(struct text *t, const struct text_values *r)
{
	size_t columns = 0;
	struct layout_column *titles =
	    calloc(2 * t->num_columns + t->num_ratios + r->num_more, sizeof *titles);
	size_t values = r->without_values ? 0 : t->num_columns;
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	bool ok = titles != NULL;

	for (size_t i = 0; ok && i < values; i++) {
		titles[columns++] = (struct layout_column){t->columns[i].name, true, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"", true, CUT_NOT, 0};
	}
	if (ok && !r->without_values)
		text_ratio_titles(t, titles, &columns);
	for (size_t i = 0; ok && i < r->num_more; i++)
		titles[columns++] = r->more[i];
	table.num_columns = columns;
	for (size_t i = 0; ok && i < r->n && i < r->shown; i++)
		ok = r->cells(t, &table, r->things, i);
	if (ok) {
		text_title(t, "%s", r->title);
		ok = layout_print(t->out, &table, t->o->width);
		if (r->shown < r->n)
			fprintf(t->out, "  ... and %zu more\n", r->n - r->shown);
	}
	layout_table_deinit(&table);
	free(titles);
	return ok;
}

/* Without its values. */
static bool plain_cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct model_process *p = ((const struct model_process *const *)things)[i];
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = layout_number(table, p->has_wall ? layout_value(number, p->wall_ns, "ns") : "");

	snprintf(number, sizeof number, "%" PRIu64, p->pid);
	ok &= layout_number(table, p->has_pid ? number : "");
	ok &= layout_cell(table, layout_clean(&t->arena, p->end));
	return ok && layout_cell(table, text_short_command(t, p));
}

static bool process_cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct model_process *p = ((const struct model_process *const *)things)[i];
	uint64_t *values = arena_alloc(&t->arena, (t->num_columns + 1) * sizeof *values);

	for (size_t k = 0; values && k < t->num_columns; k++)
		values[k] = value_of(t, p, k);
	return text_row_cells(t, table, values) && plain_cells(t, table, things, i);
}

enum { USUAL_PROCESSES = 10, USUAL_PROGRAMS = 5 };

/* A process as JSON; what its file does not have is null. */
static void json_process(struct text *t, struct view_json *j, const struct model_process *p)
{
	const struct {
		const char *name;
		bool known;
		uint64_t value;
	} numbers[] = {
	    {"pid", p->has_pid, p->pid},          {"ppid", p->has_pid, p->ppid},
	    {"rank", p->has_rank, p->rank},       {"start_ns", p->has_start, p->start_ns},
	    {"wall_ns", p->has_wall, p->wall_ns}, {"cpu_ns", p->has_cpu, p->cpu_ns}};

	view_json_row(j);
	json_member(j->out, "command", text_command_of(p));
	view_json_text(j, "executable", p->executable);
	view_json_text(j, "host", p->host);
	view_json_text(j, "end", p->end);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].known)
			view_json_number(j, numbers[i].name, numbers[i].value);
		else
			fprintf(j->out, ",\"%s\":null", numbers[i].name);
	fputs(",\"self\":[", j->out);
	for (size_t k = 0; k < t->num_columns && sums_known(t->m); k++)
		fprintf(j->out, "%s%" PRIu64, k ? "," : "", value_of(t, p, k));
	fputs("]}", j->out);
}

static void json_processes(struct text *t, struct view_json *j, const struct model_process **sorted,
			   size_t n, uint64_t *left)
{
	size_t shown = text_rows(t, USUAL_PROCESSES);
	bool saturated = false;

	qsort_r(sorted, n, sizeof(struct model_process *), by_value, t);
	view_json_rows(j, "processes", "rows");
	for (size_t i = 0; i < n; i++)
		if (i < shown)
			json_process(t, j, sorted[i]);
		else
			for (size_t k = 0; k < t->num_columns; k++)
				left[k] = sum_add(left[k], value_of(t, sorted[i], k), &saturated);
	view_json_left_out(j, "rows", n > shown ? n - shown : 0, left, t->num_columns);
}

static bool print_processes(struct text *t, const struct model_process **sorted, size_t n)
{
	bool known = sums_known(t->m);
	const struct text_values r = {"Processes",
				      n,
				      text_rows(t, USUAL_PROCESSES),
				      {{"wall", true, CUT_NOT, 0},
				       {"pid", true, CUT_NOT, 0},
				       {"end", false, CUT_NOT, 0},
				       {"command", false, CUT_MIDDLE, 12}},
				      4,
				      known ? process_cells : plain_cells,
				      sorted,
				      !known};

	qsort_r(sorted, n, sizeof(struct model_process *), by_value, t);
	return text_value_table(t, &r);
}

/* ---- by program ------------------------------------------------------------------- */

/* The program images of one executable. */
struct program {
	const char *name;
	uint64_t *values; /* [columns] */
	size_t images;
};

static const char *program_of(const struct model_process *p)
{
	const char *path = p->executable[0] ? p->executable : text_command_of(p);

	return path_basename(path);
}

static int by_program(const void *pa, const void *pb)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;

	return strcmp(program_of(a), program_of(b));
}

static int by_first_value(const void *pa, const void *pb)
{
	const struct program *a = pa, *b = pb;

	if (a->values[0] != b->values[0])
		return a->values[0] > b->values[0] ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool program_cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct program *p = (const struct program *)things + i;
	char number[LAYOUT_NUMBER_BYTES];

	return text_row_cells(t, table, p->values) &&
	       layout_number(table, layout_exact(number, p->images)) &&
	       layout_cell(table, layout_clean(&t->arena, p->name));
}

/* Add the images up, which are sorted by program. values has room for a row for each. */
static size_t add_programs(const struct text *t, const struct model_process **sorted, size_t n,
			   struct program *programs, uint64_t *values)
{
	size_t num = 0;
	bool saturated = false;

	for (size_t i = 0; i < n; i++) {
		if (!i || by_program(&sorted[i - 1], &sorted[i]) != 0) {
			programs[num] = (struct program){program_of(sorted[i]),
							 values + num * t->num_columns, 0};
			num++;
		}
		programs[num - 1].images++;
		for (size_t k = 0; k < t->num_columns; k++)
			programs[num - 1].values[k] = sum_add(
			    programs[num - 1].values[k], value_of(t, sorted[i], k), &saturated);
	}
	return num;
}

static bool print_programs(struct text *t, const struct program *programs, size_t n)
{
	const struct text_values r = {
	    "Programs",
	    n,
	    text_rows(t, USUAL_PROGRAMS),
	    {{"images", true, CUT_NOT, 0}, {"program", false, CUT_MIDDLE, 12}},
	    2,
	    program_cells,
	    programs,
	    false};

	return text_value_table(t, &r);
}

static void json_programs(struct text *t, struct view_json *j, const struct program *programs,
			  size_t n, uint64_t *left)
{
	size_t shown = text_rows(t, USUAL_PROGRAMS);
	bool saturated = false;

	view_json_rows(j, "programs", "rows");
	for (size_t i = 0; i < n; i++) {
		if (i >= shown) {
			for (size_t k = 0; k < t->num_columns; k++)
				left[k] = sum_add(left[k], programs[i].values[k], &saturated);
			continue;
		}
		view_json_row(j);
		json_member(j->out, "program", programs[i].name);
		view_json_number(j, "images", programs[i].images);
		view_json_array(j, "self", programs[i].values,
				sums_known(t->m) ? t->num_columns : 0);
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", n > shown ? n - shown : 0, left, t->num_columns);
}

static bool programs(struct text *t, struct view_json *j, const struct model_process **sorted,
		     size_t n, uint64_t *left)
{
	struct program *all = calloc(n + 1, sizeof *all);
	uint64_t *values = calloc(n * t->num_columns + 1, sizeof *values);
	bool ok = all && values;

	if (ok) {
		qsort(sorted, n, sizeof(struct model_process *), by_program);
		size_t num = add_programs(t, sorted, n, all, values);
		qsort(all, num, sizeof *all, by_first_value);
		if (j)
			json_programs(t, j, all, num, left);
		else
			ok = num < 2 || !sums_known(t->m) || print_programs(t, all, num);
	}
	free(all);
	free(values);
	return ok;
}

bool text_processes(struct text *t, struct view_json *j)
{
	size_t n = t->m->processes.len;
	const struct model_process **sorted = text_sorted_processes(t->m, text_by_start);
	uint64_t *left = calloc(t->num_columns + 1, sizeof *left);
	bool ok = sorted && left;

	if (ok && t->brief && (j || (t->num_columns && n > 1)))
		ok = programs(t, j, sorted, n, left);
	else if (ok && !t->brief && j)
		json_processes(t, j, sorted, n, left);
	else if (ok && !t->brief && n > 1)
		ok = print_processes(t, sorted, n);
	free(sorted);
	free(left);
	return ok;
}
