/* The tree view: the calling context tree from the outermost frames down, or from each function up
 * through its callers. */
#include "hpcprof/views/tree/tree.h"

#include "hpcprof/command/list.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/activations.h"
#include "hpcprof/metrics/kernel.h"
#include "hpcprof/metrics/path_filter.h"
#include "hpcprof/metrics/stat_lines.h"
#include "hpcprof/metrics/value_gutter.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/drawing.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LONGEST_STRETCH = 48, /* longest row of frames without a fork that is printed completely */
	STRETCH_ENDS = 12,    /* frames printed at each end of a longer one */
	LONGEST_CALLERS = 16, /* the same bottom-up, where the outer ends are mostly alike */
	CALLERS_ENDS = 6,
	ROOMY = 100, /* width of the output from which totals have values */
	NUMBER = 6,  /* width of the number of a line */
	NAMES = 40,  /* columns kept for names */
};

/* ---- the columns left of the names ------------------------------------------------------- */

static unsigned print_values(const struct tree *t, FILE *out, bool hot, const uint64_t *exclusive,
			     const uint64_t *inclusive)
{
	const struct value_gutter m = {&t->columns, t->o->width, !t->own->bottom_up};

	return value_gutter_print(&m, out, hot ? '*' : ' ', exclusive, inclusive);
}

/* Print a node's values. With statistics, also the number of its line, which the statistics refer
 * to. */
static unsigned margin(void *context, FILE *out, uint32_t node)
{
	struct tree *t = context;
	unsigned used = print_values(t, out, t->nodes.at[node].hot, tree_exclusive(t, node),
				     tree_inclusive(t, node));
	char number[LAYOUT_NUMBER_BYTES] = "";

	if (!t->o->stats)
		return used;
	if (t->nodes.at[node].kind == TREE_FUNCTION && vec_push(&t->drawn, node))
		snprintf(number, sizeof number, "[%zu]", t->drawn.len);
	return used + (unsigned)fprintf(out, "%*s  ", NUMBER, number);
}

/* Print the sum of the exclusive values of hidden frames. Only top-down are they part of the
 * total. */
static unsigned margin_hidden(void *context, FILE *out, uint32_t node, size_t n)
{
	struct tree *t = context;
	uint64_t *sums = arena_alloc(&t->arena, (t->columns.len + 1) * sizeof *sums);
	bool saturated = false, hot = t->nodes.at[node].hot;

	for (size_t k = 0; sums && !t->own->bottom_up && k < n; k++, node = t->child.at[node])
		for (size_t i = 0; i < t->columns.len; i++)
			sums[i] = sum_add(sums[i], tree_exclusive(t, node)[i], &saturated);
	return print_values(t, out, hot, sums, NULL) +
	       (t->o->stats ? (unsigned)fprintf(out, "%*s  ", NUMBER, "") : 0);
}

/* ---- names ------------------------------------------------------------------------------ */

/* How often the function was called here, and how long each call took. */
static const char *activations_label(struct tree *t, uint32_t id)
{
	const struct shown_metric *time = &t->columns.at[0];
	const struct tree_node *node = &t->nodes.at[id];
	char count[LAYOUT_NUMBER_BYTES], each[ACTIVATIONS_EACH_BYTES];

	activations_each(each, time->metric, tree_inclusive(t, id)[0], node->in_frame,
			 node->activations, time->unit);
	return layout_format(&t->arena, " (%s activation%s of %s)",
			     layout_exact(count, node->activations),
			     node->activations == 1 ? "" : "s", each);
}

/* Bottom-up, callers have a "<" in front. */
static const char *function_label(struct tree *t, uint32_t id, unsigned width)
{
	const struct tree_node *node = &t->nodes.at[id];
	const struct code_function *f = &t->c->functions.at[node->function];
	const char *name = layout_clean(&t->arena, f->name), *mark = "", *before = "";
	unsigned used;

	if (node->activations)
		mark = activations_label(t, id);
	else if (node->inlined)
		mark = " [inlined]";
	else if (node->innermost)
		mark = label_inlined(f);
	else if (t->own->bottom_up)
		before = "< ";
	if (!mark)
		return NULL;
	used = layout_width(mark) + layout_width(before);
	name = name ? name_cuts_next(&t->cuts, name, used < width ? width - used : 0) : NULL;
	if (name && node->hot && t->o->color)
		return layout_format(&t->arena, "\x1b[1m%s%s%s\x1b[0m", before, name, mark);
	return name ? layout_format(&t->arena, "%s%s%s", before, name, mark) : NULL;
}

static const char *minimum(struct tree *t)
{
	return layout_format(&t->arena, "%g%%", t->own->min);
}

