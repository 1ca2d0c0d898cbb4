#include "hpcprof/metrics/stat_lines.h"

#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <string.h>

/* Widths of the columns: "self" or "total"; the share (SHOWN_PERCENT); five values; cv; the number
 * of units. */
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

/* Whether the names of units are on the same line as the numbers. With an interval they are not. */
static bool on_one_line(const struct stat_lines *l)
{
	return !l->stats->options->ci && NUMBERS + 2 * (GAP + l->names) <= l->width;
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

/* The value as a number of events, at most 2^64 - 1. */
static uint64_t whole(long double value)
{
	return value < 0x1p64L ? (uint64_t)value : UINT64_MAX;
}

static void put_value(FILE *out, long double value, const char *unit)
{
	char number[LAYOUT_NUMBER_BYTES];

	fprintf(out, " %*s", VALUE, layout_real(number, (double)value, unit));
}

/* Shorten a name. The distinctive part is usually the end of a path, and the beginning of other
 * names. */
static const char *cut_name(const struct stat_lines *l, const char *name, unsigned width)
{
	return l->stats->profile->units.kind == UNIT_PROFILE
		   ? layout_cut_left(l->arena, name, width)
		   : layout_cut_right(l->arena, name, width);
}

/* Print the names of the units with the smallest and largest values, and the share with its
 * interval (or ""), after the numbers or on one or two lines of their own. */
static bool put_names(const struct stat_lines *l, const char *share, const struct summary *s)
{
	const char *least = l->stats->names.at[s->least_unit];
	const char *most = l->stats->names.at[s->most_unit];
	unsigned before = 2 * INDENT + layout_width(share) + (unsigned)sizeof "min " - 1;
	unsigned between = (unsigned)sizeof ", max " - 1;

	if (on_one_line(l)) {
		unsigned used = layout_width(least);
		fprintf(l->out, "%*s%s%*s%s\n", GAP, "", least,
			(int)(GAP + (l->names > used ? l->names - used : 0)), "", most);
		return true;
	}
	if (before + layout_width(least) + between + layout_width(most) <= l->width) {
		fprintf(l->out, "\n%*s%smin %s, max %s\n", 2 * INDENT, "", share, least, most);
		return true;
	}
	least = cut_name(l, least, l->width - before);
	most = cut_name(l, most, l->width - before);
	if (least && most)
		fprintf(l->out, "\n%*s%smin %s\n%*smax %s\n", 2 * INDENT, "", share, least,
			2 * INDENT + (int)layout_width(share), "", most);
	return least && most;
}

/* interval: print the confidence interval of the row's share of all. */
static bool put_line(const struct stat_lines *l, const struct shown_metric *c, const char *label,
		     const struct summary *s, bool interval)
{
	char number[LAYOUT_NUMBER_BYTES], percent[SHOWN_PERCENT_BYTES];
	const char *share = "";

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
	if (interval && c->samples > 0)
		share = layout_format(l->arena, "share %s, ",
				      shown_metric_percent(percent, c, whole(s->sum)));
	return share && put_names(l, share, s);
}

/* Whether self and total are the same: the row calls nothing that has values. */
static bool same(const struct stats_rows *rows, uint32_t row, size_t column)
{
	const struct tally *self = &rows->tallies[stats_index(rows, row, column, false)];

	return memcmp(self, self + 1, sizeof *self) == 0;
}

static bool put_row(const struct stat_lines *l, const struct stats_rows *rows, uint32_t row,
		    bool intervals)
{
	const struct shown_metrics *columns = l->stats->columns;
	bool ok = true, any = false;

	for (size_t i = 0; ok && i < rows->num_columns; i++) {
		struct summary self = stats_of(l->stats, rows, row, i, false);
		struct summary total = stats_of(l->stats, rows, row, i, true);
		const struct shown_metric *c = &columns->at[i];
		any |= self.present || total.present;
		if (columns->len > 1 && (self.present || total.present))
			fprintf(l->out, "   %s\n", c->name);
		if (same(rows, row, i))
			ok = put_line(l, c, "both", &self, intervals);
		else
			ok = put_line(l, c, "self", &self, intervals) &&
			     put_line(l, c, "total", &total, intervals);
	}
	if (!any)
		fprintf(l->out, "%*sin none of the %s\n", INDENT, "",
			units_word(l->stats->profile->units.kind, 2));
	return ok;
}

bool stat_lines_print(const struct stat_lines *l, const struct stats_rows *rows, uint32_t row)
{
	return put_row(l, rows, row, true);
}

bool stat_lines_outside(const struct stat_lines *l, const struct stats_rows *rows,
			uint32_t everything)
{
	size_t files = l->stats->profile->units.outside;
	const char *text = "";

	for (size_t i = 0; files && text && i < rows->num_columns; i++) {
		const struct shown_metric *c = &l->stats->columns->at[i];
		struct summary s = stats_of(l->stats, rows, everything, i, true);
		uint64_t inside = whole(s.sum), rest = c->total > inside ? c->total - inside : 0;
		char number[LAYOUT_NUMBER_BYTES], percent[LAYOUT_NUMBER_BYTES];
		text = layout_format(l->arena, "%s%s%s %s (%s)", text, i ? ", " : "",
				     layout_value(number, rest, c->unit), c->name,
				     layout_percent(percent, rest, c->total));
	}
	if (files && text)
		text = layout_format(l->arena, "Not included: %s in %zu datafile%s without a rank.",
				     text, files, files == 1 ? "" : "s");
	if (files && text)
		layout_paragraph(l->out, l->width, text);
	return text != NULL;
}

bool stat_lines_introduce(const struct stat_lines *l, const struct stats_rows *rows,
			  uint32_t everything)
{
	const char *units = stat_lines_units(l), *text;
	enum unit_kind kind = l->stats->profile->units.kind;

	if (!units)
		return false;
	text =
	    layout_format(l->arena,
			  "Sum, minimum, maximum, mean, sample standard deviation (sd) and cv = sd "
			  "/ mean over %s. In: how many have a value; any other %s counts as 0.",
			  units, units_word(kind, 1));
	if (!text)
		return false;
	layout_paragraph(l->out, l->width, text);
	if (l->stats->names.len == 1)
		layout_paragraph(
		    l->out, l->width,
		    "One alone has no deviation; --by thread, process, rank or host may split it.");
	if (!stat_lines_outside(l, rows, everything))
		return false;
	stat_lines_titles(l);
	fprintf(l->out, "  everything\n");
	return put_row(l, rows, everything, false);
}
