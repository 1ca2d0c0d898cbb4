/* The annotate view's instructions, procedure by procedure. */
#include "hpcprof/views/annotate/annotate_object.h"

#include "hpcprof/terminal/layout.h"

#include <stdlib.h>

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
	int rc = procedure_list_add(&o->of.procedures, o->t->m, module, addresses, n, &why, e);

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

static bool is_wanted(const void *annotation, uint32_t frame)
{
	return frame_wanted(annotation, frame);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool has_values(const struct procedure_rows *r, const void *unused, uint32_t procedure)
{
	(void)unused;
	return procedure_rows_any(r, procedure_rows_values(r, r->sums.inclusive, procedure));
}

static int print_all(struct object *o, struct error *e)
{
	struct annotation *t = o->t;
	size_t n, most = t->o->rows ? t->o->rows : MOST_PROCEDURES, shown;
	uint32_t *order = procedure_rows_order(&o->of, has_values, NULL, &n, e);
	int rc;

	if (!order)
		return -1;
	shown = n < most ? n : most;
	rc = procedure_rows_read(&o->of, order, shown, &t->arena, e);
	o->marks = calloc(o->of.num_rows + (size_t)1, sizeof *o->marks);
	if (rc == 0 && !o->marks)
		rc = error_memory(e, o->of.num_rows);
	for (size_t i = 0; rc == 0 && i < shown; i++)
		if (!annotate_listing(o, order[i]))
			rc = error_memory(e, 0);
	if (rc == 0 && shown < n)
		fprintf(t->out, "\n  ... and %zu more procedure%s (-n)\n", n - shown,
			n - shown == 1 ? "" : "s");
	free(order);
	return rc;
}

static void deinit(struct object *o)
{
	procedure_rows_deinit(&o->of);
	for (size_t i = 0; i < o->tried.len; i++)
		source_text_free(&o->tried.at[i].text);
	vec_free(&o->tried);
	free(o->marks);
}

int annotate_object(struct annotation *t, struct error *e)
{
	struct object o = {.t = t, .of = {.m = t->m, .c = t->c, .columns = &t->columns}};
	struct symbolizer_options options = correlate_symbolizer(t->o);
	int rc = procedure_list_init(&o.of.procedures, &options, e);

	if (rc == 0)
		rc = print_named(&o, e);
	if (rc == 0)
		rc = find_procedures(&o, e);
	if (rc == 0)
		rc = procedure_rows_sum(&o.of, is_wanted, t, e);
	if (rc == 0)
		rc = print_all(&o, e);
	deinit(&o);
	return rc;
}
