/* Prints procedures: what stands out, and their instructions with values. */
#include "formats/base/path.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/values/values.h"

#include <inttypes.h>
#include <string.h>

enum {
	NEIGHBOURS = 2, /* instructions without values that are shown between others */
	CODE = 36,      /* columns of an instruction */
	MOST_FINDINGS = 10,
	STACK_POINTER = 4, /* the number of rsp */
};

/* A procedure that is printed: its instructions, the first row of their metrics, and the arguments
 * that it reads. */
struct values_listing {
	struct values_view *v;
	const struct instructions *p;
	size_t first;
	uint8_t used;
};

static bool print_heading(struct values_view *v, uint32_t procedure, const struct instructions *p)
{
	const struct listed_instruction *first = &p->list.at[0];
	const struct symbol_frame *f = &first->frames[first->num_frames - 1];
	const char *name = layout_clean(&v->arena, f->function->name);
	const char *module =
	    layout_clean(&v->arena, path_basename(v->m->modules.at[p->module].name));
	const char *title = name && module ? values_format(v, "%s, %s", name, module) : NULL;

	title = title ? layout_cut_name(&v->arena, title, v->o->width) : NULL;
	if (!title)
		return false;
	fputc('\n', v->out);
	layout_title(v->out, v->o->color, title);
	for (size_t i = 0; i < v->columns.len; i++) {
		const struct shown_metric *c = &v->columns.at[i];
		uint64_t self = procedure_rows_values(&v->of, v->of.sums.exclusive, procedure)[i];
		char percent[SHOWN_PERCENT_BYTES], number[LAYOUT_NUMBER_BYTES];
		const char *text = values_format(v, "%s: self %s, %s", c->name,
						 shown_metric_percent(percent, c, self),
						 layout_value(number, self, c->unit));
		if (!text)
			return false;
		layout_paragraph(v->out, v->o->width, text);
	}
	return true;
}

/* "file.c:30", or "" */
static const char *line_of(struct values_view *v, const struct listed_instruction *at)
{
	const char *file = at->frames->file && at->frames->line
			       ? layout_clean(&v->arena, path_basename(at->frames->file))
			       : NULL;

	return file ? values_format(v, " %s:%" PRIu32, file, at->frames->line) : "";
}

static bool print_findings(struct values_view *v, const struct instructions *p, const findings *all)
{
	size_t most = v->own->all ? all->len : MOST_FINDINGS;

	for (size_t i = 0; i < all->len && i < most; i++) {
		const struct finding *f = &all->at[i];
		const struct listed_instruction *at = &p->list.at[instructions_at(p, f->address)];
		const char *line = line_of(v, at);
		const char *text =
		    line ? values_format(v, "+0x%" PRIx64 "%s: %s. %s", f->address - p->code.low,
					 line, f->what, f->advice)
			 : NULL;
		if (!text)
			return false;
		layout_paragraph(v->out, v->o->width, text);
	}
	if (all->len > most)
		fprintf(v->out, "  ... and %zu more (--all)\n", all->len - most);
	return true;
}

/* ---- instructions -----------------------------------------------------------------------------
 */

/* One kind: "ecx 0 (90%), 1 (10%)". "" if no value is frequent. */
static const char *row_text(struct values_view *v, const struct instructions *p,
			    const struct model_value *row)
{
	char kind[READER_VALUE_KIND_BYTES];
	const char *text = reader_value_kind(row->what, row->bytes, kind, sizeof kind);
	unsigned n = 0;

	for (uint32_t i = 0; text && i < row->num_frequent; i++) {
		const struct model_frequent *f = &v->m->frequent.at[row->first_frequent + i];
		double share = values_share(row, f);
		const char *value;
		if (share < VALUES_SHOWN)
			break;
		value = values_text(v, p, row, f);
		text = !value ? NULL
		       : row->what == CSP_VALUE_BRANCH
			   ? values_format(v, "%s%s %.0f%%", n ? "," : "",
					   f->value ? "taken" : "not taken", 100 * share)
			   : values_format(v, "%s%s %s (%.0f%%)", text, n ? "," : "", value,
					   100 * share);
		n++;
		if (row->what == CSP_VALUE_BRANCH)
			break;
	}
	if (!text || n)
		return text;
	return v->own->all ? values_format(v, "%s varies", text) : "";
}

