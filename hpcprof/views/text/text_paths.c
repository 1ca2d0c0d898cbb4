/* The text view's hottest call paths: the heaviest distinct paths, drawn as one tree, so that
 * common frames are printed once. Lines are indented only at forks. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/terminal/drawing.h"
#include "hpcprof/views/text/hot_paths.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_PATHS = 5,
	LONGEST_STRETCH = 16, /* longest row of frames without a fork that is printed completely */
	STRETCH_ENDS = 6,     /* frames printed at each end of a longer one */
	NUMBER = 6,           /* width of a number in brackets */
};

enum mark { NOT_DRAWN, DRAWN, CHOSEN }; /* CHOSEN: the leaf of a chosen path */

struct hottest {
	struct text *t;
	struct hot_paths paths;
	uint32_t *chosen; /* leaves of the heaviest paths */
	size_t num_chosen, num_paths;
	uint8_t *marked;           /* per node: enum mark */
	uint32_t *child, *sibling; /* of marked nodes, heaviest first; 0: none */
	uint64_t total;
	uint32_t *row;       /* per node: row in the statistics */
	VEC(uint32_t) drawn; /* nodes, if statistics are shown */
};

static int compare_labels(const struct hottest *d, uint32_t a, uint32_t b)
{
	uint32_t x = hot_paths_function(&d->paths, a), y = hot_paths_function(&d->paths, b);
	int c;

	if (x == HOT_PATHS_NO_FUNCTION || y == HOT_PATHS_NO_FUNCTION)
		return x == y ? a < b ? -1 : a > b : x == HOT_PATHS_NO_FUNCTION ? -1 : 1;
	c = label_compare_functions(d->t->m, d->t->c, x, y);
	return c ? c : (int)hot_paths_inlined(&d->paths, a) - (int)hot_paths_inlined(&d->paths, b);
}

/* Heaviest first; equal ones by the names from leaf to root. */
static int by_weight(const void *pa, const void *pb, void *context)
{
	const struct hottest *d = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = d->paths.info.at[a].exclusive, y = d->paths.info.at[b].exclusive;
	int c = 0;

	if (x != y)
		return x > y ? -1 : 1;
	while (!c && a != b) {
		c = compare_labels(d, a, b);
		if (a <= HOT_PATHS_PARTIAL_ROOT || b <= HOT_PATHS_PARTIAL_ROOT)
			break;
		a = hot_paths_parent(&d->paths, a);
		b = hot_paths_parent(&d->paths, b);
	}
	return c;
}

/* Siblings: largest inclusive value first, then by name. */
static int by_inclusive(const struct hottest *d, uint32_t a, uint32_t b)
{
	uint64_t x = d->paths.info.at[a].inclusive, y = d->paths.info.at[b].inclusive;
	return x != y ? (x > y ? -1 : 1) : compare_labels(d, a, b);
}

static int descending(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a > b ? -1 : a < b;
}

/* The weight of the lightest path to draw; 0 if memory ran out. Most paths are lighter and need not
 * be compared by name. */
static uint64_t least_weight(const struct hottest *d, size_t most)
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

static bool choose(struct hottest *d)
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

static void insert_child(struct hottest *d, uint32_t parent, uint32_t node)
{
	uint32_t *at = &d->child[parent];

	while (*at && by_inclusive(d, *at, node) < 0)
		at = &d->sibling[*at];
	d->sibling[node] = *at;
	*at = node;
}

static bool link_marked(struct hottest *d)
{
	size_t n = d->paths.info.len;

	d->marked = calloc(n + 1, sizeof *d->marked);
	d->child = calloc(n + 1, sizeof *d->child);
	d->sibling = calloc(n + 1, sizeof *d->sibling);
	if (!d->marked || !d->child || !d->sibling)
		return false;
	for (size_t i = 0; i < d->num_chosen; i++)
		for (uint32_t k = d->chosen[i]; d->marked[k] == NOT_DRAWN;
		     k = hot_paths_parent(&d->paths, k)) {
			d->marked[k] = DRAWN;
			if (k > HOT_PATHS_PARTIAL_ROOT)
				insert_child(d, hot_paths_parent(&d->paths, k), k);
		}
	for (size_t i = 0; i < d->num_chosen; i++)
		d->marked[d->chosen[i]] = CHOSEN;
	return true;
}

