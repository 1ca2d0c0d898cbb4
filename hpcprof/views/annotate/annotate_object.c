/* The annotate view's instructions, procedure by procedure. */
#include "hpcprof/views/annotate/annotate_object.h"

#include "formats/base/search.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/views/annotate/disassemble.h"

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

/* Append listings for the procedures of one module that have wanted code. */
static int add_module(struct object *o, uint32_t module, const uint64_t *addresses, size_t n,
		      struct error *e)
{
	bool image, ok = true;
	struct symbolize_request q = correlate_request(&o->t->m->modules.at[module], &image);
	struct procedures found;
	struct error why;

	q.addresses = addresses;
	q.num_addresses = n;
	if (procedures_read(image ? o->images : o->modules, &q, &found, &why) != 0)
		return error_memory(e, n);
	if (found.missed)
		ok = print_missing(o->t, module, &why);
	for (size_t i = 0; ok && i < found.len; i++) {
		struct listing l = {.module = module,
				    .code = found.at[i],
				    .machine = found.machine,
				    .big = found.big};
		ok = vec_push(&o->listings, l);
		if (ok)
			found.at[i].bytes = NULL;
	}
	procedures_free(&found);
	return ok ? 0 : error_memory(e, sizeof(struct listing));
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

/* Find the listing of a frame. Listings are in the order of modules and addresses. */
static uint32_t find_listing(const struct object *o, const struct model_frame *f)
{
	const struct listing *all = o->listings.at;
	size_t n = o->listings.len;
	size_t at = SEARCH_FIRST(i, 0, n,
				 all[i].module > f->module ||
				     (all[i].module == f->module && all[i].code.high > f->address));

	if (at < n && f->role < FRAME_ADDRESSED && all[at].module == f->module &&
	    all[at].code.low <= f->address)
		return (uint32_t)at;
	return (uint32_t)n;
}

/* Set the listing of each frame. All code of a procedure is shown with its values. */
static void assign_frames(struct object *o)
{
	uint32_t none = (uint32_t)o->listings.len;

	for (uint32_t f = 0; f < o->t->m->frames.len; f++) {
		o->listing_of[f] = find_listing(o, &o->t->m->frames.at[f]);
		if (o->listing_of[f] == none && !frame_wanted(o->t, f))
			o->listing_of[f] = ATTRIBUTE_NO_ROW;
	}
}

/* A machine instruction counts once, even if several functions were inlined there. */
static bool is_innermost(const struct object *o, const struct occurrence *at)
{
	return at->code == &o->t->c->frames.at[o->t->c->first[at->frame]];
}

static uint32_t row_of_listing(void *context, const struct occurrence *at)
{
	const struct object *o = context;
	return is_innermost(o, at) ? o->listing_of[at->frame] : ATTRIBUTE_NO_ROW;
}

static uint32_t row_of_step(void *context, const struct occurrence *at)
{
	const struct object *o = context;
	return is_innermost(o, at) ? o->row_of[at->frame] : ATTRIBUTE_NO_ROW;
}

/* ---- instructions --------------------------------------------------------------------------- */

static int disassemble_listing(struct object *o, struct listing *l, struct error *e)
{
	struct disassembler *d = disassembler_create(l->machine, l->big, e);
	uint64_t at = l->code.low;
	bool ok = d != NULL;

	if (!d)
		return -1;
	while (ok && at < l->code.high) {
		struct instruction i = {0};
		struct object_step s = {0};
		disassemble(d, l->code.bytes + (at - l->code.low), l->code.high - at, at, &i);
		s.address = at;
		s.target = i.target;
		s.text = layout_clean(&o->t->arena, i.text);
		ok = s.text && vec_push(&l->steps, s);
		at += i.size;
	}
	disassembler_destroy(d);
	return ok ? 0 : error_memory(e, sizeof(struct object_step));
}

static bool is_inside(const struct listing *l, uint64_t address)
{
	return address >= l->code.low && address < l->code.high;
}

/* Find names and lines of the instructions, and of their call targets elsewhere. */
static int name_steps(struct object *o, struct listing *l, struct error *e)
{
	bool image;
	struct symbolize_request q = correlate_request(&o->t->m->modules.at[l->module], &image);
	uint64_t *addresses = calloc(2 * l->steps.len + 1, sizeof *addresses);
	size_t n = 0, kept = 0;
	int rc;

	if (!addresses)
		return error_memory(e, 2 * l->steps.len * sizeof *addresses);
	for (size_t i = 0; i < l->steps.len; i++) {
		addresses[n++] = l->steps.at[i].address;
		if (l->steps.at[i].target && !is_inside(l, l->steps.at[i].target))
			addresses[n++] = l->steps.at[i].target;
	}
	qsort(addresses, n, sizeof *addresses, by_value);
	for (size_t i = 0; i < n; i++)
		if (!i || addresses[i] != addresses[kept - 1])
			addresses[kept++] = addresses[i];
	q.addresses = addresses;
	q.num_addresses = kept;
	rc = symbolize_module(image ? o->images : o->modules, &q, &l->symbols, e);
	for (size_t i = 0; rc == 0 && i < l->steps.len; i++) {
		struct object_step *s = &l->steps.at[i];
		const uint64_t *hit =
		    bsearch(&s->address, addresses, kept, sizeof *addresses, by_value);
		const struct symbol_table *t = &l->symbols;
		size_t k = (size_t)(hit - addresses);
		s->frames = t->frames + t->first[k];
		s->num_frames = t->first[k + 1] - t->first[k];
		if (!s->target)
			continue;
		if (is_inside(l, s->target)) {
			s->text = layout_format(&o->t->arena, "%s <+0x%" PRIx64 ">", s->text,
						s->target - l->code.low);
		} else {
			hit = bsearch(&s->target, addresses, kept, sizeof *addresses, by_value);
			k = (size_t)(hit - addresses);
			s->text = layout_format(
			    &o->t->arena, "%s <%s>", s->text,
			    layout_clean(&o->t->arena,
					 t->frames[t->first[k + 1] - 1].function->name));
		}
		if (!s->text)
			rc = error_memory(e, 0);
	}
	free(addresses);
	return rc;
}

/* The instruction that contains an address. */
static uint32_t step_at(const struct listing *l, uint64_t address)
{
	size_t after = SEARCH_FIRST(i, 0, l->steps.len, l->steps.at[i].address > address);

	return after ? (uint32_t)after - 1 : 0;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static int by_sums(const void *pa, const void *pb, void *context)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct object *o = context;
	const struct listing *x = &o->listings.at[a], *y = &o->listings.at[b];
	size_t n = o->t->columns.len;
	int c;

	for (size_t i = 0; i < n; i++)
		if (o->sums.exclusive[a * n + i] != o->sums.exclusive[b * n + i])
			return o->sums.exclusive[a * n + i] > o->sums.exclusive[b * n + i] ? -1 : 1;
	c = strcmp(o->t->m->modules.at[x->module].name, o->t->m->modules.at[y->module].name);
	return c ? c : x->code.low < y->code.low ? -1 : x->code.low > y->code.low;
}

/* Disassemble the chosen listings and attribute values to their instructions. */
static int fill(struct object *o, const uint32_t *chosen, size_t n, struct error *e)
{
	const struct model *m = o->t->m;
	uint32_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		struct listing *l = &o->listings.at[chosen[i]];
		if (disassemble_listing(o, l, e) != 0 || name_steps(o, l, e) != 0)
			return -1;
		l->first = rows;
		rows += (uint32_t)l->steps.len;
	}
	for (uint32_t f = 0; f < m->frames.len; f++) {
		uint32_t at = o->listing_of[f];
		o->row_of[f] = ATTRIBUTE_NO_ROW;
		if (at < o->listings.len && o->listings.at[at].steps.len)
			o->row_of[f] = o->listings.at[at].first +
				       step_at(&o->listings.at[at], m->frames.at[f].address);
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
	for (uint32_t i = 0; i < o->listings.len; i++)
		if (object_any(o, object_values(o, o->sums.inclusive, i)))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_sums, o);
	shown = n < most ? n : most;
	if (fill(o, order, shown, e) != 0)
		return -1;
	for (size_t i = 0; i < shown; i++)
		if (!annotate_listing(o, &o->listings.at[order[i]], order[i]))
			return error_memory(e, 0);
	if (shown < n)
		fprintf(t->out, "\n  ... and %zu more procedure%s (-n)\n", n - shown,
			n - shown == 1 ? "" : "s");
	return 0;
}

