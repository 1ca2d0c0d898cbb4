/* The text view's report as one JSON object; hpcprof.1 has its members. */
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_run(struct text *t, struct view_json *j, const struct text_span *s)
{
	fputs(",\n\"run\":{", t->out);
	json_member(t->out, "command", text_command_of(s->first));
	view_json_text(j, "executable", s->last->executable);
	view_json_text(j, "host", s->first->host);
	view_json_text(j, "end", s->last->end);
	view_json_number(j, "start_ns", s->wall.start_ns);
	view_json_number(j, "end_ns", s->wall.end_ns);
	view_json_number(j, "wall_ns", s->wall.ran_ns);
	if (s->has_cpu)
		view_json_number(j, "cpu_ns", s->cpu_ns);
	else
		fputs(",\"cpu_ns\":null", t->out);
	view_json_number(j, "outside_ns", s->outside_ns);
	view_json_number(j, "unseen_ns", s->unseen_ns);
	view_json_number(j, "waited_ns", s->waited_ns);
	view_json_number(j, "runs", s->wall.runs);
	view_json_number(j, "processes", s->processes);
	view_json_number(j, "images", t->m->processes.len);
	view_json_number(j, "threads", s->threads);
	view_json_number(j, "hosts", s->hosts);
	fputc('}', t->out);
}

/* ---- tables ---------------------------------------------------------------------------- */

static void put_module(struct text *t, struct view_json *j, uint32_t id)
{
	const struct model_module *m = &t->m->modules.at[id];

	json_member(j->out, "module", m->name[0] ? m->name : MODEL_UNKNOWN_MODULE);
	view_json_text(j, "build_id", m->build_id);
}

/* What has no name has the load module of its code. */
static void put_name(struct text *t, struct view_json *j, const char *member, const char *name,
		     uint32_t of)
{
	const char *module = name ? NULL : t->m->modules.at[of].name;

	json_member(j->out, member, name);
	view_json_text(j, "module", module && !module[0] ? MODEL_UNKNOWN_MODULE : module);
}

static void put_file(struct text *t, struct view_json *j, uint32_t id)
{
	const struct code_file *f = &t->c->files.at[id];

	put_name(t, j, "file", f->name, f->module);
}

static void put_folder(struct text *t, struct view_json *j, uint32_t id)
{
	const struct code_group *g = &t->c->folders.at[id];

	put_name(t, j, "folder", g->name, g->module);
}

static void put_namespace(struct text *t, struct view_json *j, uint32_t id)
{
	const struct code_group *g = &t->c->namespaces.at[id];

	put_name(t, j, "namespace", g->name, g->module);
}

static void put_function(struct text *t, struct view_json *j, uint32_t id)
{
	const struct code_function *f = &t->c->functions.at[id];

	view_json_function(j, id);
	view_json_text(j, "inlined", !f->inlined ? "no" : f->standing ? "partly" : "yes");
}

static void put_line(struct text *t, struct view_json *j, uint32_t id)
{
	const struct code_line *l = &t->c->lines.at[id];

	put_file(t, j, l->file);
	if (l->line)
		view_json_number(j, "line", l->line);
	else
		fputs(",\"line\":null", j->out);
	view_json_text(j, "function", l->several ? NULL : t->c->functions.at[l->function].name);
}

static const struct kind {
	enum text_section section;
	const char *name;
	void (*put)(struct text *t, struct view_json *j, uint32_t id);
} kinds[GROUPINGS] = {[BY_MODULE] = {SECTION_MODULES, "modules", put_module},
		      [BY_FOLDER] = {SECTION_FOLDERS, "folders", put_folder},
		      [BY_FILE] = {SECTION_FILES, "files", put_file},
		      [BY_NAMESPACE] = {SECTION_NAMESPACES, "namespaces", put_namespace},
		      [BY_FUNCTION] = {SECTION_FUNCTIONS, "functions", put_function},
		      [BY_LINE] = {SECTION_LINES, "lines", put_line}};

static bool put_table(struct text *t, struct view_json *j, enum grouping g)
{
	const struct text_table *table = &t->tables[g];
	size_t n = t->num_columns;
	uint64_t *left = calloc(n + 1, sizeof *left);
	bool saturated = false;

	if (!left)
		return false;
	view_json_rows(j, kinds[g].name, "rows");
	for (size_t i = 0; i < table->count; i++) {
		uint32_t id = table->ids[i];
		if (i >= table->shown) {
			for (size_t k = 0; k < n; k++)
				left[k] =
				    sum_add(left[k], t->a.by[g].exclusive[id * n + k], &saturated);
			continue;
		}
		view_json_row(j);
		kinds[g].put(t, j, id);
		view_json_values(j, "self", &t->a.by[g].exclusive[id * n], n);
		view_json_values(j, "total", &t->a.by[g].inclusive[id * n], n);
		if (g == BY_FUNCTION)
			view_json_number(j, "kernel", t->kernel.under ? t->kernel.under[id] : 0);
		fputc('}', j->out);
	}
	view_json_left_out(j, "rows", table->count - table->shown, left, n);
	free(left);
	return true;
}

int text_json(struct text *t, const struct text_span *s, struct error *e)
{
	struct view_json j = {.out = t->out, .p = t->p, .o = t->o, .columns = t->chosen};
	bool ok = view_json_begin(&j, "text", &t->arena);

	if (ok)
		put_run(t, &j, s);
	if (ok && t->shows[SECTION_PROCESSES])
		ok = text_processes(t, &j);
	if (ok && t->shows[SECTION_THREADS])
		ok = text_threads(t, &j);
	if (ok && t->shows[SECTION_WAITS])
		ok = text_waits_json(t, &j);
	if (ok && t->shows[SECTION_REGIONS])
		ok = text_regions_json(t, &j);
	for (int g = 0; ok && g < GROUPINGS; g++)
		if (t->shows[kinds[g].section])
			ok = put_table(t, &j, (enum grouping)g);
	if (ok && t->shows[SECTION_ACTIVATIONS])
		ok = text_activations_json(t, &j);
	if (ok && t->shows[SECTION_CALLS])
		ok = text_paths_json(t, &j);
	return ok ? view_json_end(&j, e) : error_memory(e, 0);
}
