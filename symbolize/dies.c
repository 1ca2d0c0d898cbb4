#include "symbolize/abbreviations.h"
#include "symbolize/attributes.h"
#include "symbolize/demangle.h"
#include "symbolize/die_walk.h"
#include "symbolize/qualified.h"
#include "symbolize/unit.h"

#include <string.h>

/* What clang adds to an inlined call; <dwarf.h> of elfutils does not have it. */
enum { AT_GNU_DISCRIMINATOR = 0x2136 };

/* Longer chains of abstract origins and specifications are loops. */
enum { CHAIN_MAX = 16 };

/* Steps for a range, and for one that is kept. */
enum { STEPS_PER_RANGE = 16, STEPS_PER_KEPT_RANGE = 16, STEPS_PER_SCOPE = 64 };

struct scope_walk {
	struct unit *u;
	bool everywhere;
};

/* The description of a function, collected from a concrete or inlined DIE, its abstract origin and
 * its specification. */
struct description {
	const char *name, *linkage;
	Dwarf_Die named; /* which name is from */
	const char *file;
	uint32_t line;
	bool external; /* other units can call it */
};

/* The code of a DIE. */
struct die_code {
	bool any;            /* it has code */
	bool hit;            /* a pending address is in it */
	uint64_t entry, low; /* its entry point, and its lowest address */
};

static bool same_unit(Dwarf_Die *a, Dwarf_Die *b)
{
	return a->cu == b->cu;
}

bool unit_reference(struct unit *u, Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
{
	Dwarf_Attribute a;
	return dwarf_formref_die(dwarf_attr(die, attribute, &a), to) &&
	       (to->cu == die->cu || abbreviations_pay(u->abbreviations, to));
}

bool unit_origin(struct unit *u, Dwarf_Die *die, Dwarf_Die *origin)
{
	return unit_reference(u, die, DW_AT_abstract_origin, origin) ||
	       unit_reference(u, die, DW_AT_specification, origin);
}

int unit_die_file(struct unit *u, Dwarf_Die *die, uint64_t number, const char **path)
{
	if (same_unit(die, &u->die))
		return unit_file(u, number, path);
	/* The abstract function is in another unit and uses that unit's file numbers. */
	return unit_other_file(u, die, number, path);
}

static int describe(struct unit *u, Dwarf_Die die, struct description *d)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		uint64_t number;
		if (!d->linkage)
			d->linkage = die_string(&die, DW_AT_linkage_name);
		if (!d->linkage)
			d->linkage = die_string(&die, DW_AT_MIPS_linkage_name);
		if (!d->name && (d->name = die_string(&die, DW_AT_name)))
			d->named = die;
		if (!d->line)
			d->line = die_position(&die, DW_AT_decl_line);
		if (!d->file && die_number(&die, DW_AT_decl_file, &number) &&
		    unit_die_file(u, &die, number, &d->file) != 0)
			return -1;
		d->external |= die_flag(&die, DW_AT_external);
		Dwarf_Die origin;
		if (!unit_origin(u, &die, &origin))
			break;
		die = origin;
	}
	return 0;
}

static bool remember(struct origins *o, const Dwarf_Die *die, struct function_record *function)
{
	if (!vec_reserve(&o->functions, o->functions.len + 1) ||
	    interner_insert(&o->dies, (uintptr_t)die->addr) == INTERNER_NONE)
		return false;
	o->functions.at[o->functions.len++] = function;
	return true;
}

/* Whether the symbol at a function's entry is of a destructor that also frees the object. DWARF
 * does not tell it from the other variants if it has no linkage name. */
static bool is_deleting(const struct dwarf_pass *p, uint64_t entry)
{
	const struct code_symbol *sym = entry ? symbols_find(p->symbols, entry) : NULL;
	return sym && sym->low == entry && work_pay_text(p->work, sym->name) &&
	       demangle_is_deleting(sym->name);
}

/* The record of the function that die is a copy of; *out is NULL if it has no name. entry: of an
 * out-of-line copy, else 0. */