static const char *label(void *context, uint32_t id, unsigned width)
{
	struct tree *t = context;
	const struct tree_node *node = &t->nodes.at[id];
	const char *text = NULL, *least = minimum(t),
		   *what = t->own->bottom_up ? "caller" : "callee";

	switch (node->kind) {
	case TREE_FUNCTION:
		return function_label(t, id, width);
	case TREE_OUTERMOST:
		return "(no caller)";
	case TREE_MISSING:
		return "(callers not known)";
	case TREE_DEEPER:
		text = layout_format(&t->arena, "... %" PRIu32 " %s%s deeper%s", node->count, what,
				     node->count == 1 ? "" : "s",
				     t->own->depth == UINT64_MAX ? "" : " (--depth)");
		break;
	case TREE_CUT:
		text = least ? layout_format(&t->arena, "... %" PRIu32 " %s%s below %s",
					     node->count, what, node->count == 1 ? "" : "s", least)
			     : NULL;
		break;
	}
	if (text && layout_width(text) > width)
		text = layout_format(&t->arena, "... %" PRIu32 " more", node->count);
	return text ? layout_cut_middle(&t->arena, text, width) : NULL;
}

static const struct drawing_ops ops = {
    .margin = margin, .margin_hidden = margin_hidden, .label = label};

/* ---- the view --------------------------------------------------------------------------- */

/* Mark the hot path: from the root to the heaviest child, while it has at least half of its
 * parent's value. */
static void mark_hot(struct tree *t)
{
	bool inclusive = tree_by_inclusive(t->own);
	uint64_t above = 0;
	uint32_t at = t->child.at[CALLTREE_ROOT];

	if (!t->columns.len)
		return;
	while (at) {
		uint32_t best = 0;
		uint64_t most = 0;
		for (; at; at = t->sibling.at[at]) {
			uint64_t v = (inclusive ? tree_inclusive(t, at) : tree_exclusive(t, at))[0];
			if (v > most && t->nodes.at[at].kind == TREE_FUNCTION) {
				best = at;
				most = v;
			}
		}
		if (!best || most < above / 2)
			return;
		t->nodes.at[best].hot = true;
		above = most;
		at = t->child.at[best];
	}
}

static void print_titles(const struct tree *t)
{
	const struct value_gutter m = {&t->columns, t->o->width, !t->own->bottom_up};

	value_gutter_titles(&m, t->out,
			    t->own->bottom_up ? "function, with its callers below (*: hottest)"
					      : "outermost frame first (*: the hot path)");
}

static bool print_heading(struct tree *t)
{
	const char *title = "Calling context tree",
		   *names = shown_metrics_names(&t->columns, &t->arena);
	char value[LAYOUT_NUMBER_BYTES], samples[LAYOUT_NUMBER_BYTES];
	const struct shown_metric *c = t->columns.at;

	if (t->own->bottom_up)
		title = "Functions and their callers";
	if (names && t->columns.len == 1)
		title = layout_format(&t->arena, "%s (%s: 100%% is %s in %s%s samples)", title,
				      names, layout_value(value, c->total, c->unit),
				      model_num_estimated(t->m) ? "about " : "",
				      layout_exact(samples, c->metric->total.samples));
	else if (names)
		title = layout_format(&t->arena, "%s (%s)", title, names);
	if (!names || !title)
		return false;
	title = layout_cut_right(&t->arena, title, t->o->width);
	fputc('\n', t->out);
	if (title)
		layout_title(t->out, t->o->color, title);
	return title != NULL;
}

/* Whether any value is not 0. */
static bool any(const struct tree *t, const uint64_t *values)
{
	uint64_t all = 0;
	for (size_t i = 0; i < t->columns.len; i++)
		all |= values[i];
	return all != 0;
}

/* Print a line for values that have no node. Top-down they are totals as well. */
static bool print_sum(struct tree *t, const uint64_t *values, const char *text)
{
	unsigned used = print_values(t, t->out, false, values, t->own->bottom_up ? NULL : values);

	text = layout_cut_right(&t->arena, text, used < t->o->width ? t->o->width - used : 0);
	if (text)
		fprintf(t->out, "%s\n", text);
	return text != NULL;
}

static bool print_rest(struct tree *t)
{
	const char *text, *least = minimum(t);

	if (!least)
		return false;
	if (t->num_cut && any(t, t->cut)) {
		const char *what = t->own->bottom_up ? "function" : "call";
		const char *advice =
		    t->own->depth || t->own->min == 0 ? "" : " (--min 0 shows all)";
		text = layout_format(&t->arena, "... and %" PRIu32 " more %s%s below %s%s",
				     t->num_cut, what, t->num_cut == 1 ? "" : "s", least, advice);
		if (!text || !print_sum(t, t->cut, text))
			return false;
	}
	if (any(t, t->outside))
		return print_sum(t, t->outside, "on other paths");
	return true;
}

