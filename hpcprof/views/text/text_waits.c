/* The text view's table of what threads waited for, if that was measured. */
#include "hpcprof/correlate/label.h"
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
	ok = find(t, m, &rows) && (!rows.len || print(t, m, &rows));
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
		if (r->function != WAITS_NO_FUNCTION) {
			fputc(',', j->out);
			view_json_function(j, r->function);
			view_json_number(j, "in_function", r->most);
		}
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", 0, NULL, 0);
	vec_free(&rows);
	return ok;
}
