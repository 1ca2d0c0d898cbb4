/* The values view as one JSON object; hpcprof-values(1) has its members. */
#include "hpcprof/metrics/view_json.h"
#include "hpcprof/terminal/json.h"
#include "hpcprof/views/values/values.h"

#include <inttypes.h>

static void put_frequent(struct values_view *v, struct view_json *j, const struct instructions *p,
			 const struct model_value *row)
{
	fputs(",\"frequent\":[", j->out);
	for (uint32_t i = 0; i < row->num_frequent; i++) {
		const struct model_frequent *f = &v->m->frequent.at[row->first_frequent + i];
		fprintf(j->out, "%s{\"value\":%" PRIu64, i ? "," : "", f->value);
		if (model_value_is_code(row->what))
			view_json_text(j, "place", values_text(v, p, row, f));
		view_json_number(j, "count", f->count);
		view_json_number(j, "error", f->error);
		fputc('}', j->out);
	}
	fputc(']', j->out);
}

static void put_rows(struct values_view *v, struct view_json *j, const struct instructions *p)
{
	struct value_span span = values_between(v, p, p->code.low, p->code.high);

	fputs(",\"values\":[", j->out);
	for (size_t i = span.first; i < span.end; i++) {
		const struct model_value *row = &v->m->values.at[i];
		char kind[READER_VALUE_KIND_BYTES];
		fprintf(j->out, "%s{\"offset\":%" PRIu64, i > span.first ? "," : "",
			row->address - p->code.low);
		view_json_text(j, "instruction", p->list.at[instructions_at(p, row->address)].text);
		view_json_text(j, "kind",
			       reader_value_kind(row->what, row->bytes, kind, sizeof kind));
		view_json_number(j, "bytes", row->bytes);
		view_json_number(j, "count", row->count);
		view_json_number(j, "zeros", row->zeros);
		view_json_number(j, "same", row->same);
		view_json_number(j, "rest", row->rest);
		put_frequent(v, j, p, row);
		fputc('}', j->out);
	}
	fputc(']', j->out);
}

static void put_findings(struct values_view *v, struct view_json *j, const struct instructions *p)
{
	findings found = {0};

	values_find(v, p, &found);
	fputs(",\"findings\":[", j->out);
	for (size_t i = 0; i < found.len; i++) {
		fprintf(j->out, "%s{\"offset\":%" PRIu64, i ? "," : "",
			found.at[i].address - p->code.low);
		view_json_number(j, "count", found.at[i].count);
		fprintf(j->out, ",\"share\":%.4f", found.at[i].share);
		view_json_text(j, "what", found.at[i].what);
		view_json_text(j, "advice", found.at[i].advice);
		fputc('}', j->out);
	}
	fputc(']', j->out);
	vec_free(&found);
}

static void put_procedure(struct values_view *v, struct view_json *j, uint32_t procedure)
{
	const struct instructions *p = &v->of.procedures.at.at[procedure];
	const struct listed_instruction *first = &p->list.at[0];

	view_json_row(j);
	json_member(j->out, "procedure", first->frames[first->num_frames - 1].function->name);
	view_json_text(j, "module", v->m->modules.at[p->module].name);
	view_json_number(j, "address", p->code.low);
	view_json_array(j, "self", procedure_rows_values(&v->of, v->of.sums.exclusive, procedure),
			v->columns.len);
	put_findings(v, j, p);
	put_rows(v, j, p);
	fputc('}', j->out);
}

static void put_windows(struct values_view *v, struct view_json *j)
{
	static const char *const texts[] = CSP_VALUE_REFUSAL_TEXTS;
	const struct reader_windows *w = &v->m->windows;

	fprintf(j->out, ",\"windows\":{\"windows\":%" PRIu64, w->windows);
	view_json_number(j, "steps", w->steps);
	view_json_number(j, "ns", w->ns);
	view_json_number(j, "dropped", w->dropped);
	fputs(",\"refused\":[", j->out);
	for (int i = 0; i < CSP_VALUE_REFUSALS; i++) {
		fprintf(j->out, "%s{\"samples\":%" PRIu64, i ? "," : "", w->refused[i]);
		view_json_text(j, "why", texts[i]);
		fputc('}', j->out);
	}
	fputs("]}", j->out);
}

int values_json(struct values_view *v, const uint32_t *order, size_t shown, size_t n,
		struct error *e)
{
	struct view_json j = {.out = v->out, .p = v->p, .o = v->o, .columns = &v->columns};
	size_t columns = v->columns.len;
	uint64_t *others = arena_alloc(&v->arena, (columns + 1) * sizeof *others);

	if (!others || !view_json_begin(&j, "values", &v->arena))
		return error_memory(e, columns * sizeof *others);
	put_windows(v, &j);
	view_json_rows(&j, "values", "procedures");
	for (size_t i = 0; i < shown; i++)
		put_procedure(v, &j, order[i]);
	for (size_t i = shown; i < n; i++)
		for (size_t k = 0; k < columns; k++)
			others[k] +=
			    procedure_rows_values(&v->of, v->of.sums.exclusive, order[i])[k];
	view_json_left_out(&j, "procedures", n - shown, others, columns);
	return v->starved ? error_memory(e, 0) : view_json_end(&j, e);
}