static bool draw(struct tree *t)
{
	struct drawing d = {.out = t->out,
			    .width = t->o->width,
			    .arena = &t->arena,
			    .child = t->child.at,
			    .sibling = t->sibling.at,
			    .longest_stretch =
				t->own->bottom_up ? LONGEST_CALLERS : LONGEST_STRETCH,
			    .stretch_ends = t->own->bottom_up ? CALLERS_ENDS : STRETCH_ENDS,
			    .ops = &ops,
			    .context = t};
	bool ok;

	if (t->own->all)
		d.longest_stretch = SIZE_MAX;
	mark_hot(t);
	if (!print_heading(t))
		return false;
	print_titles(t);
	ok = drawing_print(&d, CALLTREE_ROOT);
	if (ok && t->child.at[CALLTREE_PARTIAL_ROOT]) {
		fprintf(t->out, "  paths whose outermost frames are missing:\n");
		ok = drawing_print(&d, CALLTREE_PARTIAL_ROOT);
	}
	drawing_deinit(&d);
	return ok && print_rest(t);
}

/* Compute what is on other paths than those chosen, for each metric. */
static void find_outside(struct tree *t)
{
	bool saturated = false;

	for (size_t i = 0; i < t->columns.len; i++) {
		uint64_t inside = 0;
		for (uint32_t root = 0; root < CALLTREE_ROOTS; root++)
			inside = sum_add(inside, t->calls.inclusive[root * t->columns.len + i],
					 &saturated);
		t->outside[i] = t->columns.at[i].total - inside;
	}
}

/* What is innermost in a frame is so in its function, in what was inlined into that, or in what the
 * kernel did for it. */
static void add_in_frame(struct tree *t)
{
	const struct calltree *calls = &t->calls;
	bool saturated = false;

	for (uint32_t i = (uint32_t)calls->nodes.len; i-- > CALLTREE_ROOTS;) {
		uint64_t *up = &t->in_frame[calltree_parent(calls, i)];
		t->in_frame[i] =
		    sum_add(t->in_frame[i], calls->exclusive[i * calls->num_columns], &saturated);
		if (calltree_inlined(calls, i) ||
		    kernel_part_module(t->m,
				       t->c->functions.at[calltree_function(calls, i)].module))
			*up = sum_add(*up, t->in_frame[i], &saturated);
	}
}

/* Add up the activations at the nodes of the call tree. False if memory ran out. */
static bool add_activations(struct tree *t)
{
	bool sampled = t->columns.len && !t->columns.at[0].of_samples &&
		       t->columns.at[0].metric->flags & CSP_METRIC_ASYNC;
	struct activations a;

	if (t->own->bottom_up || !sampled || !activations_find(t->m, &a) || !a.entered)
		return true;
	t->entered = arena_alloc(&t->arena, (t->calls.nodes.len + 1) * sizeof *t->entered);
	t->in_frame = arena_alloc(&t->arena, (t->calls.nodes.len + 1) * sizeof *t->in_frame);
	if (!t->entered || !t->in_frame)
		return false;
	activations_by_node(a.entered, t->m, t->calls.at, t->columns.outside, t->entered);
	add_in_frame(t);
	return true;
}

static int build(struct tree *t, struct error *e)
{
	size_t n = t->columns.len;
	int rc = calltree_build(&t->calls, t->m, t->c, t->columns.values, n, e);

	if (rc != 0)
		return rc;
	t->cut = arena_alloc(&t->arena, (n + 1) * sizeof *t->cut);
	t->outside = arena_alloc(&t->arena, (n + 1) * sizeof *t->outside);
	if (!t->cut || !t->outside || !add_activations(t))
		return error_memory(e, n * sizeof *t->cut);
	if (t->columns.outside)
		find_outside(t);
	if (!(t->own->bottom_up ? tree_build_up(t) : tree_build_down(t)))
		return error_memory(e, t->calls.nodes.len * sizeof(struct tree_node));
	return 0;
}

/* Read the files a second time, for the statistics, after the tree is built. */
static int collect_stats(struct tree *t, const struct profile *p, struct error *e)
{
	struct stats_rows *rows = &t->stats.rows[0];

	t->stats.profile = p;
	t->stats.options = t->o;
	t->stats.columns = &t->columns;
	t->stats.num_trees = 1;
	rows->keys = t->calls.nodes.keys;
	rows->num_nodes = t->calls.nodes.len;
	rows->at = t->calls.at;
	rows->num_columns = t->columns.len;
	rows->num_rows = (uint32_t)t->nodes.len;
	if (!tree_count(t, CALLTREE_ROOT, CALLTREE_ROOT, true) ||
	    !tree_count(t, CALLTREE_PARTIAL_ROOT, CALLTREE_ROOT, true))
		return error_memory(e, sizeof(struct stats_use));
	return stats_collect(&t->stats, e);
}

