/* A comparison as a page: what it adds to that of both sides' profile. */
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/diff/diff.h"
#include "hpcprof/views/html/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_page {
	struct diff *d;
	struct html_compare c;
	uint32_t *same, *moved;   /* [functions] */
	uint8_t *marks, *callees; /* [functions] */
	const char **names;       /* [functions] */
	struct html_line *lines;
};

/* The id that names a row: that of the side after, if its code is there. */
static uint32_t page_id(const struct diff_row *row)
{
	return row->id[AFTER] != DIFF_NONE ? row->id[AFTER] : row->id[BEFORE];
}

/* ---- functions --------------------------------------------------------------------- */

/* The function that names a row; the first one, if no side has values of it. */
static void choose_representatives(struct diff_page *p)
{
	const struct diff_table *t = &p->d->tables[BY_FUNCTION];
	size_t n = p->d->c->functions.len;
	uint32_t *of_row = p->moved; /* for now; there are at most as many rows */

	for (size_t row = 0; row < t->num_rows; row++)
		of_row[row] = page_id(&t->rows[row]);
	for (uint32_t i = 0; i < n; i++)
		if (of_row[t->row_of[i]] == DIFF_NONE)
			of_row[t->row_of[i]] = i;
	for (uint32_t i = 0; i < n; i++)
		p->same[i] = of_row[t->row_of[i]];
}

static bool describe_functions(struct diff_page *p)
{
	struct diff *d = p->d;
	const struct diff_table *t = &d->tables[BY_FUNCTION];
	bool ok = true;

	choose_representatives(p);
	for (uint32_t i = 0; ok && i < d->c->functions.len; i++) {
		uint32_t row = t->row_of[i];
		p->moved[i] = UINT32_MAX;
		if (p->same[i] != i)
			continue;
		p->names[i] = diff_label(d, t, row);
		p->marks[i] = (d->beyond_self[row] ? HTML_SELF_BEYOND : 0) |
			      (d->beyond_total[row] ? HTML_TOTAL_BEYOND : 0);
		ok = p->names[i] != NULL;
	}
	for (uint32_t i = 0; ok && i < d->c->functions.len; i++) {
		const struct diff_row *row = &t->rows[t->row_of[i]];
		if (p->same[i] != i || row->moved == DIFF_NONE)
			continue;
		p->moved[i] = page_id(&t->rows[row->moved]);
		p->callees[i] = row->calls_it;
	}
	return ok;
}

/* ---- lines ------------------------------------------------------------------------- */

static void sum_line(const struct diff *d, size_t row, struct html_line *to)
{
	const struct diff_table *t = &d->tables[BY_LINE];
	double means[HTML_SIDES][HTML_KINDS] = {{0}};

	for (size_t r = 0; r < d->num_runs; r++) {
		enum diff_side side = d->runs[r].side;
		for (int total = 0; total < HTML_KINDS; total++) {
			double events = diff_value(d, t, row, r, false, total == HTML_TOTAL);
			double samples = diff_value(d, t, row, r, true, total == HTML_TOTAL);
			to->sums[total][HTML_EVENTS] += (uint64_t)events;
			to->sums[total][HTML_SAMPLES] += (uint64_t)samples;
			means[side == AFTER ? HTML_AFTER : HTML_BEFORE][total] +=
			    events / d->runs[r].factor / (double)d->side_runs[side];
		}
	}
	for (int side = 0; side < HTML_SIDES; side++)
		for (int total = 0; total < HTML_KINDS; total++)
			to->means[side][total] = (uint64_t)llround(means[side][total]);
}

static bool describe_lines(struct diff_page *p)
{
	const struct diff_table *t = &p->d->tables[BY_LINE];
	size_t n = 0;

	p->lines = calloc(t->num_rows + 1, sizeof *p->lines);
	for (size_t row = 0; p->lines && row < t->num_rows; row++) {
		uint32_t id = page_id(&t->rows[row]);
		struct html_line *l = &p->lines[n];
		if (id == DIFF_NONE)
			continue;
		*l = (struct html_line){.line = id};
		sum_line(p->d, row, l);
		if (t->rows[row].beyond)
			l->marks |= HTML_LINE_BEYOND;
		/* a line of one place in both builds may have an id of the side before only */
		if (t->rows[row].id[AFTER] == DIFF_NONE && !l->means[HTML_AFTER][HTML_TOTAL])
			l->marks |= HTML_LINE_GONE;
		n++;
	}
	p->c.num_lines = n;
	return p->lines != NULL;
}

/* ---- paths ------------------------------------------------------------------------- */

static uint32_t path(void *context, uint32_t caller, uint32_t function)
{
	struct diff_page *p = context;

	return diff_path_below(p->d, caller, function);
}

