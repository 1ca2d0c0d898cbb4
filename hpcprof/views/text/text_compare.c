/* The text view's comparison of units: the section, and the columns that tables have for them. */
#include "formats/base/path.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 8, COLLECTIVE_COLUMNS = 3, EVERYTHING = 0 };

unsigned text_compare_columns(const struct profile *p, const struct text_options *own)
{
	const struct common *o = &own->common;
	size_t n = p->units.groups.len;

	if (o->stats || !own->collective || !n || (n < 2 && o->by != UNIT_THREAD))
		return 0;
	return n < own->collective ? (unsigned)n : COLLECTIVE_COLUMNS;
}

/* The row in the statistics of each row of a grouping, or 0. */
struct compared_row {
	struct stats_rows *rows;
	uint32_t *row[GROUPINGS];
};

static bool use(void *context, uint32_t node, enum grouping g, uint32_t row, bool inclusive)
{
	const struct compared_row *s = context;

	return !s->row[g][row] || stats_use(s->rows, node, s->row[g][row], inclusive);
}

/* Count the rows of the tables. They come after one row for everything. */
static int count_tables(struct text *t, struct error *e)
{
	struct stats_rows *rows = &t->stats.rows[0];
	struct compared_row shown = {.rows = rows};
	bool ok;
	int rc = 0;

	*rows = (struct stats_rows){.keys = t->m->contexts.keys,
				    .num_nodes = model_num_contexts(t->m),
				    .num_columns = t->num_columns,
				    .num_rows = EVERYTHING + 1};
	ok = stats_use(rows, MODEL_ROOT, EVERYTHING, true) &&
	     stats_use(rows, MODEL_PARTIAL_ROOT, EVERYTHING, true);
	for (int g = 0; ok && g < GROUPINGS; g++) {
		struct text_table *table = &t->tables[g];
		shown.row[g] = calloc(t->a.by[g].num_rows + 1, sizeof(uint32_t));
		ok = shown.row[g] != NULL;
		table->first_row = rows->num_rows;
		for (size_t i = 0; ok && i < table->shown; i++)
			shown.row[g][table->ids[i]] = rows->num_rows++;
	}
	rc = ok ? attribute_uses(t->m, t->c, text_tables_wanted(t), use, &shown, e)
		: error_memory(e, sizeof *rows);
	for (int g = 0; g < GROUPINGS; g++)
		free(shown.row[g]);
	return rc;
}

/* Make the units' titles: the end of the name, where names of profiles differ most. If two are the
 * same, use numbers. */
static bool find_titles(struct text *t)
{
	size_t n = t->stats.names.len;
	bool same = false;

	t->unit_titles = calloc(n + 1, sizeof *t->unit_titles);
	for (size_t i = 0; t->unit_titles && i < n; i++) {
		const char *name = path_basename(t->stats.names.at[i]);
		size_t bytes = strlen(name);
		if (bytes > 4 && strcmp(name + bytes - 4, ".csp") == 0)
			bytes -= 4;
		name = arena_strndup(&t->arena, name, bytes);
		name = name ? layout_cut_left(&t->arena, name, TITLE) : NULL;
		if (!name)
			return false;
		t->unit_titles[i] = name;
		for (size_t k = 0; k < i; k++)
			same |= strcmp(t->unit_titles[k], name) == 0;
	}
	for (size_t i = 0; t->unit_titles && same && i < n; i++)
		t->unit_titles[i] = text_format(t, "#%zu", i + 1);
	return t->unit_titles && !t->starved;
}

int text_compare_units(struct text *t, struct error *e)
{
	struct stats *s = &t->stats;
	int rc;

	if (!t->hottest || (!t->o->stats && !text_compare_columns(t->p, t->own)))
		return 0;
	s->profile = t->p;
	s->options = t->o;
	s->columns = t->chosen;
	s->keep = t->o->stats ? 0 : (uint32_t)t->own->collective;
	s->num_trees = t->o->stats ? 2 : 1;
	rc = count_tables(t, e);
	if (rc == 0 && t->o->stats && !text_paths_count(t, &s->rows[1]))
		rc = error_memory(e, sizeof(uint32_t));
	if (rc == 0)
		rc = stats_collect(s, e);
	if (rc != 0)
		return rc;
	if (t->o->stats)
		t->compare = COMPARE_LINES;
	else if (s->names.len >= 2)
		t->compare =
		    s->names.len < t->own->collective ? COMPARE_SINGLE : COMPARE_COLLECTIVE;
	if (t->compare == COMPARE_SINGLE && !find_titles(t))
		return error_memory(e, s->names.len);
	return 0;
}

void text_compare_deinit(struct text *t)
{
	stats_deinit(&t->stats);
	free(t->unit_titles);
}

/* ---- columns --------------------------------------------------------------------------- */

static bool is_single(const struct text *t, size_t column)
{
	return t->compare == COMPARE_SINGLE && t->columns[column].part == PART_ANY;
}

static size_t num_columns(const struct text *t, size_t column)
{
	if (is_single(t, column))
		return t->stats.names.len;
	return t->columns[column].part == PART_ANY ? COLLECTIVE_COLUMNS : 1;
}

/* Whether there are columns for the units. With inclusive only for a single metric, if the output
 * is wide enough. */
static bool has_columns(const struct text *t, size_t column, bool inclusive)
{
	if ((t->compare != COMPARE_SINGLE && t->compare != COMPARE_COLLECTIVE) ||
	    t->stats.mixed[column])
		return false;
	return !inclusive ||
	       (t->num_columns == 1 && t->o->width >= 60 + 20 * num_columns(t, column));
}