/* Print statistics of the drawn lines. False if memory ran out. */
static bool print_stats(struct tree *t)
{
	struct stat_lines l = stat_lines(t->out, &t->arena, &t->stats);
	const char *units = stat_lines_units(&l), *text;
	bool ok = units != NULL;

	if (ok && (text = layout_format(&t->arena, "These functions over %s", units))) {
		fputc('\n', t->out);
		layout_title(t->out, t->o->color, text);
		ok = stat_lines_introduce(&l, &t->stats.rows[0], CALLTREE_ROOT);
	}
	for (size_t i = 0; ok && i < t->drawn.len; i++) {
		text = function_label(t, t->drawn.at[i], t->o->width - 2 - NUMBER);
		if (text)
			fprintf(t->out, "  [%zu] %s\n", i + 1, text);
		ok = text && stat_lines_print(&l, &t->stats.rows[0], t->drawn.at[i]);
	}
	return ok;
}

static int print_json(struct tree *t, const struct profile *p, struct error *e)
{
	if (t->nodes.len)
		mark_hot(t);
	return tree_print_json(t, p, e);
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct tree_options *own = options;
	const struct common *o = &own->common;
	struct tree t = {.out = out, .m = p->model, .c = &p->code, .own = own, .o = o};
	size_t most = o->json ? SIZE_MAX : shown_metrics_fitting(o, NAMES, value_gutter_each(o));
	int rc = shown_metrics_choose(&t.columns, t.m, o, false, most, &t.arena, e);
	bool empty = true;

	t.cuts.arena = &t.arena;
	for (size_t i = 0; rc == 0 && i < t.columns.len; i++)
		empty &= !t.columns.at[i].total;
	if (rc == 0 && empty && !o->json)
		fprintf(out, "Nothing was recorded, so there is no tree.\n");
	if (rc == 0 && !empty)
		rc = path_filter(&t.columns, t.m, t.c, o, e);
	if (rc == 0 && !empty)
		rc = build(&t, e);
	if (rc == 0 && t.nodes.len && o->stats)
		rc = collect_stats(&t, p, e);
	if (rc == 0 && o->json)
		rc = print_json(&t, p, e);
	else if (rc == 0 && t.nodes.len && !(draw(&t) && (!o->stats || print_stats(&t))))
		rc = error_memory(e, 0);
	stats_deinit(&t.stats);
	name_cuts_deinit(&t.cuts);
	vec_free(&t.drawn);
	calltree_deinit(&t.calls);
	shown_metrics_deinit(&t.columns);
	vec_free(&t.nodes);
	vec_free(&t.values);
	vec_free(&t.child);
	vec_free(&t.sibling);
	arena_deinit(&t.arena);
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct tree_options *o = options;
	const struct profile_request wanted = {.common = &o->common, .units = o->common.stats};

	if (common_check_json(&o->common, "tree", e) != 0 ||
	    common_check_by(&o->common, "tree", e) != 0)
		return -1;
	return profile_show(out, &wanted, print, options, d, e);
}

static void set_defaults(void *options)
{
	struct tree_options *o = options;

	o->min = 1;
}

#define FIELD(name) offsetof(struct tree_options, name)
static const struct option_row own_options[] = {
    {0, "bottom-up", NULL, "start at the functions, with their callers below", option_flag,
     FIELD(bottom_up), NULL},
    {0, "min", "PERCENT", "hide contexts with less than PERCENT of the total (1)", option_percent,
     FIELD(min), NULL},
    {0, "depth", "N", "hide contexts deeper than N frames (0: none)", option_limit, FIELD(depth),
     NULL},
    {0, "all", NULL, "show all frames", option_flag, FIELD(all), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options,
						  common_choice_options,
						  common_paths_options,
						  common_under_options,
						  common_metrics_options,
						  common_ratio_options,
						  common_values_options,
						  common_stats_options,
						  common_json_options,
						  common_inlining_options,
						  common_symbols_options,
						  common_loading_options,
						  NULL};

const struct command tree_command = {
    .name = "tree",
    .summary = "the calling context tree, from the outermost frames down",
    .newest = true,
    .options = tables,
    .size = sizeof(struct tree_options),
    .set_defaults = set_defaults,
    .run = run,
    .print = print,
};
