/* The text view's threads, by name and by the function that created them. */
#include "hpcprof/correlate/thread_list.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_ROWS = 15, BRIEF_ROWS = 5 };

static uint64_t value_of(const struct text *t, const struct thread_list_row *r, size_t column)
{
	return text_sum(t, &r->sums, column);
}

/* The order of the list decides between equal values. */
static int by_value(const void *pa, const void *pb, void *context)
{
	const struct thread_list_row *a = *(const struct thread_list_row *const *)pa;
	const struct thread_list_row *b = *(const struct thread_list_row *const *)pb;
	const struct text *t = context;
	uint64_t x = t->num_columns ? value_of(t, a, 0) : 0;
	uint64_t y = t->num_columns ? value_of(t, b, 0) : 0;

	if (t->o->sort != SORT_NAME && x != y)
		return x > y ? -1 : 1;
	return (a > b) - (a < b);
}

static const char *name_of(struct text *t, const struct thread_list_row *r)
{
	if (r->kind == THREAD_ENDED)
		return "(threads that ended)";
	if (r->kind == THREAD_NOT_SAID)
		return "(not known by thread)";
	/* numbers are only replaced where names differ in them */
	return layout_clean(&t->arena,
			    r->first[0] && strcmp(r->first, r->last) == 0 ? r->first : r->name);
}

static bool cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct thread_list_row *r = ((const struct thread_list_row *const *)things)[i];
	char number[LAYOUT_NUMBER_BYTES];
	uint64_t *values = arena_alloc(&t->arena, (t->num_columns + 1) * sizeof *values);
	bool ok;

	for (size_t k = 0; values && k < t->num_columns; k++)
		values[k] = value_of(t, r, k);
	ok = text_row_cells(t, table, values);
	ok &= layout_number(table, r->threads ? layout_exact(number, r->threads) : "");
	ok &= layout_cell(table, name_of(t, r));
	return ok &&
	       layout_cell(table, r->kind == THREAD_MAIN ? "(main thread)"
							 : layout_clean(&t->arena, r->creator));
}

static bool print_json(struct text *t, struct view_json *j, const struct thread_list_row **rows,
		       size_t n)
{
	size_t shown = text_rows(t, USUAL_ROWS);
	uint64_t *left = calloc(t->num_columns + 1, sizeof *left);
	uint64_t *values = calloc(t->num_columns + 1, sizeof *values);
	bool saturated = false, ok = left && values;

	view_json_rows(j, "threads", "rows");
	for (size_t i = 0; ok && i < n; i++) {
		const struct thread_list_row *r = rows[i];
		for (size_t k = 0; k < t->num_columns; k++) {
			values[k] = value_of(t, r, k);
			if (i >= shown)
				left[k] = sum_add(left[k], values[k], &saturated);
		}
		if (i >= shown)
			continue;
		view_json_row(j);
		json_member(j->out, "name",
			    r->kind == THREAD_MAIN || r->kind == THREAD_CREATED ? r->name
										: name_of(t, r));
		view_json_text(j, "first_name", r->first);
		view_json_text(j, "last_name", r->last);
		view_json_bool(j, "main", r->kind == THREAD_MAIN);
		view_json_text(j, "created_by", r->creator);
		view_json_number(j, "threads", r->threads);
		view_json_array(j, "self", values, t->num_columns);
		fputc('}', j->out);
	}
	if (ok)
		view_json_left_out(j, "rows", n > shown ? n - shown : 0, left, t->num_columns);
	free(left);
	free(values);
	return ok;
}

/* Whether the table says more than the headline, and in the brief report than the programs do. */
static bool tells(const struct text *t, const struct thread_list_row **rows, size_t n)
{
	bool others = !t->brief;

	for (size_t i = 0; i < n; i++)
		others |= rows[i]->kind != THREAD_MAIN;
	return n > 1 && others;
}

static bool print_text(struct text *t, const struct thread_list_row **rows, size_t n)
{
	const struct text_values r = {"Threads",
				      n,
				      text_rows(t, t->brief ? BRIEF_ROWS : USUAL_ROWS),
				      {{"threads", true, CUT_NOT, 0},
				       {"name", false, CUT_MIDDLE, 8},
				       {"created by", false, CUT_NAME, 12}},
				      3,
				      cells,
				      rows,
				      false};

	return !n || (!t->own->sections[SECTION_THREADS] && !tells(t, rows, n)) ||
	       text_value_table(t, &r);
}

bool text_threads(struct text *t, struct view_json *j)
{
	thread_list list;
	struct error e;
	const struct thread_list_row **rows = NULL;
	bool ok = thread_list_make(&list, t->m, t->c, &t->arena, &e) == 0;
	size_t n = ok && t->num_columns ? list.len : 0;

	if (ok) {
		rows = malloc((n + 1) * sizeof(struct thread_list_row *));
		ok = rows != NULL;
	}
	for (size_t i = 0; ok && i < n; i++)
		rows[i] = &list.at[i];
	if (ok) {
		qsort_r(rows, n, sizeof(struct thread_list_row *), by_value, t);
		ok = j ? print_json(t, j, rows, n) : print_text(t, rows, n);
	}
	free(rows);
	vec_free(&list);
	return ok;
}