/* What was seen a few times only, a stride of what is always the same, that no store was near, and
 * what is in registers of arguments that are not read. */
static bool says_nothing(const struct values_listing *l, const struct model_value *row)
{
	const struct model_frequent *f = values_best(l->v, row);
	bool store = row->what == CSP_VALUE_REPLAY || row->what == CSP_VALUE_ALIAS;
	bool stride = row->what & CSP_VALUE_DIFFERENCE;
	uint32_t argument = row->what - CSP_VALUE_ARGUMENT;

	if (l->v->own->all)
		return false;
	return row->count < VALUES_SEEN || row->what == CSP_VALUE_ADDRESS ||
	       (row->what & ~CSP_VALUE_DIFFERENCE) == STACK_POINTER ||
	       (f && f->value == 0 && (store || stride)) ||
	       (argument < CSP_VALUE_ARGUMENTS && !(l->used >> argument & 1));
}

/* All kinds of an instruction, and in *seen how often it was. */
static const char *values_of(const struct values_listing *l, struct value_span span, uint64_t *seen)
{
	const char *all = "";

	*seen = 0;
	for (size_t i = span.first; all && i < span.end; i++) {
		const struct model_value *row = &l->v->m->values.at[i];
		const char *text = says_nothing(l, row) ? "" : row_text(l->v, l->p, row);
		*seen = row->count > *seen ? row->count : *seen;
		if (!text)
			return NULL;
		if (text[0])
			all = values_format(l->v, "%s%s%s", all, all[0] ? "; " : "", text);
	}
	return all;
}

static struct value_span span_of(const struct values_listing *l, size_t i)
{
	const struct instructions *p = l->p;
	uint64_t high = i + 1 < p->list.len ? p->list.at[i + 1].address : p->code.high;

	return values_between(l->v, p, p->list.at[i].address, high);
}

static const uint64_t *metrics_of(const struct values_listing *l, size_t i)
{
	return procedure_rows_values(&l->v->of, l->v->of.rows.exclusive, l->first + i);
}

/* The shares of the metrics, blank for 0. Returns the width. */
static unsigned print_metrics(const struct values_listing *l, size_t i)
{
	const struct values_view *v = l->v;
	const uint64_t *metrics = metrics_of(l, i);

	for (size_t k = 0; k < v->columns.len; k++) {
		char percent[LAYOUT_NUMBER_BYTES] = "";
		if (metrics[k])
			layout_percent(percent, metrics[k], v->columns.at[k].total);
		fprintf(v->out, "%*s", VALUES_COLUMN, percent);
	}
	return (unsigned)(VALUES_COLUMN * v->columns.len);
}

static bool print_instruction(const struct values_listing *l, size_t i)
{
	struct values_view *v = l->v;
	const struct listed_instruction *at = &l->p->list.at[i];
	const char *code = layout_cut_right(&v->arena, at->text, CODE), *text;
	char offset[LAYOUT_NUMBER_BYTES], number[LAYOUT_NUMBER_BYTES] = "";
	uint64_t seen;
	unsigned used;

	text = values_of(l, span_of(l, i), &seen);
	if (!code || !text)
		return false;
	snprintf(offset, sizeof offset, "+0x%" PRIx64, at->address - l->p->code.low);
	if (seen)
		layout_value(number, seen, "count");
	used = print_metrics(l, i) + 2 + 8 + 2 + CODE + 1 + 6 + 2;
	text = layout_cut_right(&v->arena, text, used < v->o->width ? v->o->width - used : 0);
	if (!text)
		return false;
	fprintf(v->out, "  %8s  %s", offset, code);
	if (number[0])
		fprintf(v->out, "%*s %6s", (int)(CODE - layout_width(code)), "", number);
	fprintf(v->out, "%s%s\n", text[0] ? "  " : "", text);
	return true;
}

