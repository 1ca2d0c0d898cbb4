/* The tables of layout.h. */
#include "hpcprof/terminal/layout.h"

#include "hpcprof/terminal/name_cuts.h"

#include <stdlib.h>
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

/* Cut the cells of a column. */
static bool cut_column(const struct layout_table *t, size_t c, unsigned width, const char **cells)
{
	size_t rows = t->cells.len / t->num_columns;
	const char **names = calloc(2 * rows + 1, sizeof *names),
		   **shown = names ? names + rows : NULL;
	bool ok = names != NULL;

	for (size_t row = 0; ok && row < rows; row++) {
		names[row] = cells[row * t->num_columns + c];
		shown[row] = cut_cell(t, c, names[row], width);
		ok = shown[row] != NULL;
	}
	ok = ok && name_cuts_all(t->arena, names, shown, rows, width);
	for (size_t row = 0; ok && row < rows; row++)
		cells[row * t->num_columns + c] = shown[row];
	free(names);
	return ok;
}

/* A copy of the cells, which are cut if their column is narrower. NULL if memory ran out. */
static const char **cut_cells(const struct layout_table *t, const unsigned *widths,
			      const unsigned *full)
{
	const char **cells = calloc(t->cells.len + 1, sizeof *cells);

	if (cells && t->cells.len)
		memcpy(cells, t->cells.at, t->cells.len * sizeof *cells);
	for (size_t c = 0; cells && c < t->num_columns; c++)
		if (widths[c] < full[c] && !cut_column(t, c, widths[c], cells)) {
			free(cells);
			cells = NULL;
		}
	return cells;
}

static void print_row(FILE *out, const struct layout_table *t, const unsigned *widths,
		      const char *const *cells)
{
	unsigned owed = 0;

	for (size_t c = 0; c < t->num_columns; c++)
		put_cell(out, &t->columns[c], cells ? cells[c] : t->columns[c].title, widths[c],
			 &owed);
	fputc('\n', out);
}

bool layout_print(FILE *out, const struct layout_table *t, unsigned width)
{
	unsigned *full = arena_alloc(t->arena, (2 * t->num_columns + 1) * sizeof *full), *widths;
	const char **cells;

	if (!full || !t->num_columns)
		return false;
	for (size_t c = 0; c < t->num_columns; c++)
		full[c] = layout_width(t->columns[c].title);
	for (size_t i = 0; i < t->cells.len; i++) {
		unsigned w = layout_width(t->cells.at[i]);
		if (w > full[i % t->num_columns])
			full[i % t->num_columns] = w;
	}
	widths = memcpy(full + t->num_columns, full, t->num_columns * sizeof *full);
	fit(t, widths, width == LAYOUT_WHOLE ? LAYOUT_USUAL : width);
	cells = cut_cells(t, width == LAYOUT_WHOLE ? full : widths, full);
	print_row(out, t, widths, NULL);
	for (size_t at = 0; cells && at < t->cells.len; at += t->num_columns)
		print_row(out, t, widths, cells + at);
	free(cells);
	return cells != NULL;
}
