/* The text view's tables of what threads waited for, and of who made them wait, if that was
 * measured. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/blame.h"
#include "hpcprof/metrics/waits.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

/* The metric; NULL: not measured, or not to be shown because the user chose other metrics, or
 * numbers of samples. */
static const struct model_metric *shown_metric(const struct text *t)
{
	const struct model_metric *m = waits_metric(t->m);
	bool shown = !t->o->metrics.len;

	if (!m || t->own->sections[SECTION_WAITS])
		return m;
	for (size_t i = 0; i < t->num_columns; i++)
		shown |= t->columns[i].metric == m || t->columns[i].metric->flags & MODEL_SUM;
	return shown && !t->o->samples ? m : NULL;
}

static bool find(struct text *t, const struct model_metric *m, waits_rows *rows)
{
	struct error e;
	wait_list waits;
	bool ok = waits_find(&waits, t->m, t->c, m, t->chosen->outside, &e) == 0;

	*rows = (waits_rows){0};
	ok = ok && waits_add_up(rows, &waits, t->m, t->c, &e) == 0;
	vec_free(&waits);
	return ok;
}

static bool add_cells(struct text *t, struct layout_table *table, const struct model_metric *m,
		      const struct waits_row *r)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool known = r->function != WAITS_NO_FUNCTION;

	return layout_number(table, layout_percent(number, r->value, m->total.events)) &&
	       layout_number(table, layout_value(number, r->value, m->unit)) &&
	       layout_cell(table, r->kind) &&
	       layout_number(table, known ? layout_percent(number, r->most, r->value) : "") &&
	       layout_cell(table, known ? label_function(t->c, &t->arena, r->function) : "");
}

static bool print(struct text *t, const struct model_metric *m, const waits_rows *rows)
{
	static const struct layout_column columns[] = {{"blocked", true, CUT_NOT, 0},
						       {"", true, CUT_NOT, 0},
						       {"for", false, CUT_NOT, 0},
						       {"most in", true, CUT_NOT, 0},
						       {"", false, CUT_NAME, 12}};
	struct layout_table table = {.arena = &t->arena,
				     .columns = columns,
				     .num_columns = sizeof columns / sizeof *columns};
	bool ok = true;

	for (size_t i = 0; ok && i < rows->len; i++)
		ok = add_cells(t, &table, m, &rows->at[i]);
	text_title(t, "Waits (%s)", m->name);
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	return ok;
}

/* ---- who made others wait ------------------------------------------------------------------ */

enum { BLAME_ROWS = 8 };

static bool add_blame(struct text *t, struct layout_table *table, const struct model_metric *m,
		      const struct blame_row *r)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool known = r->function != WAITS_NO_FUNCTION, line = r->line != WAITS_NO_LINE;

	return layout_number(table, layout_percent(number, r->value, m->total.events)) &&
	       layout_number(table, layout_value(number, r->value, m->unit)) &&
	       layout_cell(table,
			   known ? label_function(t->c, &t->arena, r->function) : "(not known)") &&
	       layout_number(table, line ? layout_percent(number, r->most, r->value) : "") &&
	       layout_cell(table, line ? label_line(t->m, t->c, &t->arena, r->line) : "");
}

static bool print_blame(struct text *t, const struct model_metric *m, const blame_rows *rows)
{
	static const struct layout_column columns[] = {{"waited for", true, CUT_NOT, 0},
						       {"", true, CUT_NOT, 0},
						       {"function", false, CUT_NAME, 12},
						       {"most at", true, CUT_NOT, 0},
						       {"", false, CUT_LEFT, 16}};
	struct layout_table table = {.arena = &t->arena,
				     .columns = columns,
				     .num_columns = sizeof columns / sizeof *columns};
	size_t most = text_rows(t, BLAME_ROWS);
	bool ok = true;

	for (size_t i = 0; ok && i < rows->len && i < most; i++)
		ok = add_blame(t, &table, m, &rows->at[i]);
	text_title(t, "Threads that made others wait (%s)", m->name);
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	if (ok && rows->len > most)
		text_paragraph(t, "... and %zu more (-n %zu shows all)", rows->len - most,
			       rows->len);
	return ok;
}

/* waits: what threads waited for. */
static bool show_blame(struct text *t, const waits_rows *waits)
{
	enum { SMALL = 50 }; /* one part in so many */
	const struct model_metric *m = blame_metric(t->m);
	char number[LAYOUT_NUMBER_BYTES];
	struct error e;
	blame_rows rows;
	bool ok;

	if (!m)
		return true;
	ok = blame_find(&rows, t->m, t->c, m, t->chosen->outside, &e) == 0;
	ok = ok && (!rows.len || print_blame(t, m, &rows));
	vec_free(&rows);
	uint64_t unknown = t->chosen->outside ? 0 : blame_unknown(waits, m);
	if (ok && unknown > m->total.events / SMALL)
		text_paragraph(t,
			       "For %s of waits for locks, conditions, barriers, semaphores and "
			       "joins it is not known whom the threads waited for.",
			       layout_value(number, unknown, m->unit));
	return ok;
}

bool text_waits(struct text *t)
{
	const struct model_metric *m = shown_metric(t);
	waits_rows rows;
	bool ok;

	if (!m) {
		if (t->own->sections[SECTION_WAITS])
			text_paragraph(t, "Where threads waited was not measured ('hpcrun -e "
					  "REALTIME' does that).");
		return true;
	}
	ok = find(t, m, &rows) && (!rows.len || print(t, m, &rows)) && show_blame(t, &rows);
	vec_free(&rows);
	return ok;
}

static bool put_blame(struct text *t, struct view_json *j)
{
	const struct model_metric *m = blame_metric(t->m);
	struct error e;
	blame_rows rows = {0};
	bool ok = !m || blame_find(&rows, t->m, t->c, m, t->chosen->outside, &e) == 0;

	view_json_rows(j, "blame", "rows");
	for (size_t i = 0; ok && i < rows.len; i++) {
		const struct blame_row *r = &rows.at[i];
		view_json_row(j);
		if (r->function != WAITS_NO_FUNCTION)
			view_json_function(j, r->function);
		else
			json_member(j->out, "function", NULL);
		view_json_number(j, "waited_for", r->value);
		if (r->line != WAITS_NO_LINE) {
			view_json_text(j, "line", label_line(t->m, t->c, &t->arena, r->line));
			view_json_number(j, "at_line", r->most);
		}
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", 0, NULL, 0);
	vec_free(&rows);
	return ok;
}

bool text_waits_json(struct text *t, struct view_json *j)
{
	const struct model_metric *m = shown_metric(t);
	waits_rows rows;
	bool ok;

	if (!m)
		return true;
	ok = find(t, m, &rows);
	view_json_rows(j, "waits", "rows");
	for (size_t i = 0; ok && i < rows.len; i++) {
		const struct waits_row *r = &rows.at[i];
		view_json_row(j);
		json_member(j->out, "kind", r->kind);
		view_json_number(j, "blocked", r->value);
		view_json_most(j, r->function, r->most);
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", 0, NULL, 0);
	vec_free(&rows);
	return ok && put_blame(t, j);
}
