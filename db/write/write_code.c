/* Load modules, files, functions and lines. */
#include "db/write/write.h"

#include "formats/base/path.h"
#include "hpcprof/correlate/groups.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

static int write_modules(struct db_writing *w, struct error *e)
{
	const struct model *m = w->p->model;
	struct bulk b;

	bulk_begin(&b, w->db, "module", 9, e);
	for (size_t i = 0; i < m->modules.len; i++) {
		const struct model_module *mod = &m->modules.at[i];
		const struct code_module *code = &w->p->code.modules[i];
		const char *name = mod->name[0] ? mod->name : MODEL_UNKNOWN_MODULE;
		bulk_int(&b, w->module + (int64_t)i);
		bulk_int(&b, w->measurement);
		bulk_text(&b, db_text(&w->arena, name));
		bulk_text(&b, db_text(&w->arena, path_basename(name)));
		bulk_text(&b, mod->build_id ? db_text(&w->arena, mod->build_id) : NULL);
		bulk_int(&b, mod->assumed);
		bulk_text(&b, db_sources[code->best]);
		bulk_int(&b, code->stale);
		bulk_text(&b, code->why ? db_text(&w->arena, code->why) : NULL);
	}
	return bulk_end(&b, e);
}

static int by_text(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

/* The row of a file in the table. */
static uint32_t named_file(const struct db_writing *w, const char *name)
{
	const char **at = bsearch(&name, w->names.at, w->names.len, sizeof *w->names.at, by_text);
	return (uint32_t)(at - w->names.at);
}

/* Number all files by name, including those of declarations; then the code without a known file, by
 * module. */
static int number_files(struct db_writing *w, uint32_t *rows, struct error *e)
{
	const struct symbolized *c = &w->p->code;
	size_t n = 0;
	uint32_t *of_module = calloc(w->p->model->modules.len + 1, sizeof *of_module);

	w->files = calloc(c->files.len + 1, sizeof *w->files);
	if (!w->files || !of_module ||
	    !vec_reserve(&w->names, c->files.len + c->functions.len + 1)) {
		free(of_module);
		return error_memory(e, c->files.len * sizeof *w->files);
	}
	for (size_t i = 0; i < c->files.len; i++)
		if (c->files.at[i].name)
			w->names.at[w->names.len++] = c->files.at[i].name;
	for (size_t i = 0; i < c->functions.len; i++)
		if (c->functions.at[i].file)
			w->names.at[w->names.len++] = c->functions.at[i].file;
	if (w->names.len)
		qsort(w->names.at, w->names.len, sizeof *w->names.at, by_text);
	for (size_t i = 0; i < w->names.len; i++)
		if (!i || strcmp(w->names.at[i], w->names.at[n - 1]) != 0)
			w->names.at[n++] = w->names.at[i];
	w->names.len = n;
	*rows = (uint32_t)n;
	for (size_t i = 0; i < c->files.len; i++)
		if (!c->files.at[i].name)
			of_module[c->files.at[i].module] = 1;
	for (size_t i = 0; i < w->p->model->modules.len; i++)
		of_module[i] = of_module[i] ? (*rows)++ : 0;
	for (size_t i = 0; i < c->files.len; i++)
		w->files[i] = c->files.at[i].name ? named_file(w, c->files.at[i].name)
						  : of_module[c->files.at[i].module];
	free(of_module);
	return 0;
}

/* A part of a text; NULL if memory ran out. */
static const char *part(struct db_writing *w, const char *at, size_t n)
{
	const char *copy = arena_strndup(&w->arena, at, n);

	return copy ? db_text(&w->arena, copy) : NULL;
}

static const char *folder_of(struct db_writing *w, const char *path)
{
	size_t n;
	const char *folder = groups_folder(path, &n);

	return part(w, folder, n);
}

static int write_files(struct db_writing *w, struct error *e)
{
	const struct symbolized *c = &w->p->code;
	uint32_t rows = 0, *modules;
	struct bulk b;

	if (number_files(w, &rows, e) != 0)
		return -1;
	modules = calloc(rows + 1, sizeof *modules);
	if (!modules)
		return error_memory(e, rows * sizeof *modules);
	for (size_t i = 0; i < c->files.len; i++)
		if (!c->files.at[i].name)
			modules[w->files[i]] = c->files.at[i].module;
	bulk_begin(&b, w->db, "file", 5, e);
	for (uint32_t i = 0; i < rows; i++) {
		bulk_int(&b, w->file + i);
		bulk_int(&b, w->measurement);
		if (i < w->names.len) {
			bulk_text(&b, db_text(&w->arena, w->names.at[i]));
			bulk_null(&b);
			bulk_text(&b, folder_of(w, w->names.at[i]));
		} else {
			bulk_null(&b);
			bulk_int(&b, w->module + modules[i]);
			bulk_null(&b);
		}
	}
	free(modules);
	return bulk_end(&b, e);
}

static int write_functions(struct db_writing *w, struct error *e)
{
	const struct code_group *namespaces = w->p->code.namespaces.at;
	struct bulk b;

	bulk_begin(&b, w->db, "function", 12, e);
	for (size_t i = 0; i < w->p->code.functions.len; i++) {
		uint32_t id = w->ranks.function_at[i];
		const struct code_function *f = &w->p->code.functions.at[id];
		bool same = strcmp(f->name, f->linkage_name) == 0;
		bulk_int(&b, w->function + (int64_t)i);
		bulk_int(&b, w->module + f->module);
		bulk_text(&b, db_text(&w->arena, f->name));
		bulk_text(&b, same ? NULL : db_text(&w->arena, f->linkage_name));
		if (f->file)
			bulk_int(&b, w->file + named_file(w, f->file));
		else
			bulk_null(&b);
		if (f->line)
			bulk_int(&b, f->line);
		else
			bulk_null(&b);
		if (f->low)
			bulk_int(&b, (int64_t)f->low);
		else
			bulk_null(&b);
		bulk_text(&b, db_sources[f->source]);
		bulk_int(&b, f->inlined);
		bulk_int(&b, f->standing);
		bulk_int(&b, (int64_t)db_hash_function(w->p, id));
		bulk_text(&b, db_text(&w->arena, namespaces[w->p->code.namespace_of[id]].name));
	}
	return bulk_end(&b, e);
}

static int write_lines(struct db_writing *w, struct error *e)
{
	struct bulk b;

	bulk_begin(&b, w->db, "line", 4, e);
	for (size_t i = 0; i < w->p->code.lines.len; i++) {
		const struct code_line *l = &w->p->code.lines.at[w->ranks.line_at[i]];
		bulk_int(&b, w->line + (int64_t)i);
		bulk_int(&b, w->file + w->files[l->file]);
		if (l->line)
			bulk_int(&b, l->line);
		else
			bulk_null(&b);
		if (l->several)
			bulk_null(&b);
		else
			bulk_int(&b, w->function + w->ranks.functions[l->function]);
	}
	return bulk_end(&b, e);
}

int db_write_code(struct db_writing *w, struct error *e)
{
	if (write_modules(w, e) != 0 || write_files(w, e) != 0)
		return -1;
	return write_functions(w, e) == 0 ? write_lines(w, e) : -1;
}
