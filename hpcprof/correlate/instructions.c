#include "hpcprof/correlate/instructions.h"

#include "formats/base/search.h"
#include "hpcprof/correlate/correlate.h"
#include "hpcprof/correlate/disassemble.h"
#include "hpcprof/terminal/layout.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- procedures ----------------------------------------------------------------------------- */

int procedure_list_init(struct procedure_list *l, const struct symbolizer_options *options,
			struct error *e)
{
	struct symbolizer_options of_images = *options;

	/* images were saved beside a datafile */
	of_images.sysroot = NULL;
	l->modules = symbolizer_create(options);
	l->images = symbolizer_create(&of_images);
	return l->modules && l->images ? 0 : error_memory(e, 0);
}

void procedure_list_deinit(struct procedure_list *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->at.len; i++) {
		procedure_free(&l->at.at[i].code);
		instructions_forget(&l->at.at[i]);
	}
	vec_free(&l->at);
	symbolizer_destroy(l->modules);
	symbolizer_destroy(l->images);
}

int procedure_list_add(struct procedure_list *l, const struct model *m, uint32_t module,
		       const uint64_t *addresses, size_t n, struct error *why, struct error *e)
{
	bool image, ok = true, missed;
	struct symbolize_request q = correlate_request(&m->modules.at[module], &image);
	struct procedures found;

	q.addresses = addresses;
	q.num_addresses = n;
	if (procedures_read(image ? l->images : l->modules, &q, &found, why) != 0)
		return error_memory(e, n);
	missed = found.missed != 0;
	for (size_t i = 0; ok && i < found.len; i++) {
		struct instructions one = {.module = module,
					   .code = found.at[i],
					   .machine = found.machine,
					   .big = found.big};
		ok = vec_push(&l->at, one);
		if (ok)
			found.at[i].bytes = NULL, found.at[i].symbol = NULL;
	}
	procedures_free(&found);
	return ok ? !missed : error_memory(e, sizeof(struct instructions));
}

uint32_t procedure_list_find(const struct procedure_list *l, const struct model_frame *f)
{
	const struct instructions *all = l->at.at;
	size_t n = l->at.len;
	size_t at = SEARCH_FIRST(i, 0, n,
				 all[i].module > f->module ||
				     (all[i].module == f->module && all[i].code.high > f->address));

	if (at < n && f->role < FRAME_ADDRESSED && all[at].module == f->module &&
	    all[at].code.low <= f->address)
		return (uint32_t)at;
	return (uint32_t)n;
}

/* ---- instructions --------------------------------------------------------------------------- */

static bool is_inside(const struct instructions *i, uint64_t address)
{
	return address >= i->code.low && address < i->code.high;
}

static int disassemble_all(struct instructions *p, struct arena *arena, struct error *e)
{
	struct disassembler *d = disassembler_create(p->machine, p->big, e);
	uint64_t at = p->code.low;
	bool ok = d != NULL;

	if (!d)
		return -1;
	while (ok && at < p->code.high) {
		struct instruction i = {0};
		struct listed_instruction one;
		disassemble(d, p->code.bytes + (at - p->code.low), p->code.high - at, at, &i);
		one = (struct listed_instruction){.address = at,
						  .target = i.target,
						  .text = layout_clean(arena, i.text),
						  .flow = i.flow,
						  .reads = i.reads,
						  .writes = i.writes};
		ok = one.text && vec_push(&p->list, one);
		at += i.size;
	}
	disassembler_destroy(d);
	return ok ? 0 : error_memory(e, sizeof(struct listed_instruction));
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
	return a < b ? -1 : a > b;
}

/* Resolve the instructions, and targets elsewhere: their addresses, distinct and sorted. */
static int resolve(struct procedure_list *l, const struct model *m, struct instructions *p,
		   uint64_t *addresses, size_t *num, struct error *e)
{
	bool image;
	struct symbolize_request q = correlate_request(&m->modules.at[p->module], &image);
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < p->list.len; i++) {
		uint64_t target = p->list.at[i].target;
		addresses[n++] = p->list.at[i].address;
		if (target && !is_inside(p, target))
			addresses[n++] = target;
	}
	qsort(addresses, n, sizeof *addresses, by_value);
	for (size_t i = 0; i < n; i++)
		if (!i || addresses[i] != addresses[kept - 1])
			addresses[kept++] = addresses[i];
	q.addresses = addresses;
	q.num_addresses = kept;
	*num = kept;
	return symbolize_module(image ? l->images : l->modules, &q, &p->symbols, e);
}

/* Where in the sorted addresses one of them is. */
static size_t place_of(const uint64_t *addresses, size_t n, uint64_t address)
{
	const uint64_t *hit = bsearch(&address, addresses, n, sizeof *addresses, by_value);

	return (size_t)(hit - addresses);
}

/* The text with the name of the target; NULL if memory ran out. */
static const char *with_target(const struct instructions *p, const struct listed_instruction *i,
			       size_t place, struct arena *arena)
{
	const struct symbol_table *t = &p->symbols;
	const char *name;

	if (is_inside(p, i->target))
		return layout_format(arena, "%s <+0x%" PRIx64 ">", i->text,
				     i->target - p->code.low);
	name = layout_clean(arena, t->frames[t->first[place + 1] - 1].function->name);
	return name ? layout_format(arena, "%s <%s>", i->text, name) : NULL;
}

static int name_all(struct procedure_list *l, const struct model *m, struct instructions *p,
		    struct arena *arena, struct error *e)
{
	uint64_t *addresses = calloc(2 * p->list.len + 1, sizeof *addresses);
	size_t n = 0;
	int rc = addresses ? resolve(l, m, p, addresses, &n, e)
			   : error_memory(e, 2 * p->list.len * sizeof *addresses);

	for (size_t i = 0; rc == 0 && i < p->list.len; i++) {
		struct listed_instruction *one = &p->list.at[i];
		size_t k = place_of(addresses, n, one->address);
		one->frames = p->symbols.frames + p->symbols.first[k];
		one->num_frames = p->symbols.first[k + 1] - p->symbols.first[k];
		if (!one->target)
			continue;
		k = is_inside(p, one->target) ? 0 : place_of(addresses, n, one->target);
		one->text = with_target(p, one, k, arena);
		if (!one->text)
			rc = error_memory(e, 0);
	}
	free(addresses);
	return rc;
}

int instructions_read(struct procedure_list *l, const struct model *m, struct instructions *i,
		      struct arena *arena, struct error *e)
{
	int rc = disassemble_all(i, arena, e);

	return rc == 0 ? name_all(l, m, i, arena, e) : rc;
}

uint32_t instructions_at(const struct instructions *i, uint64_t address)
{
	size_t after = SEARCH_FIRST(k, 0, i->list.len, i->list.at[k].address > address);

	return after ? (uint32_t)after - 1 : 0;
}

void instructions_forget(struct instructions *i)
{
	vec_free(&i->list);
	symbol_table_free(&i->symbols);
}
