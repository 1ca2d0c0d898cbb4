/* The values of single threads and processes: the column `units`. */
#include "formats/base/path.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More units or values than this make a page too large: it then has sums only. */
enum { UNITS_MOST = 10000, CELLS_MOST = 4000000 };

int html_units_collect(struct html *h, struct error *e)
{
	struct stats_rows *rows = &h->stats.rows[0];

	h->stats.profile = h->p;
	h->stats.options = h->o;
	h->stats.columns = &h->columns;
	h->stats.num_trees = 1;
	h->stats.keep_cells = CELLS_MOST;
	rows->keys = h->tree.keys;
	rows->num_nodes = h->tree.num_nodes;
	rows->at = h->tree.at;
	rows->num_columns = h->tree.num_columns;
	rows->num_rows = h->tree.num_nodes;
	for (uint32_t i = 0; i < h->tree.num_nodes; i++)
		if (!stats_use(rows, i, i, false))
			return error_memory(e, i * sizeof(struct stats_use));
	if (stats_collect(&h->stats, e) != 0)
		return -1;
	h->has_units =
	    rows->cells.len && h->stats.names.len > 1 && h->stats.names.len <= UNITS_MOST;
	return 0;
}

/* ---- the values ------------------------------------------------------------------------ */

static int by_place(const void *pa, const void *pb)
{
	const struct stats_cell *a = pa, *b = pb;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* Have the position in the page instead of the node, and sort. */
static bool sort_cells(const struct html *h, struct stats_cell *cells, size_t n)
{
	uint32_t *position = calloc(h->tree.num_nodes + (size_t)1, sizeof *position);

	if (!position)
		return false;
	for (uint32_t i = 0; i < h->tree.num_order; i++)
		position[h->tree.order[i]] = i;
	for (size_t i = 0; i < n; i++)
		cells[i].row = position[cells[i].row];
	free(position);
	qsort(cells, n, sizeof *cells, by_place);
	return true;
}

/* The cells of one node in one unit begin at i; the end of them. */
static size_t node_end(const struct stats_cell *cells, size_t n, size_t i)
{
	size_t end = i;

	while (end < n && cells[end].unit == cells[i].unit && cells[end].row == cells[i].row)
		end++;
	return end;
}

/* A node's samples and events of each metric. sums are the unit's events so far. */
static bool put_node(struct html *h, html_bytes *b, const struct stats_cell *cells, size_t n,
		     uint64_t *sums)
{
	size_t metrics = h->num_metrics;
	bool ok = true;

	for (size_t k = 0; ok && k < metrics; k++) {
		uint64_t events = 0, samples = 0, q = h->quantum[k], before = sums[k] / q;
		for (size_t i = 0; i < n; i++) {
			if (cells[i].column == k)
				events = cells[i].value;
			else if (cells[i].column == metrics + k)
				samples = cells[i].value;
		}
		sums[k] += events;
		ok = html_varint(b, samples);
		if (ok && h->has_events[k])
			ok = html_zigzag(
			    b, (int64_t)(sums[k] / q - before - samples * html_mean(h, k)));
	}
	return ok;
}

static bool put_unit(struct html *h, html_bytes *b, const struct stats_cell *cells, size_t n,
		     uint64_t *sums)
{
	uint32_t nodes = 0, before = 0;
	bool ok;

	memset(sums, 0, h->num_metrics * sizeof *sums);
	for (size_t i = 0; i < n; i = node_end(cells, n, i))
		nodes++;
	ok = html_varint(b, nodes);
	for (size_t i = 0, end; ok && i < n; i = end) {
		end = node_end(cells, n, i);
		ok = html_varint(b, cells[i].row - before) &&
		     put_node(h, b, &cells[i], end - i, sums);
		before = cells[i].row;
	}
	return ok;
}

int html_put_units(struct html *h, struct error *e)
{
	struct stats_cell *cells = h->stats.rows[0].cells.at;
	size_t n = h->stats.rows[0].cells.len, i = 0, end;
	uint64_t *sums = calloc(h->num_metrics + 1, sizeof *sums);
	html_bytes b = {0};
	bool ok = sums && sort_cells(h, cells, n);
	int rc;

	for (uint32_t unit = 0; ok && unit < h->stats.names.len; unit++, i = end) {
		for (end = i; end < n && cells[end].unit == unit; end++)
			;
		ok = put_unit(h, &b, &cells[i], end - i, sums);
	}
	rc = ok ? html_put_column(h->out, "units", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	free(sums);
	return rc;
}

/* ---- what they are --------------------------------------------------------------------- */

static int by_path(const void *path, const void *process)
{
	return strcmp(path, ((const struct model_process *)process)->path);
}

static const struct model_process *process_of(const struct html *h, const struct stats_unit *u)
{
	return u->path && h->m->processes.len
		   ? bsearch(u->path, h->m->processes.at, h->m->processes.len,
			     sizeof *h->m->processes.at, by_path)
		   : NULL;
}

/* A member with a name that is cleaned; null for an empty one. False if memory ran out. */
static bool put_name(struct html *h, FILE *to, const char *member, const char *name)
{
	const char *clean = name && name[0] ? layout_clean(&h->arena, name) : NULL;

	fputc(',', to);
	json_member(to, member, clean);
	return clean || !name || !name[0];
}

static bool put_process(struct html *h, FILE *to, const struct model_process *p)
{
	if (p->has_pid)
		fprintf(to, ",\"process\":%" PRIu64, p->pid);
	if (p->has_rank)
		fprintf(to, ",\"rank\":%" PRIu32, p->rank);
	return put_name(h, to, "program",
			path_basename(p->executable[0] ? p->executable : p->command)) &&
	       put_name(h, to, "command", p->command) && put_name(h, to, "host", p->host);
}

bool html_put_unit_names(struct html *h, FILE *to)
{
	bool ok = true;

	fputs(",\n\"units\":[", to);
	for (size_t i = 0; ok && h->has_units && i < h->stats.names.len; i++) {
		const struct stats_unit *u = &h->stats.units.at[i];
		const struct model_process *p = process_of(h, u);
		fputs(i ? ",\n{" : "\n{", to);
		json_member(to, "name", h->stats.names.at[i]);
		if (u->tid)
			fprintf(to, ",\"tid\":%" PRIu64, u->tid);
		if (u->thread) {
			fputc(',', to);
			json_member(to, "thread", u->thread);
		}
		ok = !p || put_process(h, to, p);
		fputc('}', to);
	}
	fputc(']', to);
	return ok;
}