size_t text_compare_titles(const struct text *t, size_t column, bool inclusive,
			   struct layout_column *titles)
{
	static const char *const names[] = {
	    [PART_SUM] = "sum", [PART_MIN] = "min", [PART_MAX] = "max"};
	enum shown_part part = t->columns[column].part;
	size_t n = num_columns(t, column);

	if (!has_columns(t, column, inclusive))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const char *title = is_single(t, column) ? t->unit_titles[i]
				    : part == PART_ANY   ? names[PART_SUM + i]
							 : names[part];
		titles[i] = (struct layout_column){title, true, CUT_NOT, 0};
	}
	return n;
}

static bool cell(struct layout_table *table, long double value, const struct shown_metric *c)
{
	char number[LAYOUT_NUMBER_BYTES];

	return layout_number(table, value > 0 ? layout_real(number, (double)value, c->unit) : "0");
}

bool text_compare_cells(struct text *t, struct layout_table *table, const struct stats_rows *rows,
			uint32_t row, size_t column, bool inclusive)
{
	const struct shown_metric *c = &t->columns[column];
	struct summary s;
	bool ok = true;

	if (!has_columns(t, column, inclusive))
		return true;
	for (size_t i = 0; ok && is_single(t, column) && i < t->stats.names.len; i++)
		ok = cell(table, (long double)stats_single(rows, i, row, column, inclusive), c);
	if (is_single(t, column))
		return ok;
	s = stats_of(&t->stats, rows, row, column, inclusive);
	if (c->part == PART_ANY || c->part == PART_SUM)
		ok = cell(table, s.sum, c);
	if (ok && (c->part == PART_ANY || c->part == PART_MIN))
		ok = cell(table, (long double)s.least, c);
	if (ok && (c->part == PART_ANY || c->part == PART_MAX))
		ok = cell(table, (long double)s.most, c);
	return ok;
}

/* ---- the section ----------------------------------------------------------------------- */

/* List the units with their titles and totals. */
static bool list_units(struct text *t)
{
	struct layout_column *titles = calloc(t->num_columns + 2, sizeof *titles);
	struct layout_table table = {
	    .arena = &t->arena, .columns = titles, .num_columns = t->num_columns + 2};
	bool ok = titles != NULL;

	if (ok)
		titles[0] = (struct layout_column){"column", true, CUT_NOT, 0};
	for (size_t i = 0; ok && i < t->num_columns; i++)
		titles[i + 1] = (struct layout_column){t->columns[i].name, true, CUT_NOT, 0};
	if (ok)
		titles[t->num_columns + 1] =
		    (struct layout_column){units_word(t->p->units.kind, 1), false, CUT_MIDDLE, 12};
	for (size_t u = 0; ok && u < t->stats.names.len; u++) {
		ok = layout_cell(&table, t->unit_titles[u]);
		for (size_t i = 0; ok && i < t->num_columns; i++)
			ok = cell(
			    &table,
			    (long double)stats_single(&t->stats.rows[0], u, EVERYTHING, i, true),
			    &t->columns[i]);
		ok = ok && layout_cell(&table, t->stats.names.at[u]);
	}
	ok = ok && layout_print(t->out, &table, t->o->width);
	layout_table_deinit(&table);
	free(titles);
	return ok;
}

/* Print the sum, and the units with the smallest and largest values. */
static bool tell_range(struct text *t)
{
	char sum[LAYOUT_NUMBER_BYTES], least[LAYOUT_NUMBER_BYTES], most[LAYOUT_NUMBER_BYTES];
	bool ok = true;

	for (size_t i = 0; ok && i < t->num_columns; i++) {
		const struct shown_metric *c = &t->columns[i];
		struct summary s = stats_of(&t->stats, &t->stats.rows[0], EVERYTHING, i, true);
		layout_real(sum, (double)s.sum, c->unit);
		layout_value(least, s.least, c->unit);
		layout_value(most, s.most, c->unit);
		ok = text_fact(t, i ? "" : "in all", "%s %s", sum, c->name) &&
		     text_fact(t, i ? "" : "the least", "%s, %s", least,
			       t->stats.names.at[s.least_unit]) &&
		     text_fact(t, i ? "" : "the most", "%s, %s", most,
			       t->stats.names.at[s.most_unit]);
	}
	return ok;
}

bool text_compared(struct text *t)
{
	struct stat_lines l;
	const char *units;
	bool ok = true;

	if (t->compare == COMPARE_NOT)
		return true;
	l = stat_lines(t->out, &t->arena, &t->stats);
	units = stat_lines_units(&l);
	if (!units)
		return false;
	text_title(t, t->compare == COMPARE_LINES ? "Statistics over %s" : "Compared: %s", units);
	if (t->compare == COMPARE_LINES)
		ok = stat_lines_introduce(&l, &t->stats.rows[0], EVERYTHING);
	else
		ok = (t->compare == COMPARE_SINGLE ? list_units(t) : tell_range(t)) &&
		     stat_lines_outside(&l, &t->stats.rows[0], EVERYTHING);
	for (size_t i = 0; ok && t->compare != COMPARE_LINES && i < t->num_columns; i++)
		if (t->stats.mixed[i])
			text_paragraph(t,
				       "Their sampling periods of %s differ, so there are no "
				       "columns for them; use --stats to compare them.",
				       t->columns[i].name);
	return ok;
}
