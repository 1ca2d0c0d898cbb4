#include "hpcprof/stat_lines.h"

#include "hpcprof/layout.h"

#include <inttypes.h>
#include <string.h>

/* Widths: the first column has "self" or "total"; then the share (COLUMNS_PERCENT); five
 * values; cv; in how many units. */
enum { INDENT = 4, LABEL = 5, VALUE = 8, PERCENT = 6, COUNT = 5, GAP = 2, VALUES = 5 };
enum { NUMBERS = INDENT + LABEL + 1 + PERCENT + VALUES * (1 + VALUE) + 1 + PERCENT + 1 + COUNT };

struct stat_lines stat_lines(FILE *out, struct arena *a, const struct stats *s)
{
	struct stat_lines l = {.out = out, .arena = a, .stats = s, .width = s->options->width};

	for (size_t i = 0; i < s->names.len; i++) {
		unsigned w = layout_width(s->names.at[i]);
		l.names = w > l.names ? w : l.names;
	}
	return l;
}

const char *stat_lines_units(const struct stat_lines *l)
{
	size_t n = l->stats->names.len;

	return layout_format(l->arena, "%zu %s", n, units_word(l->stats->profile->units.kind, n));
}

/* Whether names of units, and an interval, stand on the same line as the numbers. */
static bool on_one_line(const struct stat_lines *l)
{
	return !l->stats->options->ci && NUMBERS + 2 * (GAP + l->names) <= l->width;
}

bool stat_lines_introduce(const struct stat_lines *l, const struct stats_rows *rows,
			  uint32_t everything)
{
	const char *units = stat_lines_units(l), *text;
	enum unit_kind kind = l->stats->profile->units.kind;

	if (!units)
		return false;
	text = layout_format(
	    l->arena,
	    "Sum, smallest, largest and mean value over %s, standard deviation (sd, of a "
	    "sample: n - 1), cv = sd / mean, and in how many a row has a value (in). In any "
	    "other %s it counts as 0.",
	    units, units_word(kind, 1));
	if (!text)
		return false;
	layout_paragraph(l->out, l->width, text);
	if (l->stats->names.len == 1) {
		layout_paragraph(l->out, l->width,
				 "With one alone there is no deviation. --by thread, process, rank "
				 "or host may split it.");
	}
	stat_lines_titles(l);
	fprintf(l->out, "  everything\n");
	return stat_lines_print(l, rows, everything);
}

void stat_lines_titles(const struct stat_lines *l)
{
	static const char *const values[VALUES] = {"sum", "min", "max", "mean", "sd"};

	fprintf(l->out, "%*s %*s", INDENT + LABEL, "", PERCENT, "share");
	for (int i = 0; i < VALUES; i++)
		fprintf(l->out, " %*s", VALUE, values[i]);
	fprintf(l->out, " %*s %*s", PERCENT, "cv", COUNT, "in");
	if (on_one_line(l))
		fprintf(l->out, "%*s%-*s%*s%s", GAP, "", (int)l->names, "smallest", GAP, "",
			"largest");
	fputc('\n', l->out);
}

/* The value as a number of events; past 2^64 nothing is known any more. */
static uint64_t whole(long double value)
{
	return value < 0x1p64L ? (uint64_t)value : UINT64_MAX;
}

static void put_value(FILE *out, long double value, const char *unit)
{
	char number[LAYOUT_NUMBER_BYTES];

	fprintf(out, " %*s", VALUE, layout_real(number, (double)value, unit));
}

/* A name at the end of a line, blanks behind it only where more follows. */
static bool put_names(const struct stat_lines *l, const struct column *c, const struct summary *s)
{
	const char *least = l->stats->names.at[s->least_unit];
	const char *most = l->stats->names.at[s->most_unit], *text = "";
	unsigned names = 2 * INDENT + (unsigned)sizeof "min , max " - 1, room = l->width;
	char percent[COLUMNS_PERCENT_BYTES];

	if (on_one_line(l)) {
		unsigned used = layout_width(least);
		fprintf(l->out, "%*s%s%*s%s\n", GAP, "", least,
			(int)(GAP + (l->names > used ? l->names - used : 0)), "", most);
		return true;
	}
	if (l->stats->options->ci)
		text = layout_format(l->arena, "share %s, ",
				     columns_percent(percent, c, whole(s->sum)));
	if (!text)
		return false;
	names += (unsigned)layout_width(text);
	room = room > names + 24 ? room - names : 24;
	if (layout_width(least) + layout_width(most) > room) {
		least = layout_cut_middle(l->arena, least, room / 2);
		most = layout_cut_middle(l->arena, most, room / 2);
	}
	if (!least || !most)
		return false;
	fprintf(l->out, "\n%*s%smin %s, max %s\n", 2 * INDENT, "", text, least, most);
	return true;
}

static bool put_line(const struct stat_lines *l, const struct column *c, const char *label,
		     const struct summary *s)
{
	char number[LAYOUT_NUMBER_BYTES];

	if (!s->present)
		return true;
	fprintf(l->out, "%*s%-*s %*s", INDENT, "", LABEL, label, PERCENT,
		layout_percent(number, whole(s->sum), c->total));
	put_value(l->out, s->sum, c->unit);
	put_value(l->out, (long double)s->least, c->unit);
	put_value(l->out, (long double)s->most, c->unit);
	put_value(l->out, s->mean, c->unit);
	if (s->units > 1) {
		put_value(l->out, s->deviation, c->unit);
		snprintf(number, sizeof number, "%.1f%%", (double)(100 * s->variation));
	} else {
		fprintf(l->out, " %*s", VALUE, "-");
		snprintf(number, sizeof number, "-");
	}
	fprintf(l->out, " %*s %*" PRIu32, PERCENT, number, COUNT, s->present);
	return put_names(l, c, s);
}

/* Whether the row calls nothing that has values. */
static bool same(const struct stats_rows *rows, uint32_t row, size_t column)
{
	const struct tally *self = &rows->tallies[stats_index(rows, row, column, false)];

	return memcmp(self, self + 1, sizeof *self) == 0;
}

bool stat_lines_print(const struct stat_lines *l, const struct stats_rows *rows, uint32_t row)
{
	const struct columns *columns = l->stats->columns;
	bool ok = true;

	for (size_t i = 0; ok && i < rows->num_columns; i++) {
		struct summary self = stats_of(l->stats, rows, row, i, false);
		struct summary total = stats_of(l->stats, rows, row, i, true);
		if (columns->len > 1 && (self.present || total.present))
			fprintf(l->out, "   %s\n", columns->at[i].name);
		if (same(rows, row, i))
			ok = put_line(l, &columns->at[i], "both", &self);
		else
			ok = put_line(l, &columns->at[i], "self", &self) &&
			     put_line(l, &columns->at[i], "total", &total);
	}
	return ok;
}
