/* The text view's processes: by program, or one by one. */
#include "formats/base/path.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t text_sum(const struct text *t, const struct model_sum *sums, uint32_t num_sums,
		  size_t column)
{
	uint32_t metric = (uint32_t)(t->columns[column].metric - t->m->metrics.at);

	if (metric >= num_sums)
		return 0;
	return t->o->samples ? sums[metric].samples : sums[metric].events;
}

static uint64_t value_of(const struct text *t, const struct model_process *p, size_t column)
{
	return text_sum(t, p->sums, p->num_sums, column);
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
	struct layout_column *titles = calloc(2 * t->num_columns + r->num_more, sizeof *titles);
	struct layout_table table = {.arena = &t->arena, .columns = titles};
	bool ok = titles != NULL;

	for (size_t i = 0; ok && i < t->num_columns; i++) {
		titles[columns++] = (struct layout_column){t->columns[i].name, true, CUT_NOT, 0};
		titles[columns++] = (struct layout_column){"", true, CUT_NOT, 0};
	}
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

static bool process_cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct model_process *p = ((const struct model_process *const *)things)[i];
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true;

	for (size_t k = 0; k < t->num_columns; k++)
		ok &= text_value_cells(t, table, value_of(t, p, k), k);
	ok &= layout_number(table, p->has_wall ? layout_value(number, p->wall_ns, "ns") : "");
	snprintf(number, sizeof number, "%" PRIu64, p->pid);
	ok &= layout_number(table, p->has_pid ? number : "");
	ok &= layout_cell(table, layout_clean(&t->arena, p->end));
	return ok && layout_cell(table, text_short_command(t, p));
}

static bool print_processes(struct text *t, const struct model_process **sorted, size_t n)
{
	const struct text_values r = {"Processes",
				      n,
				      text_rows(t, 10),
				      {{"wall", true, CUT_NOT, 0},
				       {"pid", true, CUT_NOT, 0},
				       {"end", false, CUT_NOT, 0},
				       {"command", false, CUT_MIDDLE, 12}},
				      4,
				      process_cells,
				      sorted};

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
	bool ok = true;

	for (size_t k = 0; k < t->num_columns; k++)
		ok &= text_value_cells(t, table, p->values[k], k);
	return ok && layout_number(table, layout_exact(number, p->images)) &&
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
	    text_rows(t, 5),
	    {{"images", true, CUT_NOT, 0}, {"program", false, CUT_MIDDLE, 12}},
	    2,
	    program_cells,
	    programs};

	return text_value_table(t, &r);
}

static bool programs(struct text *t, const struct model_process **sorted, size_t n)
{
	struct program *all = calloc(n, sizeof *all);
	uint64_t *values = calloc(n * t->num_columns, sizeof *values);
	bool ok = all && values;

	if (ok) {
		qsort(sorted, n, sizeof(struct model_process *), by_program);
		size_t num = add_programs(t, sorted, n, all, values);
		qsort(all, num, sizeof *all, by_first_value);
		ok = num < 2 || print_programs(t, all, num);
	}
	free(all);
	free(values);
	return ok;
}

bool text_processes(struct text *t)
{
	size_t n = t->m->processes.len;
	const struct model_process **sorted = text_sorted_processes(t->m, text_by_start);
	bool ok = sorted != NULL;

	if (ok && n > 1 && (!t->brief || t->num_columns))
		ok = t->brief ? programs(t, sorted, n) : print_processes(t, sorted, n);
	free(sorted);
	return ok;
}
