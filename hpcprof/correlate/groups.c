#include "hpcprof/correlate/groups.h"

#include "formats/base/interner.h"
#include "formats/base/path.h"
#include "hpcprof/correlate/namespace.h"

#include <stdlib.h>
#include <string.h>

/* Keys of groups without a name are above those of texts. */
#define NO_NAME (UINT64_C(1) << 32)

struct grouper {
	struct symbolized *c;
	const struct model *m;
	struct interner ids; /* key: text id, or NO_NAME | module */
	code_groups *to;
};

/* The id of the group with these n bytes as its name, or of the module's code without one. */
static uint32_t id_of(struct grouper *g, const char *name, size_t n, uint32_t module)
{
	struct code_group group = {.module = module};
	uint64_t key = NO_NAME | module;
	uint32_t id;

	if (n) {
		uint32_t text = strings_intern(g->c->paths, name, n);
		if (text == UINT32_MAX)
			return INTERNER_NONE;
		key = text;
		group = (struct code_group){.name = strings_get(g->c->paths, text)};
	}
	id = interner_add(&g->ids, key);
	if (id == g->to->len && !vec_push(g->to, group))
		return INTERNER_NONE;
	return id;
}

const char *groups_folder(const char *path, size_t *n)
{
	*n = path_folder_length(path);
	if (*n > 1)
		(*n)--; /* without its slash */
	if (*n)
		return path;
	*n = 1;
	return ".";
}

static uint32_t folder_of(struct grouper *g, const struct code_file *f)
{
	size_t n = 0;
	const char *folder = f->name ? groups_folder(f->name, &n) : "";

	return id_of(g, folder, n, f->module);
}

/* The load module of an interpreter's function is its source file. */
static bool is_interpreted(const struct grouper *g, const struct code_function *f)
{
	return f->file && strcmp(f->file, g->m->modules.at[f->module].name) == 0;
}

static uint32_t namespace_of(struct grouper *g, const struct code_function *f)
{
	char package[NAMESPACE_BYTES];
	size_t n = 0;
	const char *name = "";

	if (is_interpreted(g, f)) {
		n = namespace_of_file(f->file, package);
		name = package;
	} else if (f->source != SYMBOL_NONE)
		name = namespace_in(f->name, f->linkage_name, &n);
	return id_of(g, name, n, f->module);
}

int groups_find(struct symbolized *c, const struct model *m, struct error *e)
{
	struct grouper folders = {.c = c, .m = m, .to = &c->folders};
	struct grouper namespaces = {.c = c, .m = m, .to = &c->namespaces};
	bool ok;

	c->folder_of = malloc((c->files.len + 1) * sizeof *c->folder_of);
	c->namespace_of = malloc((c->functions.len + 1) * sizeof *c->namespace_of);
	ok = c->folder_of && c->namespace_of;
	for (size_t i = 0; ok && i < c->files.len; i++) {
		c->folder_of[i] = folder_of(&folders, &c->files.at[i]);
		ok = c->folder_of[i] != INTERNER_NONE;
	}
	for (size_t i = 0; ok && i < c->functions.len; i++) {
		c->namespace_of[i] = namespace_of(&namespaces, &c->functions.at[i]);
		ok = c->namespace_of[i] != INTERNER_NONE;
	}
	interner_deinit(&folders.ids);
	interner_deinit(&namespaces.ids);
	return ok ? 0 : error_memory(e, c->functions.len * sizeof *c->namespace_of);
}