static bool path_beyond(void *context, uint32_t id)
{
	struct diff_page *p = context;
	const struct diff_table *t = &p->d->tables[DIFF_CALLS];

	return id < t->num_rows && t->rows[id].beyond;
}

/* ---- text -------------------------------------------------------------------------- */

/* The names of a side's runs. */
static const char *names_of(struct diff *d, enum diff_side side)
{
	const char *names = "";

	for (size_t r = 0; r < d->num_runs && names; r++)
		if (d->runs[r].side == side)
			names = layout_format(&d->arena, "%s%s%s", names, names[0] ? ", " : "",
					      d->runs[r].name);
	return names ? layout_clean(&d->arena, names) : NULL;
}

static int put_title(void *context, FILE *to, struct error *e)
{
	struct diff_page *p = context;
	const char *before = names_of(p->d, BEFORE), *after = names_of(p->d, AFTER);

	if (!before || !after)
		return error_memory(e, 0);
	fprintf(to, "%s → %s", before, after);
	return 0;
}

static int put_text(void *context, FILE *to, struct error *e)
{
	struct diff_page *p = context;
	const struct diff_options *own = p->d->own;
	struct diff_options text = *own;
	struct common common = *p->d->o;
	bool ok;

	text.common.color = common.color = false;
	for (int g = 0; g < DIFF_TABLES; g++)
		text.shows[g] = g == BY_FUNCTION || diff_has_table(p->d, g);
	common.width = DIFF_PAGE_WIDTH;
	p->d->own = &text;
	p->d->o = &common;
	ok = diff_print_text(to, p->d);
	p->d->own = own;
	p->d->o = &own->common;
	return ok ? 0 : error_memory(e, 0);
}

static bool put_runs(struct diff *d, FILE *to)
{
	bool ok = true;

	fputs("\"runs\":[", to);
	for (size_t r = 0; ok && r < d->num_runs; r++) {
		const char *name = layout_clean(&d->arena, d->runs[r].name);
		fputs(r ? ",\n{" : "{", to);
		json_member(to, "name", name);
		fprintf(to, ",\"after\":%s,\"factor\":%.17g,\"events\":%.17g,\"samples\":%.17g}",
			d->runs[r].side == AFTER ? "true" : "false", d->runs[r].factor,
			d->runs[r].events, d->runs[r].samples);
		ok = name != NULL;
	}
	fputs("],\n", to);
	return ok;
}

static const char *normal_of(struct diff *d)
{
	return d->normal == NORMAL_USUAL ? "" : layout_clean(&d->arena, d->own->normalize);
}

static int put_json(void *context, FILE *to, struct error *e)
{
	struct diff *d = ((struct diff_page *)context)->d;
	const char *normal = normal_of(d);

	fputs(",\n\"compare\":{", to);
	if (!normal || !put_runs(d, to))
		return error_memory(e, 0);
	json_member(to, "normalize", normal);
	fprintf(to, ",\"factor\":%.17g,\"before\":%.17g,\"after\":%.17g", d->factor,
		d->total[BEFORE], d->total[AFTER]);
	if (d->total_p >= 0)
		fprintf(to, ",\"p\":%.17g", d->total_p);
	fprintf(to, ",\"beyond\":%s,\"inclusive_lines\":%s}", d->total_beyond ? "true" : "false",
		d->own->inclusive ? "true" : "false");
	return 0;
}

/* ---- the page ---------------------------------------------------------------------- */

int diff_print_page(FILE *out, struct diff *d, struct error *e)
{
	size_t functions = d->c->functions.len + 1;
	struct diff_page p = {.d = d,
			      .same = calloc(functions, sizeof *p.same),
			      .moved = calloc(functions, sizeof *p.moved),
			      .marks = calloc(functions, sizeof *p.marks),
			      .callees = calloc(functions, sizeof *p.callees),
			      .names = calloc(functions, sizeof *p.names)};
	bool ok = p.same && p.moved && p.marks && p.callees && p.names && describe_functions(&p) &&
		  describe_lines(&p);
	int rc;

	p.c = (struct html_compare){.context = &p,
				    .same = p.same,
				    .names = p.names,
				    .marks = p.marks,
				    .moved = p.moved,
				    .callees = p.callees,
				    .lines = p.lines,
				    .num_lines = p.c.num_lines,
				    .path = path,
				    .path_beyond = path_beyond,
				    .put_title = put_title,
				    .put_text = put_text,
				    .put_json = put_json};
	rc = ok ? html_print_compare(out, d->p, d->o, &d->own->extras, &p.c, e)
		: error_memory(e, functions * sizeof *p.names);
	free(p.same);
	free(p.moved);
	free(p.marks);
	free(p.callees);
	free(p.names);
	free(p.lines);
	return rc;
}