static bool is_shown(const struct values_listing *l, size_t i)
{
	uint64_t seen;
	const char *text = values_of(l, span_of(l, i), &seen);

	return (l->v->own->all && seen) || (text && text[0]) ||
	       procedure_rows_any(&l->v->of, metrics_of(l, i));
}

static bool print_titles(struct values_view *v)
{
	fputc('\n', v->out);
	for (size_t k = 0; k < v->columns.len; k++) {
		const char *name =
		    layout_cut_right(&v->arena, v->columns.at[k].name, VALUES_COLUMN - 1);
		if (!name)
			return false;
		fprintf(v->out, "%*s%s", (int)(VALUES_COLUMN - layout_width(name)), "", name);
	}
	fprintf(v->out, "  %8s  %-*s %6s  values\n", "offset", CODE, "instruction", "seen");
	return true;
}

static bool print_instructions(const struct values_listing *l)
{
	const struct instructions *p = l->p;
	size_t next = 0;
	bool ok = print_titles(l->v);

	for (size_t i = 0; ok && i < p->list.len; i++) {
		if (!is_shown(l, i))
			continue;
		if (i - next > NEIGHBOURS || (next == 0 && i > 0)) {
			fputs("  ...\n", l->v->out);
			next = i;
		}
		for (; ok && next <= i; next++)
			ok = print_instruction(l, next);
	}
	if (next < p->list.len)
		fputs("  ...\n", l->v->out);
	return ok;
}

static bool print_procedure(struct values_view *v, uint32_t procedure)
{
	const struct instructions *p = &v->of.procedures.at.at[procedure];
	const struct values_listing l = {v, p, v->of.first[procedure], values_arguments(v, p)};
	findings found = {0};
	bool ok;

	values_find(v, p, &found);
	ok = !v->starved && print_heading(v, procedure, p) && print_findings(v, p, &found) &&
	     print_instructions(&l);
	vec_free(&found);
	return ok;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

/* How the values came about, and why after some samples there are none. */
static bool print_windows(struct values_view *v)
{
	static const char *const texts[] = CSP_VALUE_REFUSAL_TEXTS;
	const struct reader_windows *w = &v->m->windows;
	char windows[LAYOUT_NUMBER_BYTES], steps[LAYOUT_NUMBER_BYTES], time[LAYOUT_NUMBER_BYTES];
	const char *text = values_format(
	    v, "Values of instructions: %s windows after samples, %s steps, which took %s.",
	    layout_exact(windows, w->windows), layout_exact(steps, w->steps),
	    layout_value(time, w->ns, "ns"));

	for (int i = 0; text && i < CSP_VALUE_REFUSALS; i++)
		if (w->refused[i])
			text = values_format(v, "%s %s samples without one: %s.", text,
					     layout_exact(windows, w->refused[i]), texts[i]);
	if (text && w->dropped)
		text = values_format(v, "%s %s values were dropped.", text,
				     layout_exact(windows, w->dropped));
	if (!text)
		return false;
	layout_paragraph(v->out, v->o->width, text);
	return true;
}

bool values_print(struct values_view *v, const uint32_t *order, size_t shown, size_t n)
{
	bool ok = print_windows(v);

	for (size_t i = 0; i < v->missing.len; i++)
		layout_paragraph(v->out, v->o->width, v->missing.at[i]);
	for (size_t i = 0; ok && i < shown; i++)
		ok = print_procedure(v, order[i]);
	if (ok && shown < n)
		fprintf(v->out, "\n  ... and %zu more procedure%s (-n)\n", n - shown,
			n - shown == 1 ? "" : "s");
	return ok;
}
