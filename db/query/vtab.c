#include "db/query/vtab.h"

#include "reader/reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row is item b of group a, for example module b of epoch a, or node b of tree a. Lists without
 * groups have only group 0. */
struct cursor_of_file {
	struct vtab_cursor base;
	struct reader *r;
	uint64_t a, a_end, b;
	uint32_t metric;           /* for csprof_values */
	struct reader_nodes nodes; /* for csprof_nodes and csprof_values, if open */
	bool open;
	const struct reader_node *node;
	struct error why; /* why nodes cannot be read */
};

static struct vtab_cell text_of(struct reader_text t)
{
	return vtab_text(t.at, t.n);
}

static struct vtab_cell thread(uint32_t v)
{
	if (v == CSP_NONE)
		return (struct vtab_cell){.type = VTAB_NULL};
	return vtab_number(v);
}

/* ---- the lists of a file -------------------------------------------------------------------- */

/* Rows 0 .. n - 1 of the only group. */
static bool next_of(struct cursor_of_file *c, uint64_t n)
{
	c->b = c->base.row ? c->b + 1 : 0;
	return c->a < c->a_end && c->b < n;
}

static bool next_metric(struct cursor_of_file *c)
{
	return next_of(c, reader_num_metrics(c->r));
}
static struct vtab_cell metric_cell(const struct cursor_of_file *c, int i)
{
	const struct reader_metric *m = reader_metric(c->r, (uint32_t)c->b);
	struct reader_text unit = reader_pairs_get(m->about, "unit");

	if (i == 1 || i == 4)
		return text_of(i == 1 ? m->name : unit);
	return vtab_number(i == 0 ? c->b : i == 2 ? m->flags : m->period);
}

static bool next_module(struct cursor_of_file *c)
{
	c->b = c->base.row ? c->b + 1 : 0;
	while (c->a < c->a_end && c->b >= reader_epoch(c->r, (uint32_t)c->a)->num_modules) {
		c->a++;
		c->b = 0;
	}
	return c->a < c->a_end;
}
static struct vtab_cell module_cell(const struct cursor_of_file *c, int i)
{
	const struct reader_module *m = &reader_epoch(c->r, (uint32_t)c->a)->modules[c->b];
	const uint64_t numbers[] = {c->a,     c->b, 0, m->virtual_address, m->mapped_address,
				    m->extent};

	if (i == 2)
		return text_of(m->name);
	if (i < 6)
		return vtab_number(numbers[i]);
	return m->build_id.n ? text_of(m->build_id) : (struct vtab_cell){.type = VTAB_NULL};
}

static bool next_thread(struct cursor_of_file *c)
{
	return next_of(c, reader_num_threads(c->r));
}
static struct vtab_cell thread_cell(const struct cursor_of_file *c, int i)
{
	const struct reader_thread *t = reader_thread(c->r, (uint32_t)c->b);
	const uint64_t numbers[] = {c->b, t->tid, 0, t->start_ns, t->end_ns, t->cpu_ns};

	return i == 2 ? text_of(t->name) : vtab_number(numbers[i]);
}

static bool next_account(struct cursor_of_file *c)
{
	return next_of(c, reader_num_account(c->r));
}
static struct vtab_cell account_cell(const struct cursor_of_file *c, int i)
{
	const struct reader_account *a = reader_account(c->r, (uint32_t)c->b);

	if (i == 1)
		return thread(a->thread);
	if (i == 2)
		return text_of(a->disposition);
	return vtab_number(i == 0 ? a->metric : i == 3 ? a->samples : a->weight);
}

static bool next_tree(struct cursor_of_file *c)
{
	c->a += c->base.row != 0;
	return c->a < c->a_end;
}
static struct vtab_cell tree_cell(const struct cursor_of_file *c, int i)
{
	const struct reader_tree *t = reader_tree(c->r, (uint32_t)c->a);
	const char *kind = t->kind == CSP_TREE_PARTIAL ? "partial" : "complete";

	if (i == 1)
		return thread(t->thread);
	if (i == 2)
		return vtab_text(kind, strlen(kind));
	return vtab_number(i == 0 ? c->a : i == 3 ? t->epoch : t->num_nodes);
}

/* ---- nodes and their values -------------------------------------------------------------------
 */

static bool next_node(struct cursor_of_file *c)
{
	while (c->a < c->a_end) {
		if (!c->open) {
			/* in the file's order only one node is allocated */
			if (reader_nodes_begin(&c->nodes, c->r, (uint32_t)c->a, false, &c->why) !=
			    0)
				return false;
			c->open = true;
		}
		c->node = reader_nodes_next(&c->nodes);
		if (c->node)
			return true;
		reader_nodes_end(&c->nodes);
		c->open = false;
		c->a++;
	}
	return false;
}
static struct vtab_cell node_cell(const struct cursor_of_file *c, int i)
{
	const uint64_t numbers[] = {c->a, c->node->id, c->node->parent, c->node->ip, c->node->sp};
	return vtab_number(numbers[i]);
}

