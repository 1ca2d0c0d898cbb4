/* The text view's hottest call paths: the heaviest distinct paths, drawn as one tree, so
 * that what they share is said once. A frame stands deeper only where paths part. */
#include "hpcprof/paths.h"
#include "hpcprof/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_PATHS = 5,
	INDENT = 2,
	MOST_INDENT_PERCENT = 40, /* of the width */
	LONGEST_STRETCH = 16,     /* frames in a row without a fork that are all printed */
	STRETCH_ENDS = 6,         /* else so many at each end */
};

enum mark { NOT_DRAWN, DRAWN, CHOSEN }; /* the last is the leaf of a path that was chosen */

struct drawing {
	struct text *t;
	struct paths paths;
	uint32_t *chosen; /* leaves of the heaviest paths */
	size_t num_chosen, num_paths;
	uint8_t *marked;           /* per node: enum mark */
	uint32_t *child, *sibling; /* of marked nodes, heaviest first; 0: none */
	uint64_t total;
	VEC(uint32_t) levels; /* while printing: per fork above, what comes next from it, or 0 */
	bool rooted;          /* all that is printed hangs under one outermost frame */
};

static int compare_labels(const struct drawing *d, uint32_t a, uint32_t b)
{
	uint32_t x = paths_function(&d->paths, a), y = paths_function(&d->paths, b);
	int c;

	if (x == PATHS_NO_FUNCTION || y == PATHS_NO_FUNCTION)
		return x == y ? a < b ? -1 : a > b : x == PATHS_NO_FUNCTION ? -1 : 1;
	c = text_compare_functions(d->t, x, y);
	return c ? c : (int)paths_inlined(&d->paths, a) - (int)paths_inlined(&d->paths, b);
}

/* Heaviest first; ties by the names from the leaf to the root. */
static int by_weight(const void *pa, const void *pb, void *context)
{
	const struct drawing *d = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = d->paths.info.at[a].exclusive, y = d->paths.info.at[b].exclusive;
	int c = 0;

	if (x != y)
		return x > y ? -1 : 1;
	while (!c && a != b) {
		c = compare_labels(d, a, b);
		if (a <= PATHS_PARTIAL_ROOT || b <= PATHS_PARTIAL_ROOT)
			break;
		a = paths_parent(&d->paths, a);
		b = paths_parent(&d->paths, b);
	}
	return c;
}

/* Siblings: heaviest in all first, then by name. */
static int by_inclusive(const struct drawing *d, uint32_t a, uint32_t b)
{
	uint64_t x = d->paths.info.at[a].inclusive, y = d->paths.info.at[b].inclusive;
	return x != y ? (x > y ? -1 : 1) : compare_labels(d, a, b);
}

static int descending(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a > b ? -1 : a < b;
}

/* The weight that the last path to be drawn has; 0 if memory ran out. Most paths are
 * lighter, and need no comparison by name. */
static uint64_t least_weight(const struct drawing *d, size_t most)
{
	uint64_t *weights = malloc((d->paths.info.len + 1) * sizeof *weights), least = 0;
	size_t n = 0;

	if (!weights)
		return 0;
	for (size_t i = 0; i < d->paths.info.len; i++)
		if (d->paths.info.at[i].exclusive)
			weights[n++] = d->paths.info.at[i].exclusive;
	qsort(weights, n, sizeof *weights, descending);
	if (n)
		least = weights[n < most ? n - 1 : most - 1];
	free(weights);
	return least;
}

static bool choose(struct drawing *d)
{
	uint32_t n = (uint32_t)d->paths.info.len;
	size_t most = text_rows(d->t, DEFAULT_PATHS), candidates = 0;
	uint64_t least = least_weight(d, most);

	d->chosen = malloc((n + (size_t)1) * sizeof *d->chosen);
	if (!d->chosen || !least)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		d->num_paths += d->paths.info.at[i].exclusive != 0;
		if (d->paths.info.at[i].exclusive >= least)
			d->chosen[candidates++] = i;
	}
	qsort_r(d->chosen, candidates, sizeof *d->chosen, by_weight, d);
	d->num_chosen = candidates < most ? candidates : most;
	return true;
}

