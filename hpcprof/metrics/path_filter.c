#include "hpcprof/metrics/path_filter.h"

#include "formats/base/path.h"
#include "hpcprof/command/expression.h"
#include "hpcprof/correlate/select.h"

#include <stdlib.h>
#include <string.h>

struct filter {
	const struct model *m;
	const struct symbolized *c;
	/* by function: it matches --focus, --ignore; by module: it matches --module. NULL: there is
	 * no such option. */
	bool *focus, *ignore, *modules;
	bool *outside; /* [contexts] */
};

static bool function_matches(const struct filter *f, size_t i, const regex_t *r)
{
	const struct code_function *function = &f->c->functions.at[i];

	return regexec(r, function->name, 0, NULL, 0) == 0 ||
	       regexec(r, function->linkage_name, 0, NULL, 0) == 0;
}

static bool module_matches(const struct filter *f, size_t i, const regex_t *r)
{
	return regexec(r, path_basename(f->m->modules.at[i].name), 0, NULL, 0) == 0;
}

static int no_function(const struct filter *f, const char *text, struct error *e)
{
	return select_none(f->c, text, e);
}

static int no_module(const struct filter *f, const char *text, struct error *e)
{
	(void)f;
	return error_set(e, ERROR_USAGE,
			 "no load module of this profile matches '%.200s' (hpcprof --modules -n 0 "
			 "lists them all)",
			 text);
}

/* Mark what matches any of the expressions, each of which must match something. *marks is [n]. */
static int mark(const struct filter *f, const option_strings_field *expressions, const char *option,
		size_t n, bool (*matches)(const struct filter *f, size_t i, const regex_t *r),
		int (*none)(const struct filter *f, const char *text, struct error *e),
		bool **marks, struct error *e)
{
	if (!expressions->len)
		return 0;
	*marks = calloc(n + 1, sizeof **marks);
	if (!*marks)
		return error_memory(e, n);
	for (size_t k = 0; k < expressions->len; k++) {
		const char *text = expressions->at[k];
		bool any = false;
		regex_t r;
		if (expression_compile(&r, option, text, e) != 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			if (matches(f, i, &r))
				any = (*marks)[i] = true;
		regfree(&r);
		if (!any)
			return none(f, text, e);
	}
	return 0;
}

/* Whether a function of the frame is marked. */
static bool has_marked(const struct filter *f, uint32_t frame, const bool *marks)
{
	for (uint32_t k = f->c->first[frame]; k < f->c->first[frame + 1]; k++)
		if (marks[f->c->frames.at[k].function])
			return true;
	return false;
}

/* Parents come before their children. */
static int find_outside(struct filter *f, struct error *e)
{
	enum { FOCUSED = 1, IGNORED = 2 };
	uint32_t n = model_num_contexts(f->m);
	uint8_t *path = calloc((size_t)n + 1, 1); /* what is on the path of a context */

	f->outside = calloc((size_t)n + 1, sizeof *f->outside);
	if (!path || !f->outside) {
		free(path);
		return error_memory(e, n);
	}
	for (uint32_t i = MODEL_ROOTS; i < n; i++) {
		uint32_t frame = model_frame_of(f->m, i), module = f->m->frames.at[frame].module;
		path[i] = path[model_parent(f->m, i)];
		if (f->focus && !(path[i] & FOCUSED) && has_marked(f, frame, f->focus))
			path[i] |= FOCUSED;
		if (f->ignore && !(path[i] & IGNORED) && has_marked(f, frame, f->ignore))
			path[i] |= IGNORED;
		f->outside[i] = (f->focus && !(path[i] & FOCUSED)) || (path[i] & IGNORED) ||
				(f->modules && !f->modules[module]);
	}
	free(path);
	return 0;
}

/* Takes f->outside over. */
static int copy_values(struct shown_metrics *s, const struct filter *f, struct error *e)
{
	uint32_t n = model_num_contexts(f->m);

	s->copies = calloc(s->len + 1, sizeof(uint64_t *));
	s->outside = f->outside;
	if (!s->copies)
		return error_memory(e, s->len * sizeof(uint64_t *));
	for (size_t k = 0; k < s->len; k++) {
		s->copies[k] = calloc((size_t)n + 1, sizeof(uint64_t));
		if (!s->copies[k])
			return error_memory(e, n * sizeof(uint64_t));
		for (uint32_t i = MODEL_ROOTS; i < n; i++)
			if (!f->outside[i])
				s->copies[k][i] = s->values[k][i];
		s->values[k] = s->at[k].values = s->copies[k];
	}
	return 0;
}

int path_filter(struct shown_metrics *s, const struct model *m, const struct symbolized *c,
		const struct common *o, struct error *e)
{
	struct filter f = {.m = m, .c = c};
	size_t functions = c->functions.len;
	int rc =
	    mark(&f, &o->focus, "--focus", functions, function_matches, no_function, &f.focus, e);

	if (rc == 0)
		rc = mark(&f, &o->ignore, "--ignore", functions, function_matches, no_function,
			  &f.ignore, e);
	if (rc == 0)
		rc = mark(&f, &o->modules, "--module", m->modules.len, module_matches, no_module,
			  &f.modules, e);
	if (rc == 0 && (f.focus || f.ignore || f.modules || o->under))
		rc = find_outside(&f, e);
	if (rc == 0 && f.outside)
		rc = copy_values(s, &f, e);
	else
		free(f.outside);
	free(f.focus);
	free(f.ignore);
	free(f.modules);
	return rc;
}

/* Append "WORD A or B" to text. */
static const char *append(struct arena *a, const char *text, const char *word,
			  const option_strings_field *expressions)
{
	for (size_t i = 0; text && i < expressions->len; i++) {
		const char *clean = layout_clean(a, expressions->at[i]);
		const char *before = i ? " or " : text[0] ? ", " : "";
		text = clean ? layout_format(a, "%s%s%s%s%s", text, before, i ? "" : word,
					     i ? "" : " ", clean)
			     : NULL;
	}
	return text;
}

const char *path_filter_text(const struct common *o, struct arena *a)
{
	const char *clean = o->under ? layout_clean(a, o->under) : "";
	const char *text = !clean   ? NULL
			   : *clean ? layout_format(a, "that begin at %s", clean)
				    : "";

	text = append(a, text, "through", &o->focus);
	text = append(a, text, "not through", &o->ignore);
	text = append(a, text, "that end in", &o->modules);
	return text ? layout_format(a, "paths %s", text) : NULL;
}
