/* The tables of layout.h. */
#include "hpcprof/terminal/layout.h"

#include <string.h>

enum { GAP = 2 };

bool layout_cell(struct layout_table *t, const char *text)
{
	return text && vec_push(&t->cells, text);
}

bool layout_number(struct layout_table *t, const char *text)
{
	return layout_cell(t, arena_strndup(t->arena, text, strlen(text)));
}

void layout_table_deinit(struct layout_table *t)
{
	vec_free(&t->cells);
}

/* How wide a column counts when the widest is cut; 0: cannot be cut. Function names keep half as
 * much again as others. */
static unsigned spare(const struct layout_column *column, unsigned width)
{
	if (column->cut == CUT_NOT || width <= column->least)
		return 0;
	return column->cut == CUT_NAME ? width * 2 / 3 : width;
}

/* Narrow the widest of the columns that can be cut, until all fit. */
static void fit(const struct layout_table *t, unsigned *widths, unsigned width)
{
	unsigned all = 0;

	for (size_t c = 0; c < t->num_columns; c++)
		all += GAP + widths[c];
	while (all > width) {
		size_t widest = 0;
		for (size_t c = 1; c < t->num_columns; c++)
			if (spare(&t->columns[c], widths[c]) >
			    spare(&t->columns[widest], widths[widest]))
				widest = c;
		if (!spare(&t->columns[widest], widths[widest]))
			return;
		widths[widest]--;
		all--;
	}
}

static void put_blanks(FILE *out, unsigned n)
{
	fprintf(out, "%*s", (int)n, "");
}

/* owed: blanks to print before the next text, if there is one. */
static void put_cell(FILE *out, const struct layout_column *column, const char *text,
		     unsigned width, unsigned *owed)
{
	unsigned used = layout_width(text), pad = width > used ? width - used : 0;

	if (!used) {
		*owed += GAP + width;
		return;
	}
	put_blanks(out, *owed + GAP + (column->right ? pad : 0));
	fputs(text, out);
	*owed = column->right ? 0 : pad;
}

static const char *cut_cell(const struct layout_table *t, size_t c, const char *text,
			    unsigned width)
{
	switch (t->columns[c].cut) {
	case CUT_MIDDLE:
		return layout_cut_middle(t->arena, text, width);
	case CUT_NAME:
		return layout_cut_name(t->arena, text, width);
	case CUT_LEFT:
		return layout_cut_left(t->arena, text, width);
	default:
		return text;
	}
}

bool layout_print(FILE *out, const struct layout_table *t, unsigned width)
{
	unsigned *widths = arena_alloc(t->arena, (t->num_columns + 1) * sizeof *widths);

	if (!widths || !t->num_columns)
		return false;
	for (size_t c = 0; c < t->num_columns; c++)
		widths[c] = layout_width(t->columns[c].title);
	for (size_t i = 0; i < t->cells.len; i++) {
		unsigned w = layout_width(t->cells.at[i]);
		if (w > widths[i % t->num_columns])
			widths[i % t->num_columns] = w;
	}
	fit(t, widths, width);
	for (size_t row = 0; row <= t->cells.len / t->num_columns; row++) {
		unsigned owed = 0;
		for (size_t c = 0; c < t->num_columns; c++) {
			const char *text =
			    row ? t->cells.at[(row - 1) * t->num_columns + c] : t->columns[c].title;
			text = cut_cell(t, c, text, widths[c]);
			if (!text)
				return false;
			put_cell(out, &t->columns[c], text, widths[c], &owed);
		}
		fputc('\n', out);
	}
	return true;
}
