#include "db/query/rows.h"

#include "db/base/csv.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/terminal/layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Go to the next row, unless there were enough. *rc is SQLite's result code. */
static bool next(sqlite3_stmt *s, const struct rows_shape *o, uint64_t *n, int *rc)
{
	if (o->most && *n >= o->most)
		return false;
	++*n;
	*rc = sqlite3_step(s);
	return *rc == SQLITE_ROW;
}

/* ---- JSON --------------------------------------------------------------------------- */

static void json_cell(FILE *out, sqlite3_stmt *s, int i)
{
	const char *text = (const char *)sqlite3_column_text(s, i);
	bool endless = text && (strcmp(text, "Inf") == 0 || strcmp(text, "-Inf") == 0);

	switch (sqlite3_column_type(s, i)) {
	case SQLITE_NULL:
		fputs("null", out);
		break;
	case SQLITE_INTEGER:
		fputs(text, out);
		break;
	case SQLITE_FLOAT:
		fputs(endless ? "null" : text, out); /* JSON has no infinity */
		break;
	default:
		json_string(out, text ? text : "", text ? (size_t)sqlite3_column_bytes(s, i) : 0);
	}
}

static void print_json(FILE *out, sqlite3_stmt *s, const struct rows_shape *o)
{
	uint64_t n = 0;
	int rc;

	fputc('[', out);
	while (next(s, o, &n, &rc)) {
		fputs(n > 1 ? ",\n {" : "\n {", out);
		for (int i = 0; i < sqlite3_column_count(s); i++) {
			const char *name = sqlite3_column_name(s, i);
			fputs(i ? ", " : "", out);
			json_string(out, name, strlen(name));
			fputs(": ", out);
			json_cell(out, s, i);
		}
		fputc('}', out);
	}
	fputs("\n]\n", out);
}

/* ---- text --------------------------------------------------------------------------- */

static bool add_row(struct layout_table *t, struct arena *a, sqlite3_stmt *s, bool *text)
{
	bool ok = true;

	for (int i = 0; ok && i < sqlite3_column_count(s); i++) {
		int type = sqlite3_column_type(s, i);
		const char *cell = (const char *)sqlite3_column_text(s, i);
		text[i] |= type == SQLITE_TEXT || type == SQLITE_BLOB;
		cell = cell ? layout_clean(a, cell) : "";
		/* layout_clean may return the statement's text itself */
		cell = cell ? arena_strndup(a, cell, strlen(cell)) : NULL;
		ok = layout_cell(t, cell);
	}
	return ok;
}

static int print_table(FILE *out, sqlite3_stmt *s, const struct rows_shape *o, struct error *e)
{
	int columns = sqlite3_column_count(s);
	struct layout_column *titles = calloc((size_t)columns + 1, sizeof *titles);
	bool *text = calloc((size_t)columns + 1, sizeof *text), ok = titles && text;
	struct arena arena;
	struct layout_table t = {
	    .arena = &arena, .columns = titles, .num_columns = (size_t)columns};
	uint64_t n = 0;
	int rc = SQLITE_DONE;

	arena_init(&arena);
	while (ok && next(s, o, &n, &rc))
		ok = add_row(&t, &arena, s, text);
	for (int i = 0; ok && i < columns; i++) {
		titles[i] = (struct layout_column){
		    .title = layout_clean(&arena, sqlite3_column_name(s, i)), .right = !text[i]};
		if (text[i]) {
			titles[i].cut = CUT_MIDDLE;
			titles[i].least = 12;
		}
		ok = titles[i].title;
	}
	/* print nothing if the query failed: the table would be incomplete */
	if (rc == SQLITE_DONE || rc == SQLITE_ROW)
		ok = ok && layout_print(out, &t, o->width);
	layout_table_deinit(&t);
	arena_deinit(&arena);
	free(titles);
	free(text);
	return ok ? 0 : error_memory(e, 0);
}

int rows_print(FILE *out, sqlite3_stmt *s, const struct rows_shape *o, struct error *e)
{
	uint64_t n = 0;
	int rc;

	if (o->format != ROWS_CSV && o->format != ROWS_JSON)
		return print_table(out, s, o, e);
	if (o->format == ROWS_JSON) {
		print_json(out, s, o);
		return 0;
	}
	csv_names(out, s, o->formulas);
	while (next(s, o, &n, &rc))
		csv_row(out, s, o->formulas);
	return 0;
}
