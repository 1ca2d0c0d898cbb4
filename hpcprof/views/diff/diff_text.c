/* A comparison as text. */
#include "hpcprof/views/diff/diff.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { USUAL_ROWS = 15 };

static const struct diff_words {
	const char *title, *one, *many, *label, *second;
} words[DIFF_TABLES] = {
    [BY_MODULE] = {"Load modules", "load module", "load modules", "load module", NULL},
    [BY_FOLDER] = {"Folders", "folder", "folders", "folder", NULL},
    [BY_FILE] = {"Files", "file", "files", "file", NULL},
    [BY_NAMESPACE] = {"Namespaces", "namespace", "namespaces", "namespace", NULL},
    [BY_FUNCTION] = {"Functions", "function", "functions", "function", "load module"},
    [BY_LINE] = {"Lines", "line", "lines", "line", "function"},
    [DIFF_CALLS] = {"Call paths", "call path", "call paths", "outermost function first", NULL},
};

static const char *unit_of(const struct diff *d)
{
	return d->columns.at[0].unit;
}

enum { SIGNED_BYTES = LAYOUT_NUMBER_BYTES + 1 };

/* "+610 ms", "-3.2 s". Returns out. */
static char *signed_value(char out[SIGNED_BYTES], double value, const char *unit)
{
	char number[LAYOUT_NUMBER_BYTES];

	snprintf(out, SIGNED_BYTES, "%c%s", value < 0 ? '-' : '+',
		 layout_real(number, fabs(value), unit));
	return out;
}

/* "+10.2%", "x 3.1", "new", "gone". Returns out. */
static char *ratio(char out[LAYOUT_NUMBER_BYTES], double before, double after)
{
	if (!(before > 0))
		snprintf(out, LAYOUT_NUMBER_BYTES, "%s", after > 0 ? "new" : "");
	else if (!(after > 0))
		snprintf(out, LAYOUT_NUMBER_BYTES, "gone");
	else if (after / before >= 10)
		snprintf(out, LAYOUT_NUMBER_BYTES, "x %.0f", after / before);
	else
		snprintf(out, LAYOUT_NUMBER_BYTES, "%+.1f%%", 100 * (after / before - 1));
	return out;
}

/* ---- what was compared ------------------------------------------------------------- */

