/* The annotate view: the source, or the instructions, of a file or function with metrics in
 * the margin. */
#include "hpcprof/views/annotate/annotate.h"

#include "formats/base/nearest.h"
#include "formats/base/path.h"
#include "hpcprof/command/list.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/correlate/select.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 40 /* columns kept for code if there are several metrics */ };

/* Whether path ends in the components of end. */
static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return k && k <= n && strcmp(path + n - k, end) == 0 &&
	       (k == n || path[n - k - 1] == '/' || end[0] == '/');
}

/* Mark the files that a subject names: the one with exactly that path, else all whose path ends in
 * it. Returns their number. */
static size_t find_files(const struct symbolized *c, const char *subject, bool *files)
{
	size_t n = 0;

	for (size_t i = 0; i < c->files.len; i++)
		n += files[i] = c->files.at[i].name && strcmp(c->files.at[i].name, subject) == 0;
	for (size_t i = 0; !n && i < c->files.len; i++)
		files[i] = c->files.at[i].name && ends_in(c->files.at[i].name, subject);
	for (size_t i = 0, k = 0; !n && i < c->files.len; i++)
		if ((k += files[i]) && i + 1 == c->files.len)
			n = k;
	return n;
}

static int several_files(struct annotation *t, size_t n, struct error *e)
{
	const char *list = "";
	size_t shown = 0;

	for (uint32_t i = 0; list && i < t->c->files.len && shown < 5; i++) {
		const char *name = t->files[i] ? label_file(t->m, t->c, &t->arena, i) : NULL;
		if (!t->files[i])
			continue;
		name = name ? layout_cut_left(&t->arena, name, 60) : NULL;
		list = name ? layout_format(&t->arena, "%s%s%s", list, shown++ ? "; " : "", name)
			    : NULL;
	}
	return error_set(e, ERROR_USAGE,
			 "'%.60s' matches %zu files: %.330s%s (give more of the path)",
			 t->o->subject, n, list ? list : "", n > shown ? "; ..." : "");
}

static void no_file(struct annotation *t, const char *subject, struct error *e)
{
	struct nearest near = {.typed = path_basename(subject)};
	char hint[NEAREST_TEXT];

	for (size_t i = 0; i < t->c->files.len; i++) {
		const char *file = t->c->files.at[i].name;
		const char *path = file ? layout_clean(&t->arena, file) : NULL;
		const char *name = path ? path_basename(path) : "";
		nearest_offer(&near, name, strlen(name));
	}
	error_set(e, ERROR_USAGE,
		  "no file and no function of this profile matches '%.200s'%s (hpcprof -n 0 lists "
		  "them all)",
		  subject, nearest_text(hint, &near, ""));
}

static int find_subject(struct annotation *t, struct error *e)
{
	const char *subject = t->o->subject;
	size_t n;

	t->files = calloc(t->c->files.len + 1, sizeof *t->files);
	if (!t->files)
		return error_memory(e, t->c->files.len);
	n = find_files(t->c, subject, t->files);
	if (n > 1)
		return several_files(t, n, e);
	if (n == 1) {
		t->name = layout_clean(&t->arena, subject);
		return t->name ? 0 : error_memory(e, strlen(subject));
	}
	free(t->files);
	t->files = NULL;
	if (select_named(t->m, t->c, subject, &t->functions, &t->which, e) != 0) {
		if (e->kind == ERROR_USAGE && strchr(subject, '.') && !strchr(subject, '('))
			no_file(t, subject, e);
		return -1;
	}
	t->name = label_function(t->c, &t->arena, t->which);
	return t->name ? 0 : error_memory(e, 0);
}

bool annotate_heading(struct annotation *t, const char *title, const uint64_t *exclusive,
		      const uint64_t *inclusive)
{
	if (title)
		title = layout_cut_name(&t->arena, title, t->o->width);
	if (!title)
		return false;
	fputc('\n', t->out);
	layout_title(t->out, t->o->color, title);
	for (size_t i = 0; i < t->columns.len; i++) {
		const struct shown_metric *c = &t->columns.at[i];
		char total[LAYOUT_NUMBER_BYTES], self[LAYOUT_NUMBER_BYTES];
		char value[LAYOUT_NUMBER_BYTES], own[LAYOUT_NUMBER_BYTES];
		const char *text =
		    layout_format(&t->arena, "%s: self %s, %s; total %s, %s", c->name,
				  layout_percent(self, exclusive[i], c->total),
				  layout_value(own, exclusive[i], c->unit),
				  layout_percent(total, inclusive[i], c->total),
				  layout_value(value, inclusive[i], c->unit));
		if (!text)
			return false;
		layout_paragraph(t->out, t->o->width, text);
	}
	if (t->columns.left_out)
		layout_paragraph(t->out, t->o->width, "Use -m to show other metrics.");
	return true;
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct annotate_options *own = options;
	const struct common *o = &own->common;
	struct annotation t = {.out = out, .m = p->model, .c = &p->code, .own = own, .o = o};
	int rc = shown_metrics_choose(&t.columns, t.m, o, false,
				      shown_metrics_fitting(o, NAMES, value_gutter_each(o)),
				      &t.arena, e);

	if (rc == 0)
		rc = path_filter(&t.columns, t.m, t.c, o, e);

	t.margin = (struct value_gutter){&t.columns, o->width, false};
	if (rc == 0)
		rc = find_subject(&t, e);
	if (rc == 0)
		rc = own->object ? annotate_object(&t, e) : annotate_sources(&t, e);
	free(t.functions);
	free(t.files);
	shown_metrics_deinit(&t.columns);
	arena_deinit(&t.arena);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct annotate_options *o = options;
	const struct profile_request wanted = {.common = &o->common};

	return profile_show(out, &wanted, print, options, d, e);
}

static void deinit(void *options)
{
	struct annotate_options *o = options;

	source_places_deinit(&o->sources);
}

static const struct option_row own_options[] = {
    {0, "object", NULL, "show instructions instead of source", option_flag,
     offsetof(struct annotate_options, object), NULL},
    {0, "all", NULL, "show all lines", option_flag, offsetof(struct annotate_options, all), NULL},
    SOURCE_PLACES_OPTIONS(offsetof(struct annotate_options, sources)),
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_choice_options,
						  common_paths_options,
						  common_under_options,
						  common_metrics_options,
						  common_ratio_options,
						  common_rows_options,
						  common_values_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command annotate_command = {
    .name = "annotate",
    .summary = "source lines or instructions with their values",
    .subject = "FILE|FUNCTION",
    .newest = true,
    .options = tables,
    .size = sizeof(struct annotate_options),
    .deinit = deinit,
    .run = run,
    .print = print,
};
