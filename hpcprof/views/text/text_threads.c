/* The text view's threads, by name and by the function that created them. */
#include "formats/base/path.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/model/threads.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_ROWS = 15 };

/* A row: threads with the same label and creator. */
struct thread_row {
	const char *name, *creator; /* clean */
	const char *first, *last;   /* of the threads' names */
	enum thread_kind kind;
	uint64_t threads;
	uint64_t *values; /* [columns] */
};

/* ---- who created them -------------------------------------------------------------- */

/* Libraries that create threads on behalf of others, by the start of their files' names. */
static const char *const helpers[] = {
    "libhpcrun.",      "libc.",       "libc-",       "libpthread",   "libstdc++.", "libc++.",
    "libgomp.",        "libomp.",     "libiomp5.",   "libglib-2.0.", "libuv.",     "libtbb.",
    "libboost_thread", "libQt5Core.", "libQt6Core.", "ld-linux",     "ld-musl"};

/* Names in the C++ library's namespaces, as in a symbol and without one. A full name may begin with
 * a type. */
static const char *const own_names[] = {"_ZSt",          "_ZNSt", "_ZNKSt",
					"_ZN9__gnu_cxx", "std::", "__gnu_cxx::"};

static bool starts_with_any(const char *s, const char *const *starts, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= strncmp(s, starts[i], strlen(starts[i])) == 0;
	return any;
}

#define STARTS_WITH_ANY(s, starts) starts_with_any(s, starts, sizeof(starts) / sizeof *(starts))

static bool helps(const struct text *t, const struct code_function *f)
{
	const char *base = path_basename(t->m->modules.at[f->module].name);

	return f->source == SYMBOL_NONE || STARTS_WITH_ANY(base, helpers) ||
	       STARTS_WITH_ANY(f->name, own_names) || STARTS_WITH_ANY(f->linkage_name, own_names);
}

/* The innermost function that is no helper's, or the innermost of all. */
static const char *creator_of(struct text *t, const struct model_threads *g)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < g->num_calls; i++) {
		uint32_t frame = model_call_frame(t->m, &g->call[i]);
		if (frame == MODEL_NO_FRAME)
			continue;
		for (uint32_t k = t->c->first[frame]; k < t->c->first[frame + 1]; k++) {
			const struct code_function *f =
			    &t->c->functions.at[t->c->frames.at[k].function];
			if (!helps(t, f))
				return layout_clean(&t->arena, f->name);
			if (!first)
				first = f->name;
		}
	}
	return first ? layout_clean(&t->arena, first) : "";
}

/* ---- rows -------------------------------------------------------------------------- */

static const char *name_of(struct text *t, const struct model_threads *g)
{
	if (g->kind == THREAD_ENDED)
		return "(threads that ended)";
	if (g->kind == THREAD_NOT_SAID)
		return "(not known by thread)";
	return layout_clean(&t->arena, g->pattern);
}

/* Rows that are the same but for their values and numbers of threads are equal. */
static int by_label(const void *pa, const void *pb)
{
	const struct thread_row *a = pa, *b = pb;
	int c = (a->kind > b->kind) - (a->kind < b->kind);

	if (!c)
		c = strcmp(a->name, b->name);
	return c ? c : strcmp(a->creator, b->creator);
}

static int by_value(const void *pa, const void *pb, void *context)
{
	const struct thread_row *a = pa, *b = pb;
	const struct text *t = context;

	if (t->o->sort != SORT_NAME && a->values[0] != b->values[0])
		return a->values[0] > b->values[0] ? -1 : 1;
	return by_label(a, b);
}