static void paragraph(FILE *out, struct diff *d, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void paragraph(FILE *out, struct diff *d, const char *format, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = layout_format_list(&d->arena, format, ap);
	va_end(ap);
	if (text)
		layout_paragraph(out, d->o->width, text);
}

static bool print_side(FILE *out, struct diff *d, enum diff_side side)
{
	char value[SIGNED_BYTES], number[LAYOUT_NUMBER_BYTES], change[LAYOUT_NUMBER_BYTES];
	const char *names = "", *samples = "", *more = "", *line;
	uint64_t n = 0;

	for (size_t r = 0; r < d->num_runs && names; r++) {
		if (d->runs[r].side != side)
			continue;
		n += (uint64_t)d->runs[r].samples;
		names = layout_format(&d->arena, "%s%s%s", names, names[0] ? ", " : "",
				      d->runs[r].name);
	}
	if (d->sampled)
		samples = layout_format(&d->arena, " in %s samples", layout_exact(number, n));
	if (d->side_runs[side] > 1)
		more = layout_format(&d->arena, " a run, %zu runs%s", d->side_runs[side], samples);
	else
		more = samples;
	if (side == AFTER)
		ratio(change, d->total[BEFORE], d->total[AFTER]);
	line = names && samples && more
		   ? layout_format(
			 &d->arena, "%s %s%s: %s", layout_real(value, d->total[side], unit_of(d)),
			 d->columns.at[0].metric_name, more, layout_clean(&d->arena, names))
		   : NULL;
	line = line ? layout_cut_middle(&d->arena, line, d->o->width - 12) : NULL;
	if (!line)
		return false;
	fprintf(out, "  %-8s%s\n", side == BEFORE ? "before" : "after", line);
	if (side == AFTER && d->total[BEFORE] == d->total[AFTER])
		fputs("  change  none\n", out);
	else if (side == AFTER)
		fprintf(out, "  %-8s%s (%s)\n", "change",
			signed_value(value, d->total[AFTER] - d->total[BEFORE], unit_of(d)),
			change);
	return true;
}

/* What is known about the change of the total. */
static void print_total(FILE *out, struct diff *d)
{
	if (!d->sampled)
		return;
	if (d->total_p < 0 && d->total[BEFORE] != d->total[AFTER])
		paragraph(
		    out, d,
		    "One run a side cannot tell a slower program from a slower machine if all of "
		    "it is slower; several runs can: hpcprof diff A1 A2 A3 -- B1 B2 B3.");
	else if (d->total_p >= 0)
		paragraph(out, d,
			  d->total_beyond ? "The change of the total is beyond what runs of a side "
					    "differ by (p = %.2g)."
					  : "The change of the total is within what runs of a side "
					    "differ by (p = %.2g).",
			  d->total_p);
	if (d->normal == NORMAL_USUAL && fabs(d->factor - 1) >= 0.001)
		paragraph(out, d,
			  "Most of the time changed alike, by %+.1f%%%s. The rows are without that "
			  "(--normalize none: with it).",
			  100 * (d->factor - 1),
			  d->total_beyond ? "" : ", which is taken for a change of the machine");
	else if (d->normal > NORMAL_NONE)
		paragraph(out, d, "The values are divided by %s: %+.1f%%.",
			  d->normal == NORMAL_TOTAL     ? "the total"
			  : d->normal == NORMAL_SAMPLES ? "the number of samples"
			  : d->normal == NORMAL_WALL    ? "the wall time"
						     : layout_clean(&d->arena, d->own->normalize),
			  100 * (d->factor - 1));
}

/* ---- tables ------------------------------------------------------------------------ */

/* What is beyond noise first; then by the size of the change. */
static int by_change(const void *pa, const void *pb, void *table)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct diff_table *t = table;
	const struct diff_row *x = &t->rows[a], *y = &t->rows[b];

	if (x->beyond != y->beyond)
		return x->beyond ? -1 : 1;
	if (fabs(x->change) != fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	return a < b ? -1 : a > b;
}

static bool order_rows(struct diff_table *t)
{
	t->order = malloc((t->num_rows + 1) * sizeof *t->order);
	if (!t->order)
		return false;
	t->num_beyond = 0;
	for (uint32_t i = 0; i < t->num_rows; i++) {
		const struct diff_row *row = &t->rows[i];
		if (row->told || !(row->mean[BEFORE] > 0 || row->mean[AFTER] > 0))
			continue;
		t->order[t->num_shown++] = i;
		t->num_beyond += row->beyond;
	}
	qsort_r(t->order, t->num_shown, sizeof *t->order, by_change, t);
	return true;
}

static bool print_cells(struct diff *d, const struct diff_table *t, uint32_t i,
			struct layout_table *to)
{
	const struct diff_row *row = &t->rows[i];
	char number[SIGNED_BYTES], plus[LAYOUT_NUMBER_BYTES + 4];
	bool ok = true;

	for (int s = 0; s < SIDES; s++)
		ok &= layout_number(to, layout_real(number, row->mean[s], unit_of(d)));
	ok &= layout_number(to, signed_value(number, row->change, unit_of(d)));
	snprintf(plus, sizeof plus, "\302\261 %s",
		 layout_real(number, 1.96 * row->deviation, unit_of(d)));
	ok &= layout_number(to, plus);
	ok &= layout_number(to, ratio(number, row->mean[BEFORE], row->mean[AFTER]));
	ok &= layout_cell(to, diff_label(d, t, i));
	return ok && (!words[t->grouping].second || layout_cell(to, diff_second_label(d, t, i)));
}

static bool print_rows(FILE *out, struct diff *d, const struct diff_table *t, size_t first,
		       size_t end)
{
	enum layout_cut cut = t->grouping == BY_FUNCTION ? CUT_NAME : CUT_LEFT;
	enum layout_cut second = t->grouping == BY_FUNCTION ? CUT_LEFT : CUT_NAME;
	const struct layout_column columns[] = {{"before", true, CUT_NOT, 0},
						{"after", true, CUT_NOT, 0},
						{"change", true, CUT_NOT, 0},
						{"noise", true, CUT_NOT, 0},
						{"", true, CUT_NOT, 0},
						{words[t->grouping].label, false, cut, 16},
						{words[t->grouping].second, false, second, 11}};
	struct layout_table table = {.arena = &d->arena,
				     .columns = columns,
				     .num_columns = words[t->grouping].second ? 7 : 6};
	bool ok = true;

	for (size_t i = first; ok && i < end; i++)
		ok = print_cells(d, t, t->order[i], &table);
	ok = ok && layout_print(out, &table, d->o->width);
	layout_table_deinit(&table);
	return ok;
}

static void print_sensitivity(FILE *out, struct diff *d)
{
	double least = diff_smallest_change(d, 0.1);

	if (least > 0)
		paragraph(out, d,
			  "A function with a tenth of the time has to change by about %.0f%% to be "
			  "told from noise%s.",
			  ceil(100 * least),
			  d->num_runs == SIDES
			      ? "; by less with more samples or several runs a side"
			      : "");
}

/* Functions whose changes make up for each other, as when the compiler inlines one now. */
static bool print_moved(FILE *out, struct diff *d, const struct diff_table *t)
{
	for (size_t i = 0; i < t->num_shown; i++) {
		uint32_t id = t->order[i];
		const struct diff_row *row = &t->rows[id];
		const char *from, *to;
		char number[LAYOUT_NUMBER_BYTES];
		if (row->moved == DIFF_NONE || row->change > 0)
			continue;
		from = diff_label(d, t, id);
		to = diff_label(d, t, row->moved);
		if (!from || !to)
			return false;
		paragraph(out, d,
			  "%s moved from %s to %s, which %s: together they changed within noise.",
			  layout_real(number, -row->change, unit_of(d)), from, to,
			  row->calls_it ? "it calls" : "calls it");
	}
	return true;
}

static bool print_table(FILE *out, struct diff *d, struct diff_table *t)
{
	const struct diff_words *w = &words[t->grouping];
	size_t most = d->o->rows ? (size_t)d->o->rows : USUAL_ROWS;
	const char *title;
	size_t within, shown;
	bool ok;

	if (!order_rows(t))
		return false;
	shown = t->num_beyond < most ? t->num_beyond : most;
	within = t->num_shown - t->num_beyond;
	title = layout_format(&d->arena, "%s that changed (%s %s)", w->title,
			      d->own->inclusive || t->grouping == DIFF_CALLS ? "total" : "self",
			      d->columns.at[0].metric_name);
	if (!title)
		return false;
	fputc('\n', out);
	layout_title(out, d->o->color, title);
	ok = t->num_beyond ? print_rows(out, d, t, 0, shown) : true;
	if (t->num_beyond > shown)
		fprintf(out, "  ... and %zu more\n", t->num_beyond - shown);
	if (ok && t->grouping == BY_FUNCTION && !d->own->inclusive)
		ok = print_moved(out, d, t);
	if (!t->num_beyond)
		paragraph(out, d, "No %s changed beyond noise, of %zu.", w->one, t->num_shown);
	if (ok && d->own->all && within) {
		size_t rest = most < within ? most : within;
		fputc('\n', out);
		layout_title(out, d->o->color, "Within noise");
		ok = print_rows(out, d, t, t->num_beyond, t->num_beyond + rest);
		if (rest < within)
			fprintf(out, "  ... and %zu more\n", within - rest);
	} else if (t->num_beyond && within) {
		paragraph(out, d, "%zu more %s changed within noise (--all shows them).", within,
			  within == 1 ? w->one : w->many);
	}
	return ok;
}

bool diff_print_text(FILE *out, struct diff *d)
{
	bool usual = true, ok;

	layout_title(out, d->o->color, "Comparison");
	ok = print_side(out, d, BEFORE) && print_side(out, d, AFTER);
	print_total(out, d);
	for (int g = 0; g < DIFF_TABLES; g++)
		usual &= !d->own->shows[g];
	for (int g = 0; ok && g < DIFF_TABLES; g++)
		if (d->own->shows[g] || (usual && g == BY_FUNCTION))
			ok = print_table(out, d, &d->tables[g]);
	if (ok && d->sampled)
		print_sensitivity(out, d);
	return ok;
}
