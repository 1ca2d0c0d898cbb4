/* Collapsed stacks, as stackcollapse-perf.pl of FlameGraph writes them: a line for each call path,
 * "outermost;...;innermost VALUE". A frame that was inlined ends in "_[i]", and the kernel's in
 * "_[k]", which flamegraph.pl colours. */
#include "formats/identity/kernel.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The line so far, and how much of it belongs to the frames above each level. */
struct folded_line {
	VEC(char) text;
	VEC(size_t) ends;
};

/* A semicolon ends a frame's name. */
static bool add_name(struct folded_line *l, const char *name, const char *mark)
{
	size_t n = strlen(name);

	if (!vec_reserve(&l->text, l->text.len + n + 8))
		return false;
	if (l->text.len)
		l->text.at[l->text.len++] = ';';
	for (size_t i = 0; i < n; i++)
		l->text.at[l->text.len++] = (char)(name[i] == ';' ? ':' : name[i]);
	while (*mark)
		l->text.at[l->text.len++] = *mark++;
	return true;
}

static const char *mark_of(const struct export_frame *f)
{
	if (f->module && strcmp(f->module, CSP_MODULE_KERNEL) == 0)
		return "_[k]";
	return f->inlined ? "_[i]" : "";
}

static bool write_paths(const struct export_data *x, const struct export_part *part,
			struct folded_line *l)
{
	const struct path_tree *t = &x->tree;
	size_t begin;

	l->text.len = l->ends.len = 0;
	if (part->name && !add_name(l, part->name, ""))
		return false;
	begin = l->text.len;
	if (!vec_reserve(&l->ends, 1))
		return false;
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i], depth = t->depth[node];
		uint64_t value = part->exclusive[node * t->num_columns];
		struct export_frame f = export_frame_of(x, node);
		l->text.len = depth ? l->ends.at[depth - 1] : begin;
		l->ends.len = depth;
		if (!add_name(l, f.function, mark_of(&f)) || !vec_push(&l->ends, l->text.len))
			return false;
		if (value)
			fprintf(x->out, "%.*s %" PRIu64 "\n", (int)l->text.len, l->text.at, value);
	}
	return true;
}

static int emit(struct export_data *x, struct error *e)
{
	struct folded_line l = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && x->num_metrics && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		if (rc == 0 && !write_paths(x, &part, &l))
			rc = error_memory(e, l.text.len);
		export_part_deinit(&part);
	}
	vec_free(&l.text);
	vec_free(&l.ends);
	return rc;
}

const struct export_format export_folded = {
    .name = "folded",
    .shape = PATH_TREE_FUNCTIONS,
    .one_metric = true,
    .parts = true,
    .most = UINT64_MAX,
    .lost = "files, lines and load modules",
    .write = emit,
};