/* Make a row of each group, and add up those that are equal. Returns how many are left. */
static size_t make_rows(struct text *t, struct thread_row *rows, uint64_t *values)
{
	size_t n = t->m->threads.len, left = 0;
	bool saturated = false;

	for (size_t i = 0; i < n; i++) {
		const struct model_threads *g = &t->m->threads.at[i];
		rows[i] = (struct thread_row){.name = name_of(t, g),
					      .creator = creator_of(t, g),
					      .first = g->first,
					      .last = g->last,
					      .kind = g->kind,
					      .threads = g->threads,
					      .values = values + i * t->num_columns};
		if (!rows[i].name || !rows[i].creator) {
			t->starved = true;
			return 0;
		}
		for (size_t k = 0; k < t->num_columns; k++)
			rows[i].values[k] = text_sum(t, g->sums, g->num_sums, k);
	}
	qsort(rows, n, sizeof *rows, by_label);
	for (size_t i = 0; i < n; i++) {
		struct thread_row *last = left ? &rows[left - 1] : NULL;
		if (!last || by_label(last, &rows[i]) != 0) {
			rows[left++] = rows[i];
			continue;
		}
		if (strcmp(rows[i].first, last->first) < 0)
			last->first = rows[i].first;
		if (strcmp(rows[i].last, last->last) > 0)
			last->last = rows[i].last;
		last->threads = sum_add(last->threads, rows[i].threads, &saturated);
		for (size_t k = 0; k < t->num_columns; k++)
			last->values[k] = sum_add(last->values[k], rows[i].values[k], &saturated);
	}
	return left;
}

static bool cells(struct text *t, struct layout_table *table, const void *things, size_t i)
{
	const struct thread_row *r = (const struct thread_row *)things + i;
	char number[LAYOUT_NUMBER_BYTES];
	bool ok = true;

	for (size_t k = 0; k < t->num_columns; k++)
		ok &= text_value_cells(t, table, r->values[k], k);
	ok &= layout_number(table, r->threads ? layout_exact(number, r->threads) : "");
	/* numbers are only replaced where names differ in them */
	ok &= layout_cell(table, r->first[0] && strcmp(r->first, r->last) == 0
				     ? layout_clean(&t->arena, r->first)
				     : r->name);
	return ok && layout_cell(table, r->kind == THREAD_MAIN ? "(main thread)" : r->creator);
}

static void print_json(struct text *t, struct view_json *j, const struct thread_row *rows, size_t n,
		       uint64_t *left)
{
	size_t shown = text_rows(t, USUAL_ROWS);
	bool saturated = false;

	for (size_t i = 0; i < n; i++) {
		const struct thread_row *r = &rows[i];
		if (i >= shown) {
			for (size_t k = 0; k < t->num_columns; k++)
				left[k] = sum_add(left[k], r->values[k], &saturated);
			continue;
		}
		view_json_row(j);
		json_member(j->out, "name", r->name);
		view_json_text(j, "first_name", r->first);
		view_json_text(j, "last_name", r->last);
		view_json_bool(j, "main", r->kind == THREAD_MAIN);
		view_json_text(j, "created_by", r->creator);
		view_json_number(j, "threads", r->threads);
		view_json_array(j, "self", r->values, t->num_columns);
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", n > shown ? n - shown : 0, left, t->num_columns);
}

bool text_threads(struct text *t, struct view_json *j)
{
	size_t n = t->m->threads.len;
	struct thread_row *rows = calloc(n + 1, sizeof *rows);
	uint64_t *values = calloc((n + 1) * t->num_columns + 1, sizeof *values);
	bool ok = rows && values;

	if (j)
		view_json_rows(j, "threads", "rows");
	if (ok && t->num_columns) {
		n = make_rows(t, rows, values);
		qsort_r(rows, n, sizeof *rows, by_value, t);
	} else {
		n = 0;
	}
	if (ok && j) {
		/* the last of the values are free: there are as many rows at most as threads */
		print_json(t, j, rows, n, values + t->m->threads.len * t->num_columns);
	} else if (ok && n) {
		const struct text_values r = {"Threads",
					      n,
					      text_rows(t, USUAL_ROWS),
					      {{"threads", true, CUT_NOT, 0},
					       {"name", false, CUT_MIDDLE, 8},
					       {"created by", false, CUT_NAME, 12}},
					      3,
					      cells,
					      rows};
		ok = text_value_table(t, &r);
	}
	free(rows);
	free(values);
	return ok;
}
