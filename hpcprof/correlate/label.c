#include "hpcprof/correlate/label.h"

#include "formats/base/path.h"
#include "hpcprof/terminal/layout.h"
#include "symbolize/demangle.h"

#include <string.h>

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int label_compare_modules(const struct model *m, uint32_t a, uint32_t b)
{
	const struct model_module *x = &m->modules.at[a], *y = &m->modules.at[b];
	int c = strcmp(x->name, y->name);
	return c ? c : compare_texts(x->build_id, y->build_id);
}

int label_compare_functions(const struct model *m, const struct symbolized *code, uint32_t a,
			    uint32_t b)
{
	const struct code_function *x = &code->functions.at[a], *y = &code->functions.at[b];
	int c = strcmp(x->name, y->name);

	if (!c)
		c = label_compare_modules(m, x->module, y->module);
	if (!c)
		c = compare_texts(x->file, y->file);
	if (!c)
		c = compare_numbers(x->line, y->line);
	if (!c)
		c = compare_numbers(x->low, y->low);
	return c ? c : strcmp(x->linkage_name, y->linkage_name);
}

int label_compare_files(const struct model *m, const struct symbolized *c, uint32_t a, uint32_t b)
{
	const struct code_file *x = &c->files.at[a], *y = &c->files.at[b];

	if (!x->name && !y->name)
		return label_compare_modules(m, x->module, y->module);
	return compare_texts(x->name, y->name);
}

int label_compare_groups(const struct model *m, const code_groups *groups, uint32_t a, uint32_t b)
{
	const struct code_group *x = &groups->at[a], *y = &groups->at[b];

	if (!x->name && !y->name)
		return label_compare_modules(m, x->module, y->module);
	return compare_texts(x->name, y->name);
}

int label_compare_lines(const struct model *m, const struct symbolized *code, uint32_t a,
			uint32_t b)
{
	const struct code_line *x = &code->lines.at[a], *y = &code->lines.at[b];
	int c = label_compare_files(m, code, x->file, y->file);
	return c ? c : compare_numbers(x->line, y->line);
}

const char *label_module(const struct model *m, struct arena *a, uint32_t module)
{
	const char *name = m->modules.at[module].name;
	return layout_clean(a, name[0] ? name : MODEL_UNKNOWN_MODULE);
}

const char *label_module_base(const struct model *m, struct arena *a, uint32_t module)
{
	const char *name = label_module(m, a, module);
	return name ? path_basename(name) : NULL;
}

static const char *name_or_module(const struct model *m, struct arena *a, const char *name,
				  const char *without, uint32_t module)
{
	const char *base;

	if (name)
		return layout_clean(a, name);
	base = label_module_base(m, a, module);
	return base ? layout_format(a, "(%s) %s", without, base) : NULL;
}

const char *label_file(const struct model *m, const struct symbolized *c, struct arena *a,
		       uint32_t file)
{
	const struct code_file *f = &c->files.at[file];

	return name_or_module(m, a, f->name, "no source", f->module);
}

const char *label_folder(const struct model *m, const struct symbolized *c, struct arena *a,
			 uint32_t folder)
{
	const struct code_group *g = &c->folders.at[folder];

	return name_or_module(m, a, g->name, "no source", g->module);
}

const char *label_namespace(const struct model *m, const struct symbolized *c, struct arena *a,
			    uint32_t name_space)
{
	const struct code_group *g = &c->namespaces.at[name_space];

	return name_or_module(m, a, g->name, "no namespace", g->module);
}

const char *label_line(const struct model *m, const struct symbolized *c, struct arena *a,
		       uint32_t line)
{
	const struct code_line *l = &c->lines.at[line];
	const char *file = label_file(m, c, a, l->file);

	if (file && l->line)
		return layout_format(a, "%s:%u", file, l->line);
	if (file && c->files.at[l->file].name)
		return layout_format(a, "%s:?", file);
	return file;
}

const char *label_inlined(const struct code_function *f)
{
	if (!f->inlined)
		return "";
	return f->standing ? " [partly inlined]" : " [inlined]";
}

const char *label_function(const struct symbolized *c, struct arena *a, uint32_t function)
{
	const struct code_function *f = &c->functions.at[function];
	const char *name = layout_clean(a, f->name);

	return name && f->inlined ? layout_format(a, "%s%s", name, label_inlined(f)) : name;
}

const char *label_demangled(struct arena *a, const char *linkage_name)
{
	struct demangled d = {0};
	const char *name = NULL;

	switch (demangle(&d, linkage_name)) {
	case DEMANGLE_DONE:
		name = arena_strndup(a, d.text.at, d.text.len);
		break;
	case DEMANGLE_NOT:
		name = linkage_name;
		break;
	case DEMANGLE_NO_MEMORY:
		break;
	}
	vec_free(&d.text);
	return name;
}
