/* The text view's calls: the part of the call tree that has most of the time, without the frames
 * that every program begins with. Lines are indented only at forks. */
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/drawing.h"
#include "hpcprof/terminal/name_cuts.h"
#include "hpcprof/views/text/hot_paths.h"
#include "hpcprof/views/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_BRANCHES = 6,
	LEAST_PERCENT = 5,   /* of a frame that is drawn, unless -n asks for more */
	LONGEST_STRETCH = 8, /* longest row of frames without a fork that is printed completely */
	STRETCH_ENDS = 3,    /* frames printed at each end of a longer one */
	NUMBER = 6,          /* width of a number in brackets */
	CLIMB = 64,          /* frames of two paths that are compared before all are ranked */
};

enum mark { NOT_DRAWN, DRAWN, START_UP };

struct hottest {
	struct text *t;
	struct hot_paths paths;
	uint8_t *marked;           /* per node: enum mark */
	uint32_t *depth;           /* per node */
	uint32_t *rank;            /* per node, if paths are the same for long: see rank_nodes */
	bool starved;              /* no memory for ranks */
	uint32_t *child, *sibling; /* of drawn nodes, heaviest first; 0: none */
	uint32_t *last;            /* child, if there is one */
	uint64_t total, least;     /* least: the smallest value of a drawn node */
	bool all;                  /* every node with a value is drawn */
	uint32_t *row;             /* per node: row in the statistics */
	VEC(uint32_t) drawn;       /* nodes, if statistics are shown */
	struct name_cuts cuts;
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

/* By depth, then as compare_paths; the callers have their ranks. */
static int by_path(const void *pa, const void *pb, void *context)
{
	const struct hottest *d = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb, x, y;
	int c = compare_labels(d, a, b);

	if (c)
		return c;
	x = d->rank[hot_paths_parent(&d->paths, a)];
	y = d->rank[hot_paths_parent(&d->paths, b)];
	return x < y ? -1 : x > y;
}

/* Number the nodes of each depth in the order of compare_paths. */
static bool rank_nodes(struct hottest *d)
{
	uint32_t n = (uint32_t)d->paths.info.len, deepest = 0;
	uint32_t *nodes = calloc(n + (size_t)1, sizeof *nodes), *first;

	for (uint32_t i = 0; i < n; i++)
		deepest = d->depth[i] > deepest ? d->depth[i] : deepest;
	first = calloc(deepest + (size_t)3, sizeof *first);
	d->rank = calloc(n + (size_t)1, sizeof *d->rank);
	d->starved = !nodes || !first || !d->rank;
	for (uint32_t i = 0; !d->starved && i < n; i++)
		first[d->depth[i] + 2]++;
	for (uint32_t k = 0; !d->starved && k <= deepest; k++)
		first[k + 2] += first[k + 1];
	for (uint32_t i = 0; !d->starved && i < n; i++)
		nodes[first[d->depth[i] + 1]++] = i;
	/* now first[k] is where depth k begins */
	for (uint32_t k = 0; !d->starved && k <= deepest; k++) {
		/* the roots are in order */
		if (k)
			qsort_r(nodes + first[k], first[k + 1] - first[k], sizeof *nodes, by_path,
				d);
		for (uint32_t i = first[k]; i < first[k + 1]; i++)
			d->rank[nodes[i]] = i;
	}
	free(nodes);
	free(first);
	return !d->starved;
}

/* Of nodes of the same depth: by the names from the node to the root. Most paths differ soon; for
 * others, all nodes are ranked. */
static int compare_paths(struct hottest *d, uint32_t a, uint32_t b)
{
	int c = 0;

	for (unsigned i = 0; !c && a != b; i++) {
		if (i == CLIMB && !d->starved && (d->rank || rank_nodes(d)))
			return d->rank[a] < d->rank[b] ? -1 : 1;
		c = compare_labels(d, a, b);
		if (a <= HOT_PATHS_PARTIAL_ROOT || b <= HOT_PATHS_PARTIAL_ROOT)
			break;
		a = hot_paths_parent(&d->paths, a);
		b = hot_paths_parent(&d->paths, b);
	}
	return c;
}

/* Heaviest first; of equal ones callers before their callees, then by path. */
static int by_weight(const void *pa, const void *pb, void *context)
{
	struct hottest *d = context;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = d->paths.info.at[a].inclusive, y = d->paths.info.at[b].inclusive;

	if (x != y)
		return x > y ? -1 : 1;
	if (d->depth[a] != d->depth[b])
		return d->depth[a] < d->depth[b] ? -1 : 1;
	return compare_paths(d, a, b);
}

/* The outermost functions of every process and thread, in glibc and musl. */
static bool is_start_up(const char *name)
{
	static const char *const names[] = {"_start",
					    "__libc_start_main",
					    "__libc_start_main_impl",
					    "__libc_start_call_main",
					    "libc_start_main_stage2",
					    "_start_c",
					    "clone",
					    "__clone",
					    "__GI___clone",
					    "clone3",
					    "__clone3",
					    "__GI___clone3",
					    "start_thread"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static uint64_t least_value(const struct hottest *d)
{
	return d->t->o->rows ? 1 : d->total / 100 * LEAST_PERCENT + 1;
}

/* Mark the frames at the outer end of paths that say nothing, and set depths. */
static void mark_start_up(struct hottest *d)
{
	for (uint32_t i = HOT_PATHS_PARTIAL_ROOT + 1; i < d->paths.info.len; i++) {
		uint32_t parent = hot_paths_parent(&d->paths, i);
		uint32_t function = hot_paths_function(&d->paths, i);
		d->depth[i] = d->depth[parent] + 1;
		if ((parent == HOT_PATHS_ROOT || d->marked[parent] == START_UP) &&
		    d->paths.info.at[i].exclusive < least_value(d) &&
		    is_start_up(d->t->c->functions.at[function].name))
			d->marked[i] = START_UP;
	}
}

/* Siblings are appended heaviest first. */
static void append_child(struct hottest *d, uint32_t parent, uint32_t node)
{
	if (d->child[parent])
		d->sibling[d->last[parent]] = node;
	else
		d->child[parent] = node;
	d->last[parent] = node;
}

/* Draw the heaviest nodes, in the order of the candidates, until there would be more branches than
 * most. A node extends the branch of its caller if it is the first callee there. */
static void draw_heaviest(struct hottest *d, const uint32_t *candidates, size_t n, size_t most)
{
	size_t branches = 0;

	d->all = true;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = candidates[i], parent = hot_paths_parent(&d->paths, node);
		while (d->marked[parent] == START_UP)
			parent = hot_paths_parent(&d->paths, parent);
		bool extends = parent > HOT_PATHS_PARTIAL_ROOT && !d->child[parent];
		if (!extends && branches == most) {
			d->all = false;
			return;
		}
		branches += !extends;
		d->marked[parent] = d->marked[node] = DRAWN;
		d->least = d->paths.info.at[node].inclusive;
		append_child(d, parent, node);
	}
}

static bool choose(struct hottest *d)
{
	size_t n = 0, most = text_rows(d->t, DEFAULT_BRANCHES), nodes = d->paths.info.len;
	uint64_t least = least_value(d);
	uint32_t *candidates = malloc((nodes + 1) * sizeof *candidates);
	bool light = false;

	d->marked = calloc(nodes + 1, sizeof *d->marked);
	d->depth = calloc(nodes + 1, sizeof *d->depth);
	d->child = calloc(nodes + 1, sizeof *d->child);
	d->sibling = calloc(nodes + 1, sizeof *d->sibling);
	d->last = calloc(nodes + 1, sizeof *d->last);
	if (!candidates || !d->marked || !d->depth || !d->child || !d->sibling || !d->last) {
		free(candidates);
		return false;
	}
	mark_start_up(d);
	for (uint32_t i = HOT_PATHS_PARTIAL_ROOT + 1; i < nodes; i++) {
		if (d->marked[i] != START_UP && d->paths.info.at[i].inclusive >= least)
			candidates[n++] = i;
		light |= d->paths.info.at[i].inclusive && d->paths.info.at[i].inclusive < least;
	}
	qsort_r(candidates, n, sizeof *candidates, by_weight, d);
	draw_heaviest(d, candidates, n, most);
	d->all &= !light;
	free(candidates);
	return !d->starved;
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
	name = name_cuts_next(&d->cuts, name, used < width ? width - used : 0);
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

/* A frame with time of its own is not in the middle of a stretch that is left out. */
static bool ends(void *context, uint32_t node)
{
	const struct hottest *d = context;
	return d->paths.info.at[node].exclusive >= d->total / 100 * LEAST_PERCENT + 1;
}

static const struct drawing_ops ops = {
    .margin = margin, .margin_hidden = margin_hidden, .label = label, .ends = ends};

static void print_heading(const struct hottest *d)
{
	char number[LAYOUT_NUMBER_BYTES];

	if (d->all)
		text_title(d->t, "Calls (%s)", d->t->columns[0].name);
	else
		text_title(d->t, "Calls (%s, those of %s and more)", d->t->columns[0].name,
			   layout_percent(number, d->least, d->total));
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
	if (ok && h->child[HOT_PATHS_PARTIAL_ROOT]) {
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
		text_title(h->t, "These calls over %s", units);
	stat_lines_titles(&l);
	for (size_t i = 0; ok && i < h->drawn.len; i++) {
		const char *text = label(h, h->drawn.at[i], h->t->o->width - 2 - NUMBER);
		if (text)
			fprintf(h->t->out, "  [%zu] %s\n", i + 1, text);
		ok = text && stat_lines_print(&l, &h->t->stats.rows[1], h->row[h->drawn.at[i]]);
	}
	return ok;
}

static void json_node(struct hottest *h, struct view_json *j, uint32_t node, uint32_t id,
		      uint32_t parent)
{
	const struct hot_path_node *info = &h->paths.info.at[node];

	view_json_row(j);
	fprintf(j->out, "\"id\":%" PRIu32 ",\"parent\":", id);
	fprintf(j->out, parent ? "%" PRIu32 "," : "null,", parent);
	view_json_function(j, hot_paths_function(&h->paths, node));
	view_json_bool(j, "inlined", hot_paths_inlined(&h->paths, node));
	view_json_number(j, "repeats", info->repeats > 1 ? info->repeats : 1);
	view_json_number(j, "period", info->repeats > 1 ? info->period : 1);
	view_json_values(j, "self", &info->exclusive, 1);
	view_json_values(j, "total", &info->inclusive, 1);
	fputc('}', j->out);
}

/* Print what is drawn below a root. Parents are in `up`, and ids count on from *id. */
static void json_paths(struct hottest *h, struct view_json *j, uint32_t root, uint32_t *up,
		       uint32_t *ids, uint32_t *id)
{
	uint32_t node = h->child[root];

	up[node] = root;
	while (node && node != root) {
		ids[node] = ++*id;
		json_node(h, j, node, ids[node], ids[up[node]]);
		if (h->child[node]) {
			up[h->child[node]] = node;
			node = h->child[node];
			continue;
		}
		while (node != root && !h->sibling[node])
			node = up[node];
		if (node != root) {
			up[h->sibling[node]] = up[node];
			node = h->sibling[node];
		}
	}
}

bool text_paths_json(struct text *t, struct view_json *j)
{
	struct hottest *h = t->hottest;
	size_t nodes = h ? h->paths.info.len : 0;
	uint32_t *up = calloc(nodes + 1, sizeof *up), *ids = calloc(nodes + 1, sizeof *ids), id = 0;
	uint64_t left = 0, rest = 0;
	bool ok = up && ids, saturated = false;

	view_json_rows(j, "calls", "nodes");
	if (ok && h) {
		json_paths(h, j, HOT_PATHS_ROOT, up, ids, &id);
		json_paths(h, j, HOT_PATHS_PARTIAL_ROOT, up, ids, &id);
	}
	for (uint32_t i = 0; ok && i < nodes; i++) {
		if (ids[i])
			continue;
		left += i > HOT_PATHS_PARTIAL_ROOT && h->paths.info.at[i].inclusive;
		rest = sum_add(rest, h->paths.info.at[i].exclusive, &saturated);
	}
	if (ok)
		view_json_left_out(j, "nodes", left, &rest, h ? 1 : 0);
	free(up);
	free(ids);
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
		if (h->marked[i] != DRAWN)
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
	h->cuts.arena = &t->arena;
	h->total = t->columns[0].total;
	return hot_paths_fold(t->m, t->c, t->columns[0].values, &h->paths, NULL) == 0 && choose(h);
}

void text_paths_deinit(struct text *t)
{
	struct hottest *h = t->hottest;

	if (!h)
		return;
	hot_paths_deinit(&h->paths);
	name_cuts_deinit(&h->cuts);
	free(h->marked);
	free(h->depth);
	free(h->rank);
	free(h->last);
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
