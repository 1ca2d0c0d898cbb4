/* The annotate view's sources. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/annotate/annotate.h"
#include "hpcprof/correlate/source_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	NEIGHBOURS = 3,
	HOTTEST = 5,
	ROOMY = 120, /* width of the output from which tabs are 8 columns, else 4 */
};

/* A line that has values. */
struct valued {
	uint32_t line, row; /* row: the code's line */
	bool hot;
};

/* One annotated file. */
struct section {
	struct annotation *t;
	uint32_t file;
	const struct attributed_rows *rows; /* by the code's lines */
	const uint8_t *kinds;               /* by the code's lines: CODE_* */
	VEC(struct valued) lines;           /* in order */
	struct source_text source;
	bool has_source;
	unsigned digits; /* of the largest line number */
};

struct line_counting {
	const struct annotation *t;
	uint8_t *kinds;
};

static uint32_t row_of_line(void *context, const struct occurrence *o)
{
	const struct line_counting *c = context;

	if (!annotation_wants(c->t, o->code))
		return ATTRIBUTE_NO_ROW;
	c->kinds[o->code->line] |= o->code->inlined ? CODE_INLINED : CODE_STANDING;
	return o->code->line;
}

static uint32_t row_of_file(void *context, const struct occurrence *o)
{
	const struct line_counting *c = context;

	return annotation_wants(c->t, o->code) ? c->t->c->lines.at[o->code->line].file
					       : ATTRIBUTE_NO_ROW;
}

/* ---- printing one file ------------------------------------------------------------------- */

static const uint64_t *exclusive_of(const struct section *s, uint32_t row)
{
	return s->rows->exclusive + (size_t)row * s->t->columns.len;
}

static const uint64_t *inclusive_of(const struct section *s, uint32_t row)
{
	return s->rows->inclusive + (size_t)row * s->t->columns.len;
}

/* The source of a line, or, without the source, the function with code there. */
static const char *line_text(struct section *s, uint32_t line, const struct valued *v)
{
	const struct code_line *code = v ? &s->t->c->lines.at[v->row] : NULL;

	if (!line)
		return "(code without a line)";
	if (s->has_source && line <= s->source.lines.len)
		return source_text_line(&s->source, line, s->t->o->width < ROOMY ? 4 : 8,
					&s->t->arena);
	if (s->has_source)
		return "(no such line in the source)";
	if (code && code->several)
		return "(several functions)";
	return code ? layout_clean(&s->t->arena, s->t->c->functions.at[code->function].name) : "";
}

/* v is the line's values, or NULL if it has none. The indentation of source is only kept
 * in_place. */
static bool print_line(struct section *s, uint32_t line, const struct valued *v, bool in_place)
{
	struct annotation *t = s->t;
	const char *text = line_text(s, line, v);
	char mark = ' ';
	unsigned used;

	if (v && (s->kinds[v->row] & CODE_INLINED))
		mark = s->kinds[v->row] & CODE_STANDING ? 'p' : 'i';
	if (!text)
		return false;
	if (!in_place)
		text += strspn(text, " ");
	used = value_gutter_print(&t->margin, t->out, v && v->hot ? '*' : ' ',
				  v ? exclusive_of(s, v->row) : NULL,
				  v ? inclusive_of(s, v->row) : NULL);
	used += (unsigned)fprintf(t->out, "%c ", mark);
	if (line)
		used += (unsigned)fprintf(t->out, "%*" PRIu32, (int)s->digits, line);
	else
		used += (unsigned)fprintf(t->out, "%*s", (int)s->digits, "?");
	used += 2;
	text = layout_cut_right(&t->arena, text, used < t->o->width ? t->o->width - used : 0);
	if (!text)
		return false;
	if (v && v->hot && t->o->color)
		fprintf(t->out, "  \x1b[1m%s\x1b[0m\n", text);
	else
		fprintf(t->out, "%s%s\n", text[0] ? "  " : "", text);
	return true;
}

static void print_titles(const struct section *s, const char *what)
{
	char text[80];

	snprintf(text, sizeof text, "  %*s  %s", (int)s->digits, "line", what);
	value_gutter_titles(&s->t->margin, s->t->out, text);
}

static int by_heat(const void *pa, const void *pb, void *context)
{
	const struct valued *a = *(const struct valued *const *)pa;
	const struct valued *b = *(const struct valued *const *)pb;
	const struct section *s = context;
	bool total_first = s->t->o->sort == SORT_INCLUSIVE;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < s->t->columns.len; i++) {
			bool total = total_first != (k == 1);
			uint64_t x = (total ? inclusive_of : exclusive_of)(s, a->row)[i];
			uint64_t y = (total ? inclusive_of : exclusive_of)(s, b->row)[i];
			if (x != y)
				return x > y ? -1 : 1;
		}
	return a->line < b->line ? -1 : a->line > b->line;
}