/* The name and its marks, in at most width columns. */
static const char *label(void *context, uint32_t node, unsigned width)
{
	struct hottest *d = context;
	const struct code_function *f = &d->t->c->functions.at[hot_paths_function(&d->paths, node)];
	const char *inlined = hot_paths_inlined(&d->paths, node) ? " [inlined]" : "",
		   *after = inlined;
	const struct hot_path_node *info = &d->paths.info.at[node];
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

/* Print the inclusive percentage of the frame, and its exclusive percentage and value. With
 * statistics, a number replaces the value. */
static unsigned margin(void *context, FILE *out, uint32_t node)
{
	struct hottest *d = context;
	const struct hot_path_node *info = &d->paths.info.at[node];
	const struct shown_metric *c = &d->t->columns[0];
	char below[SHOWN_PERCENT_BYTES], self[SHOWN_PERCENT_BYTES] = "",
					 value[LAYOUT_NUMBER_BYTES] = "";
	int width = (int)shown_percent_width(d->t->o);

	shown_metric_percent(below, c, info->inclusive);
	if (info->exclusive) {
		shown_metric_percent(self, c, info->exclusive);
		layout_value(value, info->exclusive, c->unit);
	}
	if (d->t->compare == COMPARE_LINES) {
		if (!vec_push(&d->drawn, node))
			d->t->starved = true;
		snprintf(value, sizeof value, "[%zu]", d->drawn.len);
	}
	return (unsigned)fprintf(out, "  %*s  %*s  %8s  ", width, below, width, self, value);
}

static unsigned margin_hidden(void *context, FILE *out, uint32_t node, size_t n)
{
	const struct hottest *d = context;
	int width = (int)shown_percent_width(d->t->o);

	(void)node, (void)n;
	return (unsigned)fprintf(out, "  %*s  %*s  %8s  ", width, "", width, "", "");
}

static bool ends(void *context, uint32_t node)
{
	const struct hottest *d = context;
	return d->marked[node] == CHOSEN;
}

static const struct drawing_ops ops = {
    .margin = margin, .margin_hidden = margin_hidden, .label = label, .ends = ends};

static void print_heading(const struct hottest *d)
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
	fprintf(d->t->out, "  %*s  %*s  %8s  %s\n", (int)shown_percent_width(d->t->o), "total",
		(int)shown_percent_width(d->t->o), "self", "", "outermost frame first");
}

static bool draw(struct hottest *h)
{
	struct text *t = h->t;
	struct drawing d = {.out = t->out,
			    .width = t->o->width,
			    .arena = &t->arena,
			    .child = h->child,
			    .sibling = h->sibling,
			    .longest_stretch = LONGEST_STRETCH,
			    .stretch_ends = STRETCH_ENDS,
			    .ops = &ops,
			    .context = h};
	bool ok;

	print_heading(h);
	ok = drawing_print(&d, HOT_PATHS_ROOT);
	if (ok && h->marked[HOT_PATHS_PARTIAL_ROOT]) {
		fprintf(t->out, "  paths whose outermost frames are missing:\n");
		ok = drawing_print(&d, HOT_PATHS_PARTIAL_ROOT);
	}
	drawing_deinit(&d);
	return ok;
}

/* Print statistics of the drawn frames, with the numbers that they were drawn with. */
static bool print_lines(struct hottest *h)
{
	struct stat_lines l = stat_lines(h->t->out, &h->t->arena, &h->t->stats);
	const char *units = stat_lines_units(&l);
	bool ok = units != NULL;

	if (ok)
		text_title(h->t, "These call paths over %s", units);
	stat_lines_titles(&l);
	for (size_t i = 0; ok && i < h->drawn.len; i++) {
		const char *text = label(h, h->drawn.at[i], h->t->o->width - 2 - NUMBER);
		if (text)
			fprintf(h->t->out, "  [%zu] %s\n", i + 1, text);
		ok = text && stat_lines_print(&l, &h->t->stats.rows[1], h->row[h->drawn.at[i]]);
	}
	return ok;
}

bool text_paths_count(struct text *t, struct stats_rows *rows)
{
	struct hottest *h = t->hottest;
	uint32_t n = h->paths.nodes.len;
	bool ok;

	h->row = calloc(n + (size_t)1, sizeof *h->row);
	ok = h->row != NULL;
	*rows = (struct stats_rows){
	    .keys = h->paths.nodes.keys, .num_nodes = n, .at = h->paths.at, .num_columns = 1};
	for (uint32_t i = HOT_PATHS_PARTIAL_ROOT + 1; ok && i < n; i++) {
		if (h->marked[i] == NOT_DRAWN)
			continue;
		h->row[i] = rows->num_rows++;
		ok = stats_use(rows, i, h->row[i], false) && stats_use(rows, i, h->row[i], true);
	}
	return ok;
}

bool text_paths_choose(struct text *t)
{
	struct hottest *h;

	if (!t->num_columns || !t->columns[0].total)
		return true;
	h = t->hottest = calloc(1, sizeof *h);
	if (!h)
		return false;
	h->t = t;
	h->total = t->columns[0].total;
	return hot_paths_fold(t->m, t->c, t->columns[0].values, &h->paths, NULL) == 0 &&
	       choose(h) && link_marked(h);
}

void text_paths_deinit(struct text *t)
{
	struct hottest *h = t->hottest;

	if (!h)
		return;
	hot_paths_deinit(&h->paths);
	free(h->chosen);
	free(h->marked);
	free(h->child);
	free(h->sibling);
	free(h->row);
	vec_free(&h->drawn);
	free(h);
	t->hottest = NULL;
}

bool text_paths(struct text *t)
{
	if (!t->hottest)
		return true;
	return draw(t->hottest) && (t->compare != COMPARE_LINES || print_lines(t->hottest));
}
