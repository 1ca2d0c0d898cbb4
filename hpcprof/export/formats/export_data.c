/* What the formats share: names, parts. */
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------- */

struct export_frame export_frame_of(const struct export_data *x, uint32_t node)
{
	const struct code_function *f;
	struct export_frame out = {.function = EXPORT_PARTIAL};

	if (node == PATH_TREE_PARTIAL_ROOT)
		return out;
	f = &x->c->functions.at[path_tree_function(&x->tree, node)];
	out.function = x->functions[f - x->c->functions.at];
	out.module = x->modules[f->module];
	out.inlined = path_tree_inlined(&x->tree, node);
	if (x->tree.shape == PATH_TREE_LINES) {
		const struct code_line *l = &x->c->lines.at[path_tree_line(&x->tree, node)];
		out.file = x->files[l->file];
		out.line = l->line;
	} else if (f->file) {
		out.file = x->declared[f - x->c->functions.at];
		out.line = f->line;
	}
	return out;
}

const char *export_marked_name(struct export_data *x, uint32_t node)
{
	struct export_frame f = export_frame_of(x, node);

	return f.inlined ? layout_format(&x->arena, "%s [inlined]", f.function) : f.function;
}

const char *export_program(const struct model *m)
{
	const struct model_process *most = NULL;

	for (size_t i = 0; i < m->processes.len; i++) {
		const struct model_process *p = &m->processes.at[i];
		if (!most || p->cpu_ns > most->cpu_ns)
			most = p;
	}
	if (!most)
		return "";
	return most->executable[0] ? most->executable : most->command;
}

/* ---- parts ------------------------------------------------------------------------- */

/* The most bytes for the values of all parts. */
#define MOST_BYTES (UINT64_C(2) << 30)

/* The exclusive value in a part. The part behind the last one is what belongs to none of them, such
 * as processes without a rank, if others have one. */
static uint64_t part_value(const struct export_data *x, size_t part, uint32_t node, size_t column)
{
	uint64_t rest;

	if (part < x->stats.names.len)
		return stats_single(&x->stats.rows[0], part, node, column, false);
	rest = x->tree.exclusive[node * x->tree.num_columns + column];
	for (size_t i = 0; i < x->stats.names.len; i++) {
		uint64_t value = stats_single(&x->stats.rows[0], i, node, column, false);
		rest -= value < rest ? value : rest;
	}
	return rest;
}

static bool has_rest(const struct export_data *x)
{
	for (uint32_t node = 0; node < x->tree.num_nodes; node++)
		for (size_t k = 0; k < x->tree.num_columns; k++)
			if (part_value(x, x->stats.names.len, node, k))
				return true;
	return false;
}

int export_parts_collect(struct export_data *x, struct error *e)
{
	struct stats_rows *rows = &x->stats.rows[0];
	uint64_t each = (uint64_t)x->tree.num_nodes * x->tree.num_columns * 2 * sizeof(uint64_t);

	x->num_parts = 1;
	if (!x->o->common.by)
		return 0;
	x->stats.profile = x->p;
	x->stats.options = &x->o->common;
	x->stats.columns = &x->columns;
	x->stats.num_trees = 1;
	x->stats.keep =
	    (uint32_t)(each && MOST_BYTES / each < UINT32_MAX ? MOST_BYTES / each : UINT32_MAX);
	rows->keys = x->tree.keys;
	rows->num_nodes = x->tree.num_nodes;
	rows->at = x->tree.at;
	rows->num_columns = x->tree.num_columns;
	rows->num_rows = x->tree.num_nodes;
	for (uint32_t i = 0; i < x->tree.num_nodes; i++)
		if (!stats_use(rows, i, i, false))
			return error_memory(e, i * sizeof(struct stats_use));
	if (stats_collect(&x->stats, e) != 0)
		return -1;
	if (!rows->singles)
		return error_set(e, ERROR_LIMIT,
				 "there are too many to keep them apart: %zu, with %u call paths "
				 "(use another --by)",
				 x->stats.names.len, x->tree.num_nodes);
	x->num_parts = x->stats.names.len + has_rest(x);
	return 0;
}

int export_part_init(struct export_part *part, const struct export_data *x, size_t i,
		     struct error *e)
{
	const struct path_tree *t = &x->tree;
	size_t n = t->num_nodes * t->num_columns;
	uint64_t *exclusive;

