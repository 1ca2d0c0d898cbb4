/* The tree of a PROFILE: values by load module, file, function and line. */
#include "hpcprof/export/xml.h"

#include "formats/base/interner.h"
#include "hpcprof/model/sum.h"
#include "reader/xml_name.h"

#include <stdlib.h>
#include <string.h>

/* A line of a function that has values. Ranks are by what is printed. */
struct row {
	uint32_t module, file, function; /* ranks */
	uint32_t begin, line;
	uint32_t id;          /* in struct scopes' lines and sums */
	uint32_t function_id; /* has the names */
	uint32_t file_id;
};

struct scopes {
	const struct xml *x;
	struct interner lines; /* key: function << 32 | line of the code */
	uint64_t *sums;        /* [lines * metrics] */
	struct row *rows;      /* [lines], sorted */
	uint32_t *module_ranks, *file_ranks, *function_ranks;
};

static const char *module_name(const struct xml *x, uint32_t module)
{
	const char *name = x->m->modules.at[module].name;
	return name[0] ? name : MODEL_UNKNOWN_MODULE;
}

static int compare_modules(const struct xml *x, uint32_t a, uint32_t b)
{
	return strcmp(module_name(x, a), module_name(x, b));
}

/* NULL if it is the same as the name. */
static const char *linkage_of(const struct code_function *f)
{
	return strcmp(f->linkage_name, f->name) != 0 ? f->linkage_name : NULL;
}

static int compare_functions(const struct xml *x, uint32_t a, uint32_t b)
{
	const struct code_function *f = &x->c->functions.at[a], *g = &x->c->functions.at[b];
	const char *p = linkage_of(f), *q = linkage_of(g);
	int c = strcmp(f->name, g->name);

	return c ? c : strcmp(p ? p : "", q ? q : "");
}

/* ---- summing ---------------------------------------------------------------------- */

/* The line that the values of a context count for. Adds the line if it is new. */
static uint32_t line_of(struct scopes *s, uint32_t context)
{
	const struct symbolized *c = s->x->c;
	uint32_t frame = model_frame_of(s->x->m, context);
	const struct code_frame *leaf = &c->frames.at[c->first[frame]];

	return interner_add(&s->lines, (uint64_t)leaf->function << 32 | leaf->line);
}

static bool has_value(const struct xml *x, uint32_t context)
{
	for (size_t i = 0; i < x->num_metrics; i++)
		if (x->metrics[i]->events[context])
			return true;
	return false;
}

static int sum_lines(struct scopes *s, struct error *e)
{
	const struct xml *x = s->x;
	uint32_t contexts = model_num_contexts(x->m);
	size_t n = x->num_metrics;
	bool saturated = false;

	for (uint32_t c = MODEL_ROOTS; c < contexts; c++)
		if (has_value(x, c) && line_of(s, c) == INTERNER_NONE)
			return error_memory(e, s->lines.len * sizeof(uint64_t));
	s->sums = calloc((size_t)s->lines.len * n + 1, sizeof *s->sums);
	if (!s->sums)
		return error_memory(e, s->lines.len * n * sizeof *s->sums);
	for (uint32_t c = MODEL_ROOTS; c < contexts; c++) {
		uint64_t *to;
		if (!has_value(x, c))
			continue;
		to = &s->sums[line_of(s, c) * n];
		for (size_t i = 0; i < n; i++)
			to[i] = sum_add(to[i], x->metrics[i]->events[c], &saturated);
	}
	return 0;
}

/* ---- order ------------------------------------------------------------------------- */