/* Mark the hottest lines and print them first. */
static bool print_hottest(struct section *s)
{
	size_t n = s->lines.len, most = HOTTEST;
	struct valued **sorted = calloc(n + 1, sizeof(struct valued *));
	bool ok = sorted != NULL;

	if (s->t->o->rows)
		most = s->t->o->rows;
	for (size_t i = 0; ok && i < n; i++)
		sorted[i] = &s->lines.at[i];
	if (ok)
		qsort_r(sorted, n, sizeof(struct valued *), by_heat, s);
	print_titles(s, "hottest lines");
	for (size_t i = 0; ok && i < n && i < most; i++) {
		sorted[i]->hot = true;
		ok = print_line(s, sorted[i]->line, sorted[i], false);
	}
	free(sorted);
	return ok;
}

/* The line of the annotated function's declaration, if it is in this file, else 0. */
static uint32_t declaration(const struct section *s)
{
	const struct annotation *t = s->t;
	const struct code_function *f = t->functions ? &t->c->functions.at[t->which] : NULL;
	const char *file = t->c->files.at[s->file].name;

	return f && f->file && file && strcmp(f->file, file) == 0 ? f->line : 0;
}

/* Whether each source line is shown: lines near values and the declaration, or all. NULL if memory
 * ran out. */
static bool *shown_lines(const struct section *s)
{
	size_t end = s->source.lines.len;
	bool *shown = calloc(end + 1, sizeof *shown);

	if (!shown)
		return NULL;
	if (s->t->own->all)
		memset(shown + 1, true, end);
	for (size_t i = 0; i < s->lines.len; i++) {
		size_t at = s->lines.at[i].line;
		size_t from = at > NEIGHBOURS ? at - NEIGHBOURS : 1;
		for (size_t k = from; at && k <= at + NEIGHBOURS && k <= end; k++)
			shown[k] = true;
	}
	if (declaration(s) && declaration(s) <= end)
		shown[declaration(s)] = true;
	return shown;
}

static bool print_lines(struct section *s)
{
	size_t next = 0; /* of the lines with values */
	bool *shown = shown_lines(s), ok = shown != NULL;

	for (uint32_t line = 1; ok && line <= s->source.lines.len; line++) {
		bool valued = next < s->lines.len && s->lines.at[next].line == line;
		if (shown[line])
			ok = print_line(s, line, valued ? &s->lines.at[next] : NULL, true);
		else if (shown[line - 1])
			fputs("  ...\n", s->t->out);
		next += valued;
	}
	/* lines without source, past its end, or without a number */
	for (; ok && next < s->lines.len; next++)
		ok = print_line(s, s->lines.at[next].line, &s->lines.at[next], true);
	free(shown);
	return ok;
}

/* Warn if a binary is older than the source. */
static bool warn_of_newer(struct section *s)
{
	struct annotation *t = s->t;
	const char *root = t->o->sysroot ? t->o->sysroot : "";
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < s->lines.len; i++) {
		uint32_t function = t->c->lines.at[s->lines.at[i].row].function;
		uint32_t module = t->c->functions.at[function].module;
		const char *path = t->m->modules.at[module].name, *name;
		char full[PATH_MAX];
		struct stat st;
		if (module == last || path[0] != '/')
			continue;
		last = module;
		if ((size_t)snprintf(full, sizeof full, "%s%s", root, path) >= sizeof full ||
		    stat(full, &st) != 0 || st.st_mtim.tv_sec > s->source.modified.tv_sec ||
		    (st.st_mtim.tv_sec == s->source.modified.tv_sec &&
		     st.st_mtim.tv_nsec >= s->source.modified.tv_nsec))
			continue;
		name = layout_clean(&t->arena, path);
		name =
		    name ? layout_format(&t->arena,
					 "Warning: the source is newer than %s; its lines may not "
					 "be those that were measured.",
					 name)
			 : NULL;
		if (!name)
			return false;
		layout_paragraph(t->out, t->o->width, name);
		return true;
	}
	return true;
}

static bool print_origin(struct section *s, const struct error *why)
{
	struct annotation *t = s->t;
	const char *name = t->c->files.at[s->file].name, *text, *clean;

	if (!name) {
		layout_paragraph(t->out, t->o->width,
				 "The module has no debug information, so lines are unknown. Use "
				 "--object to show instructions.");
		return true;
	}
	if (s->has_source && strcmp(s->source.path, name) == 0)
		return warn_of_newer(s);
	clean = layout_clean(&t->arena, s->has_source ? s->source.path : why->text);
	if (!clean)
		return false;
	text = layout_format(&t->arena,
			     s->has_source
				 ? "Read from %s."
				 : "No source: %s. Use -I FROM=TO or --directory DIR to find it.",
			     clean);
	if (!text)
		return false;
	layout_paragraph(t->out, t->o->width, text);
	return !s->has_source || warn_of_newer(s);
}