static void insert_child(struct drawing *d, uint32_t parent, uint32_t node)
{
	uint32_t *at = &d->child[parent];

	while (*at && by_inclusive(d, *at, node) < 0)
		at = &d->sibling[*at];
	d->sibling[node] = *at;
	*at = node;
}

static bool link_marked(struct drawing *d)
{
	size_t n = d->paths.info.len;

	d->marked = calloc(n + 1, sizeof *d->marked);
	d->child = calloc(n + 1, sizeof *d->child);
	d->sibling = calloc(n + 1, sizeof *d->sibling);
	if (!d->marked || !d->child || !d->sibling)
		return false;
	for (size_t i = 0; i < d->num_chosen; i++)
		for (uint32_t k = d->chosen[i]; d->marked[k] == NOT_DRAWN;
		     k = paths_parent(&d->paths, k)) {
			d->marked[k] = DRAWN;
			if (k > PATHS_PARTIAL_ROOT)
				insert_child(d, paths_parent(&d->paths, k), k);
		}
	for (size_t i = 0; i < d->num_chosen; i++)
		d->marked[d->chosen[i]] = CHOSEN;
	return true;
}

/* The name in at most width columns, with what there is to say of it. */
static const char *label(struct drawing *d, uint32_t node, unsigned width)
{
	const struct code_function *f = &d->t->c->functions.at[paths_function(&d->paths, node)];
	const char *inlined = paths_inlined(&d->paths, node) ? " [inlined]" : "", *after = inlined;
	const struct path_node *info = &d->paths.info.at[node];
	const char *name = layout_clean(&d->t->arena, f->name);
	unsigned used;

	if (info->repeats > 1 && info->period == 1)
		after = text_format(d->t, "%s x %" PRIu32, inlined, info->repeats);
	else if (info->repeats > 1)
		after = text_format(d->t, "%s (these %" PRIu32 " x %" PRIu32 ")", inlined,
				    info->period, info->repeats);
	if (!name || !after)
		return NULL;
	used = layout_width(after);
	name = layout_cut_name(&d->t->arena, name, used < width ? width - used : 0);
	return name ? text_format(d->t, "%s%s", name, after) : NULL;
}

/* What stands before the names at the depth reached: a column for each fork above, with a
 * bar while more is to come from it. Only the innermost forks where there are too many. */
static const char *guides(struct drawing *d, bool first)
{
	size_t forks = d->levels.len - (d->rooted ? 1 : 0), skip = 0;
	char *out = arena_alloc(&d->t->arena, forks * INDENT + 1);
	size_t most = (size_t)d->t->o->width * MOST_INDENT_PERCENT / 100 / INDENT;

	if (forks > most)
		skip = forks - most;
	for (size_t i = skip; out && i < forks; i++) {
		bool more = d->levels.at[i + (d->rooted ? 1 : 0)];
		bool here = first && i == forks - 1;
		memcpy(out + (i - skip) * INDENT, here ? "+ " : more ? "| " : "  ", INDENT);
	}
	return out;
}

/* One line: percent of all below the frame, percent and value at the frame itself. */
static bool print_node(struct drawing *d, uint32_t node, bool first)
{
	const struct path_node *info = &d->paths.info.at[node];
	char below[LAYOUT_NUMBER_BYTES], self[LAYOUT_NUMBER_BYTES] = "",
					 value[LAYOUT_NUMBER_BYTES] = "";
	const char *text, *before = guides(d, first);
	int used;

	if (!before)
		return false;
	layout_percent(below, info->inclusive, d->total);
	if (info->exclusive) {
		layout_percent(self, info->exclusive, d->total);
		layout_value(value, info->exclusive, d->t->columns[0].unit);
	}
	used = fprintf(d->t->out, "  %6s  %6s  %8s  %s", below, self, value, before);
	text = label(d, node, d->t->o->width - (unsigned)used);
	if (!text)
		return false;
	fprintf(d->t->out, "%s\n", text);
	return true;
}

