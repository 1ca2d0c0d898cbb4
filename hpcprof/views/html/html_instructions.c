/* The instructions of source lines: the columns `instructions` and `instruction-texts`. */
#include "hpcprof/views/html/html.h"

#include "formats/base/search.h"
#include "hpcprof/correlate/instructions.h"
#include "hpcprof/model/sum.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of text in a page, before they are compressed. Procedures with the most samples
 * come first. */
enum { TEXT_MOST = 16 << 20 };

/* An instruction of a line, and where its values are. */
struct shown_instruction {
	uint32_t line; /* its place in the column of lines */
	uint32_t procedure;
	uint64_t address;
	const char *text;
	size_t values;
};

/* A procedure, and its samples or events. */
struct weighed_procedure {
	uint64_t weight;
	uint32_t procedure;
};

struct instruction_column {
	struct html *h;
	const struct html_place *lines; /* by file name and line */
	size_t num_lines;
	struct procedure_list procedures;
	uint64_t *own; /* [frames * columns] exclusive values */
	VEC(struct weighed_procedure) order;
	VEC(struct shown_instruction) list;
	VEC(uint64_t) values;
	VEC(uint32_t) named; /* procedures with instructions in the page, in the order of names */
	VEC(const char *) names;
	size_t text_bytes, left_out;
	bool said; /* why one was left out */
};

static const uint64_t *values_of(const struct instruction_column *t, uint32_t frame)
{
	return t->own + (size_t)frame * t->h->columns.len;
}

static bool any(const struct instruction_column *t, const uint64_t *values)
{
	for (size_t k = 0; k < t->h->columns.len; k++)
		if (values[k])
			return true;
	return false;
}

static void add_up(const struct instruction_column *t, uint64_t *to, const uint64_t *values)
{
	bool saturated = false; /* reading the model has said so */

	for (size_t k = 0; k < t->h->columns.len; k++)
		to[k] = sum_add(to[k], values[k], &saturated);
}

/* ---- the procedures ---------------------------------------------------------------------- */

static int sum_frames(struct instruction_column *t, struct error *e)
{
	const struct model *m = t->h->m;
	size_t n = t->h->columns.len;
	uint32_t contexts = model_num_contexts(m);
	bool saturated = false;

	t->own = calloc((m->frames.len + 1) * n + 1, sizeof *t->own);
	if (!t->own)
		return error_memory(e, m->frames.len * n * sizeof *t->own);
	for (uint32_t i = MODEL_ROOTS; i < contexts; i++) {
		uint64_t *to = t->own + model_frame_of(m, i) * n;
		for (size_t k = 0; k < n; k++)
			to[k] = sum_add(to[k], t->h->columns.values[k][i], &saturated);
	}
	return 0;
}

/* Say why instructions of a module are not in the page. Of code that is in no file, nobody
 * expects them. */
static bool say_missing(struct instruction_column *t, uint32_t module, const struct error *why)
{
	const struct model_module *mod = &t->h->m->modules.at[module];
	const char *text = layout_clean(&t->h->arena, why->text);

	if (!text)
		return false;
	if (mod->name[0] == '/' || mod->image)
		diag_notice(t->h->p->diag, mod->name,
			    "not all of its instructions are in the page%s%s", text[0] ? ": " : "",
			    text);
	return true;
}

/* The procedures of the code with own values. */
static int find_procedures(struct instruction_column *t, struct error *e)
{
	const struct model *m = t->h->m;
	uint64_t *addresses = calloc(m->frames.len + 1, sizeof *addresses);
	int rc = addresses ? 0 : error_memory(e, m->frames.len * sizeof *addresses);

	for (uint32_t module = 0; rc == 0 && module < m->modules.len; module++) {
		uint32_t first = m->modules.at[module].first_frame;
		size_t n = 0;
		struct error why;
		for (uint32_t f = first; f < first + m->modules.at[module].num_frames; f++)
			if (any(t, values_of(t, f)))
				addresses[n++] = m->frames.at[f].address;
		rc = n ? procedure_list_add(&t->procedures, m, module, addresses, n, &why, e) : 1;
		if (rc == 0 && !say_missing(t, module, &why))
			rc = error_memory(e, 0);
		rc = rc < 0 ? -1 : 0;
	}
	free(addresses);
	return rc;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct weighed_procedure *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->procedure < b->procedure ? -1 : a->procedure > b->procedure;
}

