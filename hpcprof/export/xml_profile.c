/* The tree of a PROFILE: values by load module, file, function and line. */
#include "hpcprof/export/xml.h"

#include "formats/base/arena.h"
#include "formats/base/interner.h"
#include "hpcprof/model/sum.h"
#include "reader/xml_name.h"

#include <inttypes.h>
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
	bool *in_many;         /* [file ranks]: code of the file is in several load modules */
	struct strings *given; /* see unique_name */
	uint32_t num_given, num_files; /* names in given; F elements so far */
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

/* ---- names ------------------------------------------------------------------------ */

/* HPCView of 2003 has one table of files for the whole program, and in each file one of procedures,
 * both by n alone. So n must tell apart what is not the same. Where the name does not, n has more
 * than the name, which is then in an attribute of its own. */

static int find_shared_files(struct scopes *s, struct error *e)
{
	size_t files = s->x->c->files.len;

	s->in_many = calloc(files + 1, sizeof *s->in_many);
	uint32_t *modules = calloc(files + 1, sizeof *modules); /* the last one of each file, + 1 */
	if (!s->in_many || !modules) {
		free(modules);
		return error_memory(e, files * sizeof *modules);
	}
	for (uint32_t i = 0; i < s->lines.len; i++) {
		const struct row *r = &s->rows[i];
		if (modules[r->file] && modules[r->file] != r->module + 1)
			s->in_many[r->file] = true;
		modules[r->file] = r->module + 1;
	}
	free(modules);
	return 0;
}

/* The name, then more in brackets unless it has them (NULL: nothing), then a number if it was given
 * before in the same space: 0 is the program, others are its files. The caller frees it. NULL if
 * memory ran out. */
static char *unique_name(struct scopes *s, uint32_t space, const char *name, const char *more)
{
	enum { NUMBERS = 40 };
	size_t size = strlen(name) + (more ? strlen(more) : 0) + NUMBERS;
	char *text = malloc(size), *n;
	const char *left = !more || more[0] == '[' ? "" : "[", *right = left[0] ? "]" : "";
	int at, end;

	if (!text)
		return NULL;
	at = snprintf(text, size, "%" PRIu32 " ", space);
	n = text + at;
	end = at + snprintf(n, size - (size_t)at, "%s%s%s%s%s", name, more ? " " : "", left,
			    more ? more : "", right);
	for (unsigned k = 2;; k++) {
		uint32_t id = strings_intern(s->given, text, strlen(text));
		if (id == UINT32_MAX) {
			free(text);
			return NULL;
		}
		if (id == s->num_given)
			break;
		snprintf(text + end, size - (size_t)end, " (%u)", k);
	}
	s->num_given++;
	memmove(text, n, strlen(n) + 1);
	return text;
}

static void print_attribute(const struct xml *x, const char *attribute, const char *name,
			    bool unknown)
{
	if (unknown) /* not escaped, as a file of that name would be */
		fprintf(x->out, " %s=\"" READER_XML_UNKNOWN_FILE "\"", attribute);
	else
		xml_attribute(x, attribute, name);
}

/* Print n, and the name in the other attribute if n has to be different. n has `more` in brackets,
 * unless it is NULL, and a number if that is not enough. The name of an unknown file is NULL. */
static int print_name(struct scopes *s, uint32_t space, const char *name, const char *more,
		      const char *other)
{
	const char *plain = name ? name : READER_XML_UNKNOWN_FILE;
	char *n = unique_name(s, space, plain, more);

	if (!n)
		return -1;
	if (strcmp(n, plain) == 0) {
		print_attribute(s->x, "n", plain, !name);
	} else {
		xml_attribute(s->x, "n", n);
		print_attribute(s->x, other, plain, !name);
	}
	free(n);
	return 0;
}

