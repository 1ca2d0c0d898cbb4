/* How the rows of a comparison are named. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/diff/diff.h"

enum { PATH_FUNCTIONS = 64 };

/* "main > run > step". Of a long path, the innermost functions. */
static const char *path_label(struct diff *d, size_t node)
{
	uint32_t rows[PATH_FUNCTIONS];
	size_t n = diff_path(d, node, rows, PATH_FUNCTIONS);
	const char *text = n > PATH_FUNCTIONS ? "..." : "";

	for (size_t i = n < PATH_FUNCTIONS ? n : PATH_FUNCTIONS; i-- > 0 && text;) {
		const char *name = diff_label(d, &d->tables[BY_FUNCTION], rows[i]);
		text = name ? layout_format(&d->arena, "%s%s%s", text, text[0] ? " > " : "", name)
			    : NULL;
	}
	return text;
}

static uint32_t shown_id(const struct diff_row *row)
{
	return row->id[AFTER] != DIFF_NONE && row->mean[AFTER] > 0 ? row->id[AFTER]
	       : row->id[BEFORE] != DIFF_NONE                      ? row->id[BEFORE]
								   : row->id[AFTER];
}

/* Unnamed functions of a module that was replaced are one row. */
static const char *function_label(struct diff *d, uint32_t function)
{
	const struct code_function *f = &d->c->functions.at[function];

	if (f->source == SYMBOL_NONE && d->replaced[f->module])
		return MODEL_UNKNOWN_FUNCTION;
	return layout_clean(&d->arena, f->name);
}

const char *diff_label(struct diff *d, const struct diff_table *t, size_t row)
{
	uint32_t id;

	if (t->grouping == DIFF_CALLS)
		return path_label(d, row);
	id = shown_id(&t->rows[row]);
	if (id == DIFF_NONE)
		return MODEL_UNKNOWN_FUNCTION;
	switch (t->grouping) {
	case BY_MODULE:
		return label_module(d->m, &d->arena, id);
	case BY_FOLDER:
		return label_folder(d->m, d->c, &d->arena, id);
	case BY_FILE:
		return label_file(d->m, d->c, &d->arena, id);
	case BY_NAMESPACE:
		return label_namespace(d->m, d->c, &d->arena, id);
	case BY_LINE:
		return label_line(d->m, d->c, &d->arena, id);
	default:
		return function_label(d, id);
	}
}

const char *diff_second_label(struct diff *d, const struct diff_table *t, size_t row)
{
	uint32_t id = shown_id(&t->rows[row]);

	if (t->grouping == BY_LINE && id != DIFF_NONE)
		return layout_clean(&d->arena,
				    d->c->functions.at[d->c->lines.at[id].function].name);
	if (t->grouping == BY_FUNCTION && id != DIFF_NONE)
		return label_module_base(d->m, &d->arena, d->c->functions.at[id].module);
	return "";
}