/* The frames of a procedure: [first, *end). Those of a module are in the order of addresses. */
static uint32_t frames_of(const struct instruction_column *t, const struct instructions *p,
			  uint32_t *end)
{
	const struct model_frame *all = t->h->m->frames.at;
	const struct model_module *mod = &t->h->m->modules.at[p->module];
	uint32_t first = mod->first_frame, last = first + mod->num_frames;

	*end = (uint32_t)SEARCH_FIRST(i, first, last, all[i].address >= p->code.high);
	return (uint32_t)SEARCH_FIRST(i, first, last, all[i].address >= p->code.low);
}

static bool weigh_procedures(struct instruction_column *t)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->procedures.at.len; i++) {
		struct weighed_procedure w = {.procedure = i};
		uint32_t end, f = frames_of(t, &t->procedures.at.at[i], &end);
		for (; f < end; f++)
			w.weight += values_of(t, f)[0];
		ok = vec_push(&t->order, w);
	}
	if (ok && t->order.len)
		qsort(t->order.at, t->order.len, sizeof *t->order.at, by_weight);
	return ok;
}

/* ---- the instructions -------------------------------------------------------------------- */

/* The place in the column of the line of an instruction; HTML_NO_NUMBER: it has no own values. */
static uint32_t find_line(const struct instruction_column *t, const struct listed_instruction *i)
{
	const struct symbol_frame *f = &i->frames[t->h->o->no_inline ? i->num_frames - 1 : 0];
	struct html_place key = {.file = f->file, .line = f->line};
	const struct html_place *found;

	if (!f->file || !t->num_lines)
		return HTML_NO_NUMBER;
	found = bsearch(&key, t->lines, t->num_lines, sizeof *t->lines, html_by_place);
	return found && found->own ? found->number : HTML_NO_NUMBER;
}

/* The values of all instructions of a procedure: [instructions * columns]. NULL if memory ran out.
 */
static uint64_t *sum_instructions(struct instruction_column *t, const struct instructions *p)
{
	size_t n = t->h->columns.len;
	uint64_t *out = calloc(p->list.len * n + 1, sizeof *out);
	uint32_t end, f = frames_of(t, p, &end);

	for (; out && p->list.len && f < end; f++)
		add_up(t, out + instructions_at(p, t->h->m->frames.at[f].address) * n,
		       values_of(t, f));
	return out;
}

static bool add_values(struct instruction_column *t, const uint64_t *values)
{
	for (size_t k = 0; k < t->h->columns.len; k++)
		if (!vec_push(&t->values, values[k]))
			return false;
	return true;
}

/* Keep the instructions of a procedure that are of the page's lines. */
static bool keep_instructions(struct instruction_column *t, const struct instructions *p,
			      const uint64_t *values)
{
	size_t before = t->list.len;
	const struct listed_instruction *first = p->list.at;
	const char *name;

	for (size_t i = 0; i < p->list.len; i++) {
		const struct listed_instruction *at = &p->list.at[i];
		size_t len = strlen(at->text);
		struct shown_instruction one = {.line = find_line(t, at),
						.procedure = (uint32_t)t->names.len,
						.address = at->address,
						.values = t->values.len};
		if (one.line == HTML_NO_NUMBER)
			continue;
		one.text = arena_strndup(&t->h->arena, at->text, len);
		t->text_bytes += len;
		if (!one.text || !add_values(t, values + i * t->h->columns.len) ||
		    !vec_push(&t->list, one))
			return false;
	}
	if (t->list.len == before)
		return true;
	name = layout_clean(&t->h->arena, first->frames[first->num_frames - 1].function->name);
	return name && vec_push(&t->names, name) &&
	       vec_push(&t->named, (uint32_t)(p - t->procedures.at.at));
}

