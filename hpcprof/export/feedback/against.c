#include "hpcprof/export/feedback/against.h"

#include "formats/base/path.h"

#include <stdlib.h>
#include <string.h>

struct source_extent {
	uint32_t line;  /* where it begins; 0: it was not found */
	uint32_t lines; /* up to the last one with code */
};

struct compared {
	const char *name, *file;
	uint64_t samples; /* 0: it is only compared to tell where others end */
	struct source_extent before, after;
};

struct comparison {
	VEC(struct compared) functions; /* by name */
	const char **names;             /* [functions] */
};

/* ---- the functions on call paths --------------------------------------------------- */

static const struct symbol_function *function_of(const struct feedback_module *m,
						 const struct feedback_procedure *p)
{
	const struct feedback_instruction *entry = &m->code.at[p->first];

	return entry->frames[entry->num_frames - 1].function;
}

static int by_name(const void *pa, const void *pb)
{
	const struct compared *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static bool find_functions(struct comparison *c, const struct feedback_module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->procedures.len; i++) {
		const struct feedback_procedure *p = &m->procedures.at[i];
		struct compared one = {.samples = p->samples};
		if (!p->has_lines)
			continue;
		one.name = function_of(m, p)->linkage_name;
		one.file = function_of(m, p)->file;
		if (!vec_push(&c->functions, one))
			return false;
	}
	if (c->functions.len)
		qsort(c->functions.at, c->functions.len, sizeof *c->functions.at, by_name);
	for (size_t i = 0; i < c->functions.len; i++)
		if (n && by_name(&c->functions.at[n - 1], &c->functions.at[i]) == 0)
			c->functions.at[n - 1].samples += c->functions.at[i].samples;
		else
			c->functions.at[n++] = c->functions.at[i];
	c->functions.len = n;
	c->names = calloc(n + 1, sizeof *c->names);
	for (size_t i = 0; c->names && i < n; i++)
		c->names[i] = c->functions.at[i].name;
	return c->names != NULL;
}

/* ---- their lines in a file --------------------------------------------------------- */

static struct compared *find(struct comparison *c, const char *name)
{
	struct compared key = {.name = name};

	return c->functions.len ? bsearch(&key, c->functions.at, c->functions.len,
					  sizeof *c->functions.at, by_name)
				: NULL;
}

/* Extend by the line of a frame, if it is in the function's own file. */
static void extend(struct source_extent *to, const struct symbol_frame *at)
{
	const struct symbol_function *of = at->function;

	to->line = of->line;
	if (at->file && strcmp(at->file, of->file) == 0 && at->line >= of->line &&
	    at->line - of->line >= to->lines)
		to->lines = at->line - of->line + 1;
}

/* Those of all code of the functions, also where it was inlined. False: it has no lines. */
static bool extend_all(struct comparison *c, const struct feedback_module *m, bool before)
{
	const struct symbol_function *last = NULL; /* most frames are of the one before */
	struct compared *to = NULL;
	bool lined = false;

	for (size_t i = 0; i < m->code.len; i++)
		for (uint32_t k = 0; k < m->code.at[i].num_frames; k++) {
			const struct symbol_frame *at = &m->code.at[i].frames[k];
			const struct symbol_function *of = at->function;
			if (of->source != SYMBOL_DWARF || !of->line || !of->file)
				continue;
			lined = true;
			if (of != last)
				to = find(c, of->linkage_name);
			last = of;
			if (to)
				extend(before ? &to->before : &to->after, at);
		}
	return lined;
}

/* *lined: there are any. */
static int read_extents(struct comparison *c, struct symbolizer *s,
			const struct symbolize_request *request, bool before, bool *lined,
			struct error *e)
{
	struct symbolize_request q = *request;
	struct feedback_module m = {0};
	uint64_t *addresses = NULL;
	int rc =
	    procedures_named(s, &q, c->names, c->functions.len, &addresses, &q.num_addresses, e);

	q.addresses = addresses;
	if (rc == 0)
		rc = feedback_read_code(&m, s, &q, e);
	*lined = rc == 0 && extend_all(c, &m, before);
	feedback_deinit_module(&m);
	free(addresses);
	return rc;
}

/* ---- both -------------------------------------------------------------------------- */

static int by_line(const void *pa, const void *pb)
{
	const struct compared *a = pa, *b = pb;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	return a->before.line < b->before.line ? -1 : a->before.line > b->before.line;
}

static bool is_in_both(const struct compared *f)
{
	return f->before.line && f->after.line;
}

/* Whether a function has as many lines: its last one with code is the same, or the next function
 * that is known begins as far behind it. Compilers leave out lines, also the last one, where they
 * find that these are not needed. */
static bool fits(const struct comparison *c, size_t i)
{
	const struct compared *f = &c->functions.at[i];
	size_t next = i + 1;

	if (f->before.lines == f->after.lines)
		return true;
	while (next < c->functions.len && !is_in_both(&c->functions.at[next]))
		next++;
	return next < c->functions.len && strcmp(c->functions.at[next].file, f->file) == 0 &&
	       c->functions.at[next].before.line - f->before.line ==
		   c->functions.at[next].after.line - f->after.line;
}

static void sum_up(struct against *out, const struct comparison *c)
{
	*out = (struct against){0};
	if (c->functions.len)
		qsort(c->functions.at, c->functions.len, sizeof *c->functions.at, by_line);
	for (size_t i = 0; i < c->functions.len; i++) {
		const struct compared *one = &c->functions.at[i];
		if (!one->samples)
			continue;
		out->functions++;
		out->samples += one->samples;
		if (!one->after.line) {
			out->gone++;
		} else if (!fits(c, i)) {
			out->differ++;
		} else {
			out->fit++;
			out->fit_samples += one->samples;
			out->moved += one->after.line != one->before.line;
		}
	}
}

int against_compare(struct against *out, const struct feedback *f, const struct feedback_module *m,
		    const struct common *o, const char *path, struct error *e)
{
	struct symbolizer_options options = correlate_symbolizer(o);
	struct symbolize_request other = {.path = path, .name = path_basename(path)}, own;
	struct comparison c = {0};
	struct symbolizer *s;
	bool image, lined = false;
	int rc = 0;

	options.sysroot = NULL;
	s = symbolizer_create(&options);
	own = correlate_request(&f->m->modules.at[m->module], &image);
	if (!s || !find_functions(&c, m))
		rc = error_memory(e, 0);
	if (rc == 0)
		rc = read_extents(&c, f->symbolizer, &own, true, &lined, e);
	if (rc == 0)
		rc = read_extents(&c, s, &other, false, &lined, e);
	if (rc == 0 && c.functions.len && !lined)
		rc = error_set(e, ERROR_USAGE,
			       "%s has none of the measured functions with debug information "
			       "(give a newer build of %s, compiled with -g)",
			       path, own.path);
	if (rc == 0)
		sum_up(out, &c);
	vec_free(&c.functions);
	free(c.names);
	symbolizer_destroy(s);
	return rc;
}