	*part = (struct export_part){.exclusive = t->exclusive, .inclusive = t->inclusive};
	if (!x->stats.names.len)
		return 0;
	part->name = i < x->stats.names.len ? x->stats.names.at[i] : "others";
	part->own = exclusive = malloc((2 * n + 1) * sizeof *exclusive);
	if (!exclusive)
		return error_memory(e, 2 * n * sizeof *exclusive);
	for (uint32_t node = 0; node < t->num_nodes; node++)
		for (size_t k = 0; k < t->num_columns; k++)
			exclusive[node * t->num_columns + k] = part_value(x, i, node, k);
	path_tree_sum(t, exclusive, exclusive + n);
	part->exclusive = exclusive;
	part->inclusive = exclusive + n;
	return 0;
}

void export_part_deinit(struct export_part *part)
{
	if (!part)
		return;
	free(part->own);
	*part = (struct export_part){0};
}

const char *export_part_title(struct export_data *x, const struct export_part *part, size_t metric)
{
	const char *name = x->columns.at[metric].metric_name;

	if (!part->name)
		return name;
	if (x->num_metrics == 1)
		return part->name;
	return layout_format(&x->arena, "%s: %s", name, part->name);
}

/* ---- paths ------------------------------------------------------------------------- */

static uint32_t deepest(const struct path_tree *t)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->num_order; i++)
		if (t->depth[t->order[i]] > most)
			most = t->depth[t->order[i]];
	return most;
}

static bool has_value(const struct path_tree *t, const uint64_t *exclusive, uint32_t node)
{
	uint64_t any = 0;

	for (size_t k = 0; k < t->num_columns; k++)
		any |= exclusive[node * t->num_columns + k];
	return any != 0;
}

/* Count the paths of all parts by their depth. */
static int count_paths(const struct export_data *x, uint64_t *paths, struct error *e)
{
	const struct path_tree *t = &x->tree;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->num_parts; i++) {
		struct export_part part;
		rc = export_part_init(&part, x, i, e);
		for (uint32_t k = 0; rc == 0 && k < t->num_order; k++)
			paths[t->depth[t->order[k]]] += has_value(t, part.exclusive, t->order[k]);
		export_part_deinit(&part);
	}
	return rc;
}

/* How long paths may be so that all have the frames they may have together. */
static uint64_t longest_path(const uint64_t *paths, uint64_t depths)
{
	uint64_t longer = 0, frames = EXPORT_MORE_FRAMES, n = 0;

	for (uint64_t d = 0; d < depths; d++)
		longer += paths[d];
	frames += longer * EXPORT_FRAMES_PER_PATH;
	/* longer: the paths with more than n frames */
	for (; n < depths && longer <= frames; n++) {
		frames -= longer;
		longer -= paths[n];
	}
	return n;
}

static int find_outer(struct export_data *x, struct error *e)
{
	const struct path_tree *t = &x->tree;
	uint32_t *outer = arena_alloc(&x->arena, t->num_nodes * sizeof *outer);

	if (!outer)
		return error_memory(e, t->num_nodes * sizeof *outer);
	for (uint32_t i = 0; i < t->num_order; i++) {
		uint32_t node = t->order[i];
		outer[node] =
		    t->depth[node] < x->end_frames ? node : outer[path_tree_parent(t, node)];
	}
	x->outer = outer;
	return 0;
}

int export_path_prepare(struct export_data *x, struct error *e)
{
	uint64_t depths = deepest(&x->tree) + UINT64_C(1), longest;
	uint64_t *paths = calloc(depths, sizeof *paths);
	int rc = paths ? 0 : error_memory(e, depths * sizeof *paths);

	/* shorter ones are never too long together */
	if (rc == 0 && depths > EXPORT_FRAMES_PER_PATH)
		rc = count_paths(x, paths, e);

	if (rc != 0) {
		free(paths);
		return rc;
	}
	longest = longest_path(paths, depths);
	free(paths);
	x->end_frames = (uint32_t)(longest + (longest == depths)) / 2;
	x->path = arena_alloc(&x->arena, (longest + 2) * sizeof *x->path);
	if (!x->path)
		return error_memory(e, longest * sizeof *x->path);
	return longest < depths ? find_outer(x, e) : 0;
}

const uint32_t *export_path(struct export_data *x, uint32_t node, uint32_t *n)
{
	const struct path_tree *t = &x->tree;
	bool cut = export_is_shortened(x, node);
	uint32_t outer = cut ? x->outer[node] : PATH_TREE_ROOT;

	x->shortened |= cut;
	*n = 0;
	while (node != PATH_TREE_ROOT) {
		x->path[(*n)++] = node;
		node = path_tree_parent(t, node);
		if (cut && *n == x->end_frames) {
			x->path[(*n)++] = EXPORT_MIDDLE;
			node = outer;
		}
	}
	return x->path;
}