static bool print_section(struct section *s, const struct attributed_rows *files)
{
	struct annotation *t = s->t;
	size_t n = t->columns.len;
	const char *file = label_file(t->m, t->c, &t->arena, s->file), *title = file;
	struct error why = {0};
	uint32_t largest = s->lines.at[s->lines.len - 1].line;
	char digits[16];

	if (t->functions && file)
		title = layout_format(&t->arena, "%s, %s", t->name, file);
	if (!title || !annotate_heading(t, title, files->exclusive + s->file * n,
					files->inclusive + s->file * n))
		return false;
	if (t->c->files.at[s->file].name)
		s->has_source = source_text_read(&s->source, t->c->files.at[s->file].name,
						 &t->own->sources, &why) == 0;
	if (s->has_source && largest < s->source.lines.len)
		largest = largest + NEIGHBOURS < s->source.lines.len && !t->own->all
			      ? largest + NEIGHBOURS
			      : (uint32_t)s->source.lines.len;
	s->digits = (unsigned)snprintf(digits, sizeof digits, "%" PRIu32, largest);
	if (s->digits < 4)
		s->digits = 4;
	if (!print_origin(s, &why))
		return false;
	if (!t->c->files.at[s->file].name)
		return true;
	if (!print_hottest(s))
		return false;
	fputc('\n', t->out);
	print_titles(s, "source (*: hottest, i: inlined, p: partly)");
	return print_lines(s);
}

/* ---- all files --------------------------------------------------------------------------- */

struct line_ordering {
	const struct annotation *t;
	const struct attributed_rows *files;
};

/* Files with the largest values first. */
static int by_self(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct line_ordering *o = context;
	size_t n = o->t->columns.len;

	for (size_t i = 0; i < n; i++)
		if (o->files->exclusive[a * n + i] != o->files->exclusive[b * n + i])
			return o->files->exclusive[a * n + i] > o->files->exclusive[b * n + i] ? -1
											       : 1;
	return label_compare_files(o->t->m, o->t->c, a, b);
}

static int by_line(const void *pa, const void *pb)
{
	const struct valued *a = pa, *b = pb;
	/* line 0 (not known) is last */
	uint32_t x = a->line - 1, y = b->line - 1;
	return x < y ? -1 : x > y;
}

static bool any(const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i])
			return true;
	return false;
}

static bool annotate_file(struct annotation *t, uint32_t file, const struct attributed_rows *rows,
			  const uint8_t *kinds, const struct attributed_rows *files)
{
	struct section s = {.t = t, .file = file, .rows = rows, .kinds = kinds};
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->c->lines.len; i++)
		if (t->c->lines.at[i].file == file && any(inclusive_of(&s, i), t->columns.len))
			ok = vec_push(&s.lines,
				      (struct valued){.line = t->c->lines.at[i].line, .row = i});
	if (s.lines.len)
		qsort(s.lines.at, s.lines.len, sizeof *s.lines.at, by_line);
	if (ok && s.lines.len)
		ok = print_section(&s, files);
	source_text_free(&s.source);
	vec_free(&s.lines);
	return ok;
}

int annotate_sources(struct annotation *t, struct error *e)
{
	size_t n = t->columns.len, num_files = t->c->files.len, found = 0;
	struct attributed_rows rows = {0}, files = {0};
	uint8_t *kinds = calloc(t->c->lines.len + 1, 1);
	uint32_t *order = calloc(num_files + 1, sizeof *order);
	struct line_counting counting = {t, kinds};
	struct line_ordering ordering = {t, &files};
	int rc = kinds && order ? 0 : error_memory(e, t->c->lines.len);

	if (rc == 0)
		rc = attribute_rows(t->m, t->c, t->columns.values, n, t->c->lines.len, row_of_line,
				    &counting, &rows, e);
	if (rc == 0)
		rc = attribute_rows(t->m, t->c, t->columns.values, n, num_files, row_of_file,
				    &counting, &files, e);
	for (uint32_t i = 0; order && rc == 0 && i < num_files; i++)
		if (any(files.inclusive + i * n, n))
			order[found++] = i;
	if (order && rc == 0)
		qsort_r(order, found, sizeof *order, by_self, &ordering);
	for (size_t i = 0; rc == 0 && i < found; i++)
		if (!annotate_file(t, order[i], &rows, kinds, &files))
			rc = error_memory(e, 0);
	if (rc == 0 && !found)
		fprintf(t->out, "%s has no values.\n", t->name);
	free(kinds);
	free(order);
	free(rows.exclusive);
	free(rows.inclusive);
	free(files.exclusive);
	free(files.inclusive);
	return rc;
}
