/* The text view's table of regions. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/regions.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

enum { USUAL_ROWS = 30, BRIEF_ROWS = 10 };

static bool find(struct text *t, regions_rows *rows)
{
	struct error e;

	return regions_find(rows, t->m, t->c, t->columns[0].values, t->chosen->outside, &e) == 0;
}

/* The time of one, if it was measured how long they took. */
static const char *each_of(const struct text *t, const struct regions_row *r,
			   char number[LAYOUT_NUMBER_BYTES])
{
	const struct shown_metric *c = &t->columns[0];

	if (!r->entered || c->of_samples || !(c->metric->flags & CSP_METRIC_ASYNC))
		return "-";
	return layout_value(number, r->total / r->entered, c->unit);
}

static bool add_cells(struct text *t, struct layout_table *table, const struct regions_row *r)
{
	char number[LAYOUT_NUMBER_BYTES];
	bool any = r->most_in != REGIONS_NONE;

	return text_value_cells(t, table, r->total, 0) &&
	       layout_number(table, r->entered ? layout_exact(number, r->entered) : "-") &&
	       layout_number(table, each_of(t, r, number)) &&
	       layout_cell(table, layout_clean(&t->arena, regions_name(t->m, t->c, r->function))) &&
	       layout_number(table, any ? layout_percent(number, r->most, r->total) : "") &&
	       layout_cell(table, any ? label_function(t->c, &t->arena, r->most_in) : "");
}

static bool print(struct text *t, const regions_rows *rows)
{
	const struct layout_column columns[] = {
	    {"total", true, CUT_NOT, 0},       {"", true, CUT_NOT, 0},
	    {"entered", true, CUT_NOT, 0},     {"each", true, CUT_NOT, 0},
	    {"region", false, CUT_MIDDLE, 12}, {"most in", true, CUT_NOT, 0},
	    {"", false, CUT_NAME, 12}};
	struct layout_table table = {.arena = &t->arena,
				     .columns = columns,
				     .num_columns = sizeof columns / sizeof *columns};
	size_t most = text_rows(t, t->brief ? BRIEF_ROWS : USUAL_ROWS);
	bool ok = true;

	for (size_t i = 0; ok && i < rows->len && i < most; i++)
		ok = add_cells(t, &table, &rows->at[i]);
	text_title(t, "Regions (%s)", t->columns[0].name);
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	if (ok && rows->len > most)
		text_paragraph(t, "... and %zu more (-n %zu shows all)", rows->len - most,
			       rows->len);
	return ok;
}

bool text_regions(struct text *t)
{
	regions_rows rows = {0};
	bool ok = !t->num_columns || find(t, &rows);

	if (ok && rows.len)
		ok = print(t, &rows);
	else if (ok && t->own->sections[SECTION_REGIONS])
		text_paragraph(t, "The program named no regions (hpcrun.h and hpcrun-mark do "
				  "that).");
	vec_free(&rows);
	return ok;
}

bool text_regions_json(struct text *t, struct view_json *j)
{
	regions_rows rows = {0};
	bool ok = !t->num_columns || find(t, &rows);

	if (ok && (rows.len || t->own->sections[SECTION_REGIONS])) {
		view_json_rows(j, "regions", "rows");
		for (size_t i = 0; i < rows.len; i++) {
			const struct regions_row *r = &rows.at[i];
			view_json_row(j);
			json_member(j->out, "region", regions_name(t->m, t->c, r->function));
			view_json_number(j, "total", r->total);
			view_json_number(j, "entered", r->entered);
			view_json_most(j, r->most_in, r->most);
			fputc('}', j->out);
		}
		view_json_left_out(j, "rows", 0, NULL, 0);
	}
	vec_free(&rows);
	return ok;
}