static void deinit(struct object *o)
{
	for (size_t i = 0; i < o->listings.len; i++) {
		free(o->listings.at[i].code.bytes);
		vec_free(&o->listings.at[i].steps);
		symbol_table_free(&o->listings.at[i].symbols);
	}
	vec_free(&o->listings);
	for (size_t i = 0; i < o->tried.len; i++)
		source_text_free(&o->tried.at[i].text);
	vec_free(&o->tried);
	free(o->listing_of);
	free(o->row_of);
	free(o->sums.exclusive);
	free(o->sums.inclusive);
	free(o->rows.exclusive);
	free(o->rows.inclusive);
	symbolizer_destroy(o->modules);
	symbolizer_destroy(o->images);
}

int annotate_object(struct annotation *t, struct error *e)
{
	struct object o = {.t = t};
	struct symbolizer_options options = {.sysroot = t->o->sysroot,
					     .debug_dirs = t->o->debug_dirs.at,
					     .num_debug_dirs = t->o->debug_dirs.len};
	size_t frames = t->m->frames.len + 1;
	uint32_t *order = NULL;
	int rc = 0;

	o.modules = symbolizer_create(&options);
	options.sysroot = NULL;
	o.images = symbolizer_create(&options);
	o.listing_of = calloc(frames, sizeof *o.listing_of);
	o.row_of = calloc(frames, sizeof *o.row_of);
	if (!o.modules || !o.images || !o.listing_of || !o.row_of) {
		error_memory(e, frames * sizeof *o.row_of);
		rc = -1;
	}
	if (rc == 0)
		rc = print_named(&o, e);
	if (rc == 0)
		rc = find_procedures(&o, e);
	if (rc == 0) {
		assign_frames(&o);
		rc = attribute_rows(t->m, t->c, t->columns.values, t->columns.len,
				    o.listings.len + 1, row_of_listing, &o, &o.sums, e);
	}
	if (rc == 0) {
		order = calloc(o.listings.len + 1, sizeof *order);
		rc = order ? print_all(&o, order, e) : error_memory(e, o.listings.len);
	}
	free(order);
	deinit(&o);
	return rc;
}