/* The line where the function begins, if that is in this file. */
static uint32_t begin_of(const struct xml *x, const struct code_function *f, uint32_t file)
{
	const char *name = x->c->files.at[file].name;
	return name && f->file && strcmp(name, f->file) == 0 ? f->line : 0;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* How many levels two rows share, of LM, F, P and S. */
static unsigned common_levels(const struct row *a, const struct row *b)
{
	if (a->module != b->module)
		return 0;
	if (a->file != b->file)
		return 1;
	if (a->function != b->function || a->begin != b->begin)
		return 2;
	return a->line != b->line ? 3 : 4;
}

static int by_place(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int c = compare_numbers(a->module, b->module);

	if (!c)
		c = compare_numbers(a->file, b->file);
	if (!c)
		c = compare_numbers(a->function, b->function);
	if (!c)
		c = compare_numbers(a->begin, b->begin);
	return c ? c : compare_numbers(a->line, b->line);
}

static int sort_rows(struct scopes *s, struct error *e)
{
	const struct xml *x = s->x;
	const struct symbolized *c = x->c;

	s->module_ranks = xml_ranks(x, x->m->modules.len, compare_modules);
	s->file_ranks = xml_ranks(x, c->files.len, xml_compare_files);
	s->function_ranks = xml_ranks(x, c->functions.len, compare_functions);
	s->rows = calloc((size_t)s->lines.len + 1, sizeof *s->rows);
	if (!s->module_ranks || !s->file_ranks || !s->function_ranks || !s->rows)
		return error_memory(e, s->lines.len * sizeof *s->rows);
	for (uint32_t i = 0; i < s->lines.len; i++) {
		uint32_t function = (uint32_t)(s->lines.keys[i] >> 32);
		const struct code_line *line = &c->lines.at[(uint32_t)s->lines.keys[i]];
		const struct code_function *f = &c->functions.at[function];
		s->rows[i] = (struct row){.module = s->module_ranks[f->module],
					  .file = s->file_ranks[line->file],
					  .function = s->function_ranks[function],
					  .begin = begin_of(x, f, line->file),
					  .line = line->line,
					  .id = i,
					  .function_id = function,
					  .file_id = line->file};
	}
	qsort(s->rows, s->lines.len, sizeof *s->rows, by_place);
	return 0;
}

/* ---- printing --------------------------------------------------------------------- */

enum { LEVELS = 4 };
static const char *const elements[LEVELS] = {"LM", "F", "P", "S"};

static void open_level(const struct scopes *s, const struct row *r, unsigned level)
{
	const struct xml *x = s->x;
	const struct code_function *f = &x->c->functions.at[r->function_id];
	const char *file = x->c->files.at[r->file_id].name;

	fprintf(x->out, "<%s", elements[level]);
	switch (level) {
	case 0:
		xml_attribute(x, "n", module_name(x, f->module));
		break;
	case 1:
		if (file)
			xml_attribute(x, "n", file);
		else
			fputs(" n=\"" READER_XML_UNKNOWN_FILE "\"", x->out);
		break;
	case 2:
		xml_attribute(x, "n", f->name);
		if (linkage_of(f))
			xml_attribute(x, "ln", f->linkage_name);
		if (r->begin)
			xml_number(x, "b", r->begin);
		break;
	default:
		xml_number(x, "b", r->line);
	}
	fputc('>', x->out);
}

/* Rows that print alike are one: add up the values of those from i on in the first row. Returns the
 * number of these rows. */
static size_t fold(const struct scopes *s, size_t i)
{
	uint64_t *to = &s->sums[s->rows[i].id * s->x->num_metrics];
	size_t n = 1;
	bool saturated = false;

	for (; i + n < s->lines.len && common_levels(&s->rows[i], &s->rows[i + n]) == LEVELS; n++)
		for (size_t k = 0; k < s->x->num_metrics; k++)
			to[k] = sum_add(to[k], s->sums[s->rows[i + n].id * s->x->num_metrics + k],
					&saturated);
	return n;
}

static void close_levels(const struct scopes *s, unsigned from, unsigned to)
{
	while (from > to)
		fprintf(s->x->out, "</%s>\n", elements[--from]);
}

static void print_rows(const struct scopes *s)
{
	unsigned open = 0; /* levels; a line without a number has no S */

	for (size_t i = 0, n; i < s->lines.len; i += n) {
		const struct row *r = &s->rows[i];
		unsigned depth = r->line ? LEVELS : LEVELS - 1;
		unsigned common = i ? common_levels(r - 1, r) : 0;
		n = fold(s, i);
		close_levels(s, open, common < open ? common : open);
		for (open = common < open ? common : open; open < depth; open++) {
			open_level(s, r, open);
			if (open + 1 < LEVELS)
				fputc('\n', s->x->out);
		}
		xml_values(s->x, &s->sums[r->id * s->x->num_metrics]);
		if (depth < LEVELS)
			fputc('\n', s->x->out);
	}
	close_levels(s, open, 0);
}

/* A PGM must not be empty: a program without values has its first load module. */
static void print_nothing(const struct xml *x)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < x->m->modules.len; i++)
		if (!first || strcmp(module_name(x, i), first) < 0)
			first = module_name(x, i);
	fputs("<LM", x->out);
	xml_attribute(x, "n", first ? first : MODEL_UNKNOWN_MODULE);
	fputs("/>\n", x->out);
}

int xml_scope_tree(const struct xml *x, const char *program, struct error *e)
{
	struct scopes s = {.x = x};
	int rc = sum_lines(&s, e);

	if (rc == 0)
		rc = sort_rows(&s, e);
	if (rc == 0) {
		fputs("<PGM", x->out);
		xml_attribute(x, "n", program);
		fputs(">\n", x->out);
		if (s.lines.len)
			print_rows(&s);
		else
			print_nothing(x);
		fputs("</PGM>\n", x->out);
	}
	interner_deinit(&s.lines);
	free(s.sums);
	free(s.rows);
	free(s.module_ranks);
	free(s.file_ranks);
	free(s.function_ranks);
	return rc;
}