static int add_procedure(struct instruction_column *t, struct instructions *p, struct error *e)
{
	struct arena arena = {0};
	uint64_t *values = NULL;
	int rc = instructions_read(&t->procedures, t->h->m, p, &arena, e);

	if (rc != 0 && e->kind == ERROR_USAGE) { /* code of another machine, or no Capstone */
		if (!t->said)
			diag_notice(t->h->p->diag, NULL, "%s", e->text);
		t->said = true;
		t->left_out++;
		rc = 0;
	} else if (rc == 0) {
		values = sum_instructions(t, p);
		if (!values || !keep_instructions(t, p, values))
			rc = error_memory(e, 0);
	}
	free(values);
	instructions_forget(p);
	arena_deinit(&arena);
	return rc;
}

static int by_line(const void *pa, const void *pb)
{
	const struct shown_instruction *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->procedure != b->procedure)
		return a->procedure < b->procedure ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static int collect(struct instruction_column *t, struct error *e)
{
	int rc = sum_frames(t, e);

	if (rc == 0)
		rc = find_procedures(t, e);
	if (rc == 0 && !weigh_procedures(t))
		rc = error_memory(e, t->procedures.at.len * sizeof(struct weighed_procedure));
	for (size_t i = 0; rc == 0 && i < t->order.len; i++) {
		if (t->text_bytes < TEXT_MOST)
			rc = add_procedure(t, &t->procedures.at.at[t->order.at[i].procedure], e);
		else
			t->left_out++;
	}
	if (rc == 0 && t->list.len)
		qsort(t->list.at, t->list.len, sizeof *t->list.at, by_line);
	return rc;
}

/* ---- the columns ------------------------------------------------------------------------- */

static bool put_procedures(const struct instruction_column *t, html_bytes *b)
{
	bool ok = html_varint(b, t->named.len);

	for (size_t i = 0; ok && i < t->named.len; i++)
		ok = html_varint(b, t->procedures.at.at[t->named.at[i]].module);
	return ok;
}

static int put_numbers(const struct instruction_column *t, struct error *e)
{
	html_bytes b = {0};
	bool ok = put_procedures(t, &b) && html_varint(&b, t->list.len);
	struct shown_instruction before = {0};
	int rc;

	for (size_t i = 0; ok && i < t->list.len; i++) {
		const struct shown_instruction *one = &t->list.at[i];
		ok = html_varint(&b, one->line - before.line) && html_varint(&b, one->procedure) &&
		     html_zigzag(&b, (int64_t)(one->address - before.address)) &&
		     html_put_values(t->h, &b, t->values.at + one->values);
		before = *one;
	}
	rc = ok ? html_put_column(t->h->out, "instructions", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	return rc;
}

static bool put_line(html_bytes *b, const char *text)
{
	for (; *text; text++)
		if (!vec_push(b, (uint8_t)*text))
			return false;
	return vec_push(b, '\n');
}

static int put_texts(const struct instruction_column *t, struct error *e)
{
	html_bytes b = {0};
	bool ok = true;
	int rc;

	for (size_t i = 0; ok && i < t->names.len; i++)
		ok = put_line(&b, t->names.at[i]);
	for (size_t i = 0; ok && i < t->list.len; i++)
		ok = put_line(&b, t->list.at[i].text);
	rc = ok ? html_put_column(t->h->out, "instruction-texts", &b, e) : error_memory(e, b.len);
	vec_free(&b);
	return rc;
}

int html_put_instructions(struct html *h, const struct html_place *lines, size_t n, struct error *e)
{
	struct instruction_column t = {.h = h, .lines = lines, .num_lines = n};
	struct symbolizer_options options = correlate_symbolizer(h->o);
	int rc = procedure_list_init(&t.procedures, &options, e);

	if (rc == 0)
		rc = collect(&t, e);
	if (rc == 0)
		rc = put_numbers(&t, e);
	if (rc == 0)
		rc = put_texts(&t, e);
	if (rc == 0)
		diag_notice(h->p->diag, NULL,
			    "%zu instructions of %zu procedures are in the page, %zu procedures "
			    "were left out",
			    t.list.len, t.named.len, t.left_out);
	procedure_list_deinit(&t.procedures);
	free(t.own);
	vec_free(&t.order);
	vec_free(&t.list);
	vec_free(&t.values);
	vec_free(&t.named);
	vec_free(&t.names);
	return rc;
}