static bool next_value(struct cursor_of_file *c)
{
	c->metric += c->base.row != 0;
	for (;;) {
		for (; c->node && c->metric < reader_num_metrics(c->r); c->metric++)
			if (c->node->metrics[c->metric])
				return true;
		c->metric = 0;
		if (!next_node(c))
			return false;
	}
}
static struct vtab_cell value_cell(const struct cursor_of_file *c, int i)
{
	const uint64_t numbers[] = {c->a, c->node->id, c->metric, c->node->metrics[c->metric]};
	return vtab_number(numbers[i]);
}

/* ---- what vtab_base.c calls ---------------------------------------------------------------- */

static void close_nodes(struct cursor_of_file *c)
{
	if (c->open)
		reader_nodes_end(&c->nodes);
	c->open = false;
	c->node = NULL;
}

static int load(struct vtab_cursor *base, const char *path, struct error *e)
{
	struct cursor_of_file *c = (struct cursor_of_file *)base;

	if (reader_open(path, &c->r, e) == 0)
		return 0;
	c->r = NULL;
	return -1;
}

static void unload(struct vtab_cursor *base)
{
	struct cursor_of_file *c = (struct cursor_of_file *)base;

	close_nodes(c);
	reader_close(c->r);
	c->r = NULL;
}

static void begin(struct vtab_cursor *base, uint64_t groups, int64_t from, int64_t to)
{
	struct cursor_of_file *c = (struct cursor_of_file *)base;

	close_nodes(c);
	c->b = c->metric = 0;
	c->why = (struct error){0};
	c->a = from > 0 ? (uint64_t)from : 0;
	c->a_end = to < 0 ? 0 : (uint64_t)to < groups ? (uint64_t)to + 1 : groups;
}
static void begin_one(struct vtab_cursor *c, int64_t from, int64_t to)
{
	(void)from;
	(void)to;
	begin(c, 1, 0, 0);
}
static void begin_epochs(struct vtab_cursor *c, int64_t from, int64_t to)
{
	begin(c, reader_num_epochs(((struct cursor_of_file *)c)->r), from, to);
}
static void begin_trees(struct vtab_cursor *c, int64_t from, int64_t to)
{
	begin(c, reader_num_trees(((struct cursor_of_file *)c)->r), from, to);
}

#define LIST(what)                                                                                 \
	static int go_##what(struct vtab_cursor *base, struct error *e)                            \
	{                                                                                          \
		struct cursor_of_file *c = (struct cursor_of_file *)base;                          \
		if (next_##what(c))                                                                \
			return 1;                                                                  \
		*e = c->why;                                                                       \
		return c->why.kind == ERROR_NONE ? 0 : -1;                                         \
	}                                                                                          \
	static struct vtab_cell tell_##what(const struct vtab_cursor *c, int i)                    \
	{                                                                                          \
		return what##_cell((const struct cursor_of_file *)c, i);                           \
	}
LIST(metric)
LIST(module)
LIST(thread)
LIST(account)
LIST(tree)
LIST(node)
LIST(value)

#define KIND(function, what, columns, count, groups)                                               \
	{                                                                                          \
		.name = function, .declaration = columns ", file HIDDEN", .takes = "datafile",     \
		.argument = count, .first = begin_##groups != begin_one, .cost_of_first = 1e5,     \
		.cursor = sizeof(struct cursor_of_file), .load = load, .unload = unload,           \
		.begin = begin_##groups, .next = go_##what, .cell = tell_##what                    \
	}
static const struct vtab_kind kinds[] = {
    KIND("csprof_metrics", metric, "number, name, flags, period, unit", 5, one),
    KIND("csprof_modules", module,
	 "epoch, number, name, virtual_address, mapped_address, extent, build_id", 7, epochs),
    KIND("csprof_threads", thread, "number, tid, name, start_ns, end_ns, cpu_ns", 6, one),
    KIND("csprof_account", account, "metric, thread, disposition, samples, weight", 5, one),
    KIND("csprof_trees", tree, "number, thread, kind, epoch, nodes", 5, trees),
    KIND("csprof_nodes", node, "tree, id, parent, ip, sp", 5, trees),
    KIND("csprof_values", value, "tree, node, metric, value", 4, trees),
};

int db_add_tables(sqlite3 *db)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == SQLITE_OK; i++)
		rc = vtab_add(db, &kinds[i]);
	return rc == SQLITE_OK ? db_add_contexts(db) : rc;
}
