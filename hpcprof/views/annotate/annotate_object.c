/* The annotate view's instructions, procedure by procedure. */
#include "hpcprof/views/annotate/annotate_object.h"

#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCEDURES = 10 };

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

static bool frame_wanted(const struct annotation *t, uint32_t frame)
{
	for (uint32_t k = t->c->first[frame]; k < t->c->first[frame + 1]; k++)
		if (annotation_wants(t, &t->c->frames.at[k]))
			return true;
	return false;
}

/* ---- procedures ----------------------------------------------------------------------------- */

/* Print why the code of a module cannot be shown. */
static bool print_missing(struct annotation *t, uint32_t module, const struct error *why)
{
	const struct model_module *mod = &t->m->modules.at[module];
	const char *name = layout_clean(&t->arena, mod->name[0] ? mod->name : MODEL_UNKNOWN_MODULE);
	const char *text, *clean = layout_clean(&t->arena, why->text);

	if (!name || !clean)
		return false;
	if (mod->name[0] != '/' && !mod->image)
		text = layout_format(
		    &t->arena, "%s: this code is not in a file, so it cannot be disassembled.",
		    name);
	else
		text = layout_format(&t->arena, "%s: its instructions cannot be shown%s%s.", name,
				     clean[0] ? ": " : "", clean);
	if (text)
		layout_paragraph(t->out, t->o->width, text);
	return text != NULL;
}

/* Append the procedures of one module that have wanted code. */
static int add_module(struct object *o, uint32_t module, const uint64_t *addresses, size_t n,
		      struct error *e)
{
	struct error why;
	int rc = procedure_list_add(&o->procedures, o->t->m, module, addresses, n, &why, e);

	if (rc < 0)
		return -1;
	return rc || print_missing(o->t, module, &why) ? 0 : error_memory(e, 0);
}

/* Print a message for each module whose wanted code came with names instead of addresses. */
static int print_named(struct object *o, struct error *e)
{
	const struct model *m = o->t->m;
	bool *told = calloc(m->modules.len + 1, sizeof *told), ok = told != NULL;

	for (uint32_t f = 0; ok && f < m->frames.len; f++) {
		uint32_t module = m->frames.at[f].module;
		const char *name;
		if (m->frames.at[f].role < FRAME_ADDRESSED || told[module] ||
		    !frame_wanted(o->t, f))
			continue;
		told[module] = true;
		name = layout_clean(&o->t->arena, m->modules.at[module].name);
		name = name ? layout_format(&o->t->arena,
					    "%s: the profile has no addresses of this code, so it "
					    "cannot be disassembled.",
					    name)
			    : NULL;
		ok = name != NULL;
		if (ok)
			layout_paragraph(o->t->out, o->t->o->width, name);
	}
	free(told);
	return ok ? 0 : error_memory(e, m->modules.len);
}

static int find_procedures(struct object *o, struct error *e)
{
	const struct model *m = o->t->m;
	uint64_t *addresses = calloc(m->frames.len + 1, sizeof *addresses);
	int rc = 0;

	if (!addresses)
		return error_memory(e, m->frames.len * sizeof *addresses);
	for (uint32_t module = 0; rc == 0 && module < m->modules.len; module++) {
		uint32_t first = m->modules.at[module].first_frame;
		size_t n = 0;
		for (uint32_t f = first; f < first + m->modules.at[module].num_frames; f++)
			if (frame_wanted(o->t, f))
				addresses[n++] = m->frames.at[f].address;
		qsort(addresses, n, sizeof *addresses, by_value);
		if (n)
			rc = add_module(o, module, addresses, n, e);
	}
	free(addresses);
	return rc;
}

/* Set the procedure of each frame. All code of a procedure is shown with its values. */
static void assign_frames(struct object *o)
{
	uint32_t none = (uint32_t)o->procedures.at.len;

	for (uint32_t f = 0; f < o->t->m->frames.len; f++) {
		o->procedure_of[f] = procedure_list_find(&o->procedures, &o->t->m->frames.at[f]);
		if (o->procedure_of[f] == none && !frame_wanted(o->t, f))
			o->procedure_of[f] = ATTRIBUTE_NO_ROW;
	}
}

/* A machine instruction counts once, even if several functions were inlined there. */
static bool is_innermost(const struct object *o, const struct occurrence *at)
{
	return at->code == &o->t->c->frames.at[o->t->c->first[at->frame]];
}

static uint32_t row_of_procedure(void *context, const struct occurrence *at)
{
	const struct object *o = context;
	return is_innermost(o, at) ? o->procedure_of[at->frame] : ATTRIBUTE_NO_ROW;
}