/* Whether another P in the same F has the name of the one that begins at row i. */
static bool shares_name(const struct scopes *s, size_t i)
{
	const struct row *r = &s->rows[i], *end = s->rows + s->lines.len, *next = r;
	const struct code_function *functions = s->x->c->functions.at;
	const char *name = functions[r->function_id].name;

	if (i && common_levels(r - 1, r) == 2 &&
	    strcmp(functions[r[-1].function_id].name, name) == 0)
		return true;
	while (next < end && common_levels(r, next) > 2)
		next++;
	return next < end && common_levels(r, next) == 2 &&
	       strcmp(functions[next->function_id].name, name) == 0;
}

/* ---- printing --------------------------------------------------------------------- */

enum { LEVELS = 4 };
static const char *const elements[LEVELS] = {"LM", "F", "P", "S"};

static int print_file_name(struct scopes *s, const struct row *r)
{
	uint32_t module = s->x->c->functions.at[r->function_id].module;
	const char *base = strrchr(module_name(s->x, module), '/');

	s->num_files++;
	base = base && base[1] ? base + 1 : module_name(s->x, module);
	return print_name(s, 0, s->x->c->files.at[r->file_id].name,
			  s->in_many[r->file] ? base : NULL, "path");
}

static int print_function_name(struct scopes *s, size_t i)
{
	const struct row *r = &s->rows[i];
	const struct code_function *f = &s->x->c->functions.at[r->function_id];
	char line[32];
	const char *more = NULL;

	snprintf(line, sizeof line, "line %" PRIu32, r->begin);
	if (shares_name(s, i))
		more = linkage_of(f) ? f->linkage_name : r->begin ? line : NULL;
	return print_name(s, s->num_files, f->name, more, "name");
}

static int open_level(struct scopes *s, size_t i, unsigned level)
{
	const struct xml *x = s->x;
	const struct row *r = &s->rows[i];
	const struct code_function *f = &x->c->functions.at[r->function_id];
	int rc = 0;

	fprintf(x->out, "<%s", elements[level]);
	switch (level) {
	case 0:
		xml_attribute(x, "n", module_name(x, f->module));
		break;
	case 1:
		rc = print_file_name(s, r);
		break;
	case 2:
		rc = print_function_name(s, i);
		if (linkage_of(f))
			xml_attribute(x, "ln", f->linkage_name);
		if (r->begin)
			xml_number(x, "b", r->begin);
		break;
	default:
		/* HPCView ignores values that are not in an S, and a line must be in the file */
		xml_number(x, "b", r->line ? r->line : r->begin ? r->begin : 1);
		if (!r->line)
			fputs(" id=\"" READER_XML_UNKNOWN_LINE "\"", x->out);
	}
	fputc('>', x->out);
	return rc;
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

static int print_rows(struct scopes *s)
{
	for (size_t i = 0, n; i < s->lines.len; i += n) {
		const struct row *r = &s->rows[i];
		unsigned common = i ? common_levels(r - 1, r) : 0;
		n = fold(s, i);
		close_levels(s, i ? LEVELS : 0, common);
		for (unsigned level = common; level < LEVELS; level++) {
			if (open_level(s, i, level) != 0)
				return -1;
			if (level + 1 < LEVELS)
				fputc('\n', s->x->out);
		}
		xml_values(s->x, &s->sums[r->id * s->x->num_metrics]);
	}
	close_levels(s, LEVELS, 0);
	return 0;
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
	if (rc == 0)
		rc = find_shared_files(&s, e);
	if (rc == 0) {
		fputs("<PGM", x->out);
		xml_attribute(x, "n", program);
		fputs(">\n", x->out);
		s.given = strings_create();
		if (!s.lines.len)
			print_nothing(x);
		else if (!s.given || print_rows(&s) != 0)
			rc = error_memory(e, 0);
		fputs("</PGM>\n", x->out);
	}
	interner_deinit(&s.lines);
	free(s.sums);
	free(s.rows);
	free(s.module_ranks);
	free(s.file_ranks);
	free(s.function_ranks);
	free(s.in_many);
	strings_destroy(s.given);
	return rc;
}