/* Frames from node down that follow each other up to a fork or the leaf of a path. */
static size_t stretch_length(const struct drawing *d, uint32_t node)
{
	size_t n = 1;
	while (d->marked[node] != CHOSEN && d->child[node] && !d->sibling[d->child[node]]) {
		node = d->child[node];
		n++;
	}
	return n;
}

/* Print a stretch, the middle of a long one only as a number; its last frame is *last. */
static bool print_stretch(struct drawing *d, uint32_t node, bool first, uint32_t *last)
{
	size_t n = stretch_length(d, node);

	for (size_t i = 0; i < n; i++, node = d->child[node]) {
		bool hidden = n > LONGEST_STRETCH && i >= STRETCH_ENDS && i < n - STRETCH_ENDS;
		if (!hidden && !print_node(d, node, first && i == 0))
			return false;
		if (hidden && i == STRETCH_ENDS) {
			const char *before = guides(d, false);
			if (!before)
				return false;
			fprintf(d->t->out, "  %6s  %6s  %8s  %s... %zu more frames ...\n", "", "",
				"", before, n - (size_t)2 * STRETCH_ENDS);
		}
		*last = node;
	}
	return true;
}

/* A stretch, and all that follow it without a fork. */
static bool print_branch(struct drawing *d, uint32_t node, uint32_t *last)
{
	if (!print_stretch(d, node, true, last))
		return false;
	while (d->child[*last] && !d->sibling[d->child[*last]])
		if (!print_stretch(d, d->child[*last], false, last))
			return false;
	return true;
}

/* All below a root: a stretch, then what it forks into, one level deeper. */
static bool print_below(struct drawing *d, uint32_t root)
{
	bool ok = vec_push(&d->levels, d->child[root]);

	d->rooted = d->child[root] && !d->sibling[d->child[root]];
	while (ok && d->levels.len) {
		uint32_t node = d->levels.at[d->levels.len - 1], last = node;
		if (!node) {
			d->levels.len--;
			continue;
		}
		d->levels.at[d->levels.len - 1] = d->sibling[node];
		ok = print_branch(d, node, &last) &&
		     (!d->child[last] || vec_push(&d->levels, d->child[last]));
	}
	d->levels.len = 0;
	return ok;
}

static void print_heading(const struct drawing *d)
{
	char number[LAYOUT_NUMBER_BYTES];
	uint64_t shown = 0;

	for (size_t i = 0; i < d->num_chosen; i++)
		shown += d->paths.info.at[d->chosen[i]].exclusive;
	layout_percent(number, shown, d->total);
	if (d->num_chosen < d->num_paths)
		text_title(d->t, "Hottest call paths (%zu of %zu, %s of %s)", d->num_chosen,
			   d->num_paths, number, d->t->columns[0].name);
	else
		text_title(d->t, "Call paths (all %zu, %s of %s)", d->num_paths, number,
			   d->t->columns[0].name);
	fprintf(d->t->out, "  %6s  %6s  %8s  %s\n", "total", "self", "", "outermost frame first");
}

static bool draw(struct drawing *d)
{
	if (!choose(d) || !link_marked(d))
		return false;
	print_heading(d);
	if (!print_below(d, PATHS_ROOT))
		return false;
	if (!d->marked[PATHS_PARTIAL_ROOT])
		return true;
	fprintf(d->t->out, "  paths whose outermost frames are missing:\n");
	return print_below(d, PATHS_PARTIAL_ROOT);
}

bool text_paths(struct text *t)
{
	struct drawing d = {.t = t};
	bool ok;

	if (!t->num_columns || !t->columns[0].total)
		return true;
	d.total = t->columns[0].total;
	ok = paths_fold(t->m, t->c, t->columns[0].values, &d.paths, NULL) == 0 && draw(&d);
	paths_deinit(&d.paths);
	free(d.chosen);
	free(d.marked);
	free(d.child);
	free(d.sibling);
	vec_free(&d.levels);
	return ok;
}