static uint32_t row_of_step(void *context, const struct occurrence *at)
{
	const struct object *o = context;
	return is_innermost(o, at) ? o->row_of[at->frame] : ATTRIBUTE_NO_ROW;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int by_sums(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct object *o = context;
	const struct instructions *x = &o->procedures.at.at[a], *y = &o->procedures.at.at[b];
	size_t n = o->t->columns.len;
	int c;

	for (size_t i = 0; i < n; i++)
		if (o->sums.exclusive[a * n + i] != o->sums.exclusive[b * n + i])
			return o->sums.exclusive[a * n + i] > o->sums.exclusive[b * n + i] ? -1 : 1;
	c = strcmp(o->t->m->modules.at[x->module].name, o->t->m->modules.at[y->module].name);
	return c ? c : x->code.low < y->code.low ? -1 : x->code.low > y->code.low;
}

/* Disassemble the chosen procedures and attribute values to their instructions. */
static int fill(struct object *o, const uint32_t *chosen, size_t n, struct error *e)
{
	const struct model *m = o->t->m;
	uint32_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		struct instructions *p = &o->procedures.at.at[chosen[i]];
		if (instructions_read(&o->procedures, m, p, &o->t->arena, e) != 0)
			return -1;
		o->first[chosen[i]] = rows;
		rows += (uint32_t)p->list.len;
	}
	o->marks = calloc(rows + 1, sizeof *o->marks);
	if (!o->marks)
		return error_memory(e, rows);
	for (uint32_t f = 0; f < m->frames.len; f++) {
		uint32_t at = o->procedure_of[f];
		o->row_of[f] = ATTRIBUTE_NO_ROW;
		if (at < o->procedures.at.len && o->procedures.at.at[at].list.len)
			o->row_of[f] = o->first[at] + instructions_at(&o->procedures.at.at[at],
								      m->frames.at[f].address);
	}
	return attribute_rows(m, o->t->c, o->t->columns.values, o->t->columns.len, rows,
			      row_of_step, o, &o->rows, e);
}

static int print_all(struct object *o, uint32_t *order, struct error *e)
{
	struct annotation *t = o->t;
	size_t n = 0, most = MOST_PROCEDURES, shown;

	if (t->o->rows)
		most = t->o->rows;
	for (uint32_t i = 0; i < o->procedures.at.len; i++)
		if (object_any(o, object_values(o, o->sums.inclusive, i)))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_sums, o);
	shown = n < most ? n : most;
	if (fill(o, order, shown, e) != 0)
		return -1;
	for (size_t i = 0; i < shown; i++)
		if (!annotate_listing(o, order[i]))
			return error_memory(e, 0);
	if (shown < n)
		fprintf(t->out, "\n  ... and %zu more procedure%s (-n)\n", n - shown,
			n - shown == 1 ? "" : "s");
	return 0;
}

static void deinit(struct object *o)
{
	procedure_list_deinit(&o->procedures);
	for (size_t i = 0; i < o->tried.len; i++)
		source_text_free(&o->tried.at[i].text);
	vec_free(&o->tried);
	free(o->procedure_of);
	free(o->row_of);
	free(o->first);
	free(o->marks);
	free(o->sums.exclusive);
	free(o->sums.inclusive);
	free(o->rows.exclusive);
	free(o->rows.inclusive);
}

int annotate_object(struct annotation *t, struct error *e)
{
	struct object o = {.t = t};
	struct symbolizer_options options = {.sysroot = t->o->sysroot,
					     .debug_dirs = t->o->debug_dirs.at,
					     .num_debug_dirs = t->o->debug_dirs.len};
	size_t frames = t->m->frames.len + 1;
	uint32_t *order = NULL;
	int rc = procedure_list_init(&o.procedures, &options, e);

	o.procedure_of = calloc(frames, sizeof *o.procedure_of);
	o.row_of = calloc(frames, sizeof *o.row_of);
	if (rc == 0 && (!o.procedure_of || !o.row_of))
		rc = error_memory(e, frames * sizeof *o.row_of);
	if (rc == 0)
		rc = print_named(&o, e);
	if (rc == 0)
		rc = find_procedures(&o, e);
	if (rc == 0) {
		o.first = calloc(o.procedures.at.len + 1, sizeof *o.first);
		rc = o.first ? 0 : error_memory(e, o.procedures.at.len);
	}
	if (rc == 0) {
		assign_frames(&o);
		rc = attribute_rows(t->m, t->c, t->columns.values, t->columns.len,
				    o.procedures.at.len + 1, row_of_procedure, &o, &o.sums, e);
	}
	if (rc == 0) {
		order = calloc(o.procedures.at.len + 1, sizeof *order);
		rc = order ? print_all(&o, order, e) : error_memory(e, o.procedures.at.len);
	}
	free(order);
	deinit(&o);
	return rc;
}