static int function_of(struct unit *u, Dwarf_Die *die, uint64_t entry, struct function_record **out)
{
	struct dwarf_pass *p = u->pass;
	Dwarf_Die origin;
	/* The copies of a destructor, which have linkage names of their own, are functions. */
	bool linked =
	    die_string(die, DW_AT_linkage_name) || die_string(die, DW_AT_MIPS_linkage_name);
	bool deleting = !linked && is_deleting(p, entry);
	bool cached = !linked && !deleting && unit_origin(u, die, &origin);
	uint32_t known =
	    cached ? interner_find(&u->origins->dies, (uintptr_t)origin.addr) : INTERNER_NONE;
	*out = known != INTERNER_NONE ? u->origins->functions.at[known] : NULL;
	if (*out)
		return 0;
	struct description d = {0};
	if (describe(u, *die, &d) != 0)
		return -1;
	struct symbol_function wanted = {.file = d.file, .line = d.line, .source = SYMBOL_DWARF};
	if (!work_pay_text(p->work, d.linkage) || !work_pay_text(p->work, d.name))
		return 0;
	/* One that other units can call without a linkage name is extern "C". */
	if (!d.linkage && d.name && !d.external && qualified_name(u, &d.named, &wanted.name) != 0)
		return -1;
	if (wanted.name &&
	    !(wanted.short_name = symbol_names_intern(p->names, d.name, strlen(d.name))))
		return -1;
	if (!d.linkage)
		d.linkage = d.name;
	if (!d.linkage)
		return 0;
	if (wanted.name && deleting &&
	    !(wanted.name = symbol_names_format(p->names, "%s [deleting]", wanted.name)))
		return -1;
	if (wanted.name)
		wanted.linkage_name = wanted.name;
	else
		wanted.name = symbol_names_demangle(p->names, d.linkage, &wanted.linkage_name);
	if (!wanted.name)
		return -1;
	*out = functions_get(p->functions, &wanted);
	return *out && (!cached || remember(u->origins, &origin, *out)) ? 0 : -1;
}

static int new_scope(struct unit *u, Dwarf_Die *die, bool inlined, uint32_t parent,
		     const struct die_code *code, uint32_t *scope)
{
	struct dwarf_pass *p = u->pass;
	struct scope s = {.parent = inlined ? parent : SCOPE_NONE};
	struct function_record *function;
	uint64_t number;
	if (function_of(u, die, inlined ? 0 : code->entry, &function) != 0)
		return -1;
	*scope = parent;
	if (!function)
		return 0; /* no name: counts as part of its parent */
	if (!work_pay(p->work, STEPS_PER_SCOPE))
		return 0;
	s.function = &function->f;
	if (!inlined)
		functions_add_copy(function, code->entry, code->low);
	if (inlined) {
		s.call_line = die_position(die, DW_AT_call_line);
		s.call_discriminator = die_position(die, AT_GNU_DISCRIMINATOR) & INT32_MAX;
		if (die_number(die, DW_AT_call_file, &number) &&
		    unit_file(u, number, &s.call_file) != 0)
			return -1;
	}
	if (p->num_scopes >= SCOPE_NONE)
		return -1;
	if (p->num_scopes == p->cap_scopes &&
	    !vec_grow((void **)&p->scopes, &p->cap_scopes, p->num_scopes + 1, sizeof s))
		return -1;
	*scope = (uint32_t)p->num_scopes;
	p->scopes[p->num_scopes++] = s;
	return 0;
}

/* Read the ranges of a DIE. With keep, append those with pending addresses to u->ranges. DIEs can
 * share their ranges. */
static int read_ranges(struct unit *u, Dwarf_Die *die, bool keep, struct die_code *code)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;
	*code = (struct die_code){0};
	while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0 &&
	       work_pay(u->pass->work, STEPS_PER_RANGE)) {
		if (!code->any)
			code->entry = code->low = begin;
		code->any = true;
		if (begin && begin < code->low)
			code->low = begin;
		if (!unit_wants(u, begin, end))
			continue;
		code->hit = true;
		struct scope_range range = {begin, end, SCOPE_NONE};
		if (!keep)
			continue;
		if (!work_pay(u->pass->work, STEPS_PER_KEPT_RANGE))
			break;
		if (!vec_push(&u->ranges, range))
			return -1;
	}
	return 0;
}

/* Visit a DIE in the scope outer. Sets *scope to the scope of its children. */
static int visit(void *context, Dwarf_Die *die, uint32_t outer, uint32_t *scope)
{
	const struct scope_walk *w = context;
	struct unit *u = w->u;
	size_t first = u->ranges.len;
	struct die_code code;
	int tag = dwarf_tag(die);
	*scope = outer;
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_entry_point:
		if (read_ranges(u, die, true, &code) != 0)
			return -1;
		if (!code.hit) {
			*scope = SCOPE_NONE;
			return w->everywhere;
		}
		if (new_scope(u, die, tag == DW_TAG_inlined_subroutine, outer, &code, scope) != 0)
			return -1;
		if (*scope == SCOPE_NONE)
			u->ranges.len = first;
		for (size_t i = first; i < u->ranges.len; i++)
			u->ranges.at[i].scope = *scope;
		return 1;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (read_ranges(u, die, false, &code) != 0)
			return -1;
		return w->everywhere || code.hit || !code.any;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return 1;
	default:
		return w->everywhere;
	}
}

int unit_walk(struct unit *u, bool everywhere)
{
	struct scope_walk w = {u, everywhere};
	const struct die_visitor v = {.visit = visit, .context = &w};
	return die_walk(u->pass->work, &u->die, SCOPE_NONE, &v);
}
