#include "symbolize/dwarf.h"

#include "formats/base/search.h"
#include "symbolize/abbreviations.h"
#include "symbolize/enclosing.h"
#include "symbolize/split_file.h"
#include "symbolize/unit.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* The addresses [first, last) of the pass are in the unit whose DIE is at offset unit. */
struct claim {
	Dwarf_Off unit;
	size_t first, last;
};

/* Steps for a range of a unit, and for an address that is tried in a unit. An address is tried in
 * at most so many units: that they claim the same code is rare. */
enum { STEPS_PER_CLAIM = 8, STEPS_PER_TRY = 8, TRIES_MAX = 8 };

struct resolver {
	struct dwarf_pass *pass;
	VEC(struct extent) text;
	VEC(struct claim) claims;
	VEC(size_t) pending;
	VEC(size_t) unresolved;
	VEC(uint32_t) stack;
	/* Of each address: itself while it is to be resolved, else one behind it (see next_open);
	 * and how many units were tried for it. */
	size_t *open;
	uint8_t *tries;
	struct origins origins;
	struct enclosing enclosing;
	struct interner tried; /* units that were tried, by the offset of their DIE */
	struct line_sections sections;
	struct other_tables other_tables;
	struct abbreviations abbreviations;
	struct split_files split_files;
	struct unit unit; /* its arrays are reused for the next unit */
};

size_t unit_lower_bound(const struct unit *u, size_t first, uint64_t address)
{
	return SEARCH_FIRST(i, first, u->num_pending, u->pass->addresses[u->pending[i]] >= address);
}

static bool is_text(const struct extent *text, size_t n, uint64_t address)
{
	size_t i = SEARCH_FIRST(k, 0, n, text[k].high > address);
	return i < n && text[i].low <= address;
}

bool unit_is_text(const struct unit *u, uint64_t address)
{
	return is_text(u->text, u->num_text, address);
}

bool unit_wants(const struct unit *u, uint64_t low, uint64_t high)
{
	if (low >= high || !unit_is_text(u, low))
		return false;
	size_t i = unit_lower_bound(u, 0, low);
	return i < u->num_pending && u->pass->addresses[u->pending[i]] < high;
}

static int compare_extents(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* Sort and join those that overlap. */
static void join_text(struct resolver *r)
{
	size_t n = 0;
	if (r->text.len)
		qsort(r->text.at, r->text.len, sizeof *r->text.at, compare_extents);
	for (size_t i = 0; i < r->text.len; i++) {
		const struct extent *e = &r->text.at[i];
		if (e->low >= e->high)
			continue;
		if (n && e->low <= r->text.at[n - 1].high) {
			if (e->high > r->text.at[n - 1].high)
				r->text.at[n - 1].high = e->high;
		} else {
			r->text.at[n++] = *e;
		}
	}
	r->text.len = n;
}

static bool read_text(struct resolver *r)
{
	Elf *elf = dwarf_getelf(r->pass->dwarf);
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem;
		const GElf_Shdr *shdr = gelf_getshdr(section, &mem);
		if (shdr && shdr->sh_flags & SHF_EXECINSTR && shdr->sh_flags & SHF_ALLOC &&
		    !vec_push(&r->text,
			      (struct extent){shdr->sh_addr, shdr->sh_addr + shdr->sh_size}))
			return false;
	}
	join_text(r);
	return true;
}

static size_t lower_bound(const struct dwarf_pass *p, uint64_t address)
{
	return SEARCH_FIRST(i, 0, p->num_addresses, p->addresses[i] >= address);
}

static bool add_claim(struct resolver *r, Dwarf_Off unit, uint64_t low, uint64_t high)
{
	if (low >= high || !is_text(r->text.at, r->text.len, low))
		return true;
	if (!work_pay(r->pass->work, STEPS_PER_CLAIM))
		return true;
	size_t first = lower_bound(r->pass, low), last = first;
	if (first < r->pass->num_addresses && r->pass->addresses[first] < high)
		last = lower_bound(r->pass, high);
	return first == last || vec_push(&r->claims, (struct claim){unit, first, last});
}

static bool claim_by_aranges(struct resolver *r)
{
	Dwarf_Aranges *aranges;
	size_t n;
	if (dwarf_getaranges(r->pass->dwarf, &aranges, &n) != 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Addr low;
		Dwarf_Word length;
		Dwarf_Off unit;
		if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &low, &length, &unit) == 0 &&
		    !add_claim(r, unit, low, low + length))
			return false;
	}
	return true;
}

static bool claim_by_units(struct resolver *r)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	while (dwarf_get_units(r->pass->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		Dwarf_Addr base, low, high;
		ptrdiff_t at = 0;
		while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0 &&
		       work_pay(r->pass->work, STEPS_PER_CLAIM))
			if (!add_claim(r, dwarf_dieoffset(&die), low, high))
				return false;
	}
	return true;
}

static int compare_claims(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct scope_range *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	/* An outer scope has the lower number and comes first. */
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static void sort_ranges(struct unit *u)
{
	for (size_t i = 1; i < u->ranges.len; i++) {
		if (compare_ranges(&u->ranges.at[i - 1], &u->ranges.at[i]) > 0) {
			qsort(u->ranges.at, u->ranges.len, sizeof *u->ranges.at, compare_ranges);
			return;
		}
	}
}

/* Assign to each pending address the innermost scope that contains it, in one sweep. The stack has
 * the ranges that have begun and may not have ended; the one that began last is innermost. Ranges
 * that overlap without nesting do no harm. */
static bool assign_scopes(struct resolver *r)
{
	struct unit *u = &r->unit;
	struct dwarf_pass *p = r->pass;
	size_t next = 0;
	sort_ranges(u);
	r->stack.len = 0;
	for (size_t i = 0; i < u->num_pending; i++) {
		uint64_t address = p->addresses[u->pending[i]];
		for (; next < u->ranges.len && u->ranges.at[next].low <= address; next++)
			if (!vec_push(&r->stack, (uint32_t)next))
				return false;
		while (r->stack.len && u->ranges.at[r->stack.at[r->stack.len - 1]].high <= address)
			r->stack.len--;
		if (r->stack.len)
			p->places[u->pending[i]].scope =
			    u->ranges.at[r->stack.at[r->stack.len - 1]].scope;
	}
	return true;
}

static bool keep_unresolved(struct resolver *r)
{
	r->unresolved.len = 0;
	for (size_t i = 0; i < r->pending.len; i++)
		if (r->pass->places[r->pending.at[i]].scope == SCOPE_NONE &&
		    !vec_push(&r->unresolved, r->pending.at[i]))
			return false;
	return true;
}

/* Count a skeleton whose other part was not found. */
static void count_missing(struct dwarf_pass *p, Dwarf_Die *skeleton, const char *folder)
{
	Dwarf_Attribute a;
	const char *dwo = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &a));
	if (!dwo)
		dwo = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &a));
	if (dwo && !p->missing++) {
		p->folder = folder;
		p->dwo = dwo;
	}
}

static unsigned note_compiler(struct dwarf_pass *p, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &a));
	if (!name || !work_pay_text(p->work, name))
		return 0;
	unsigned compiler = strncmp(name, "GNU ", 4) == 0 ? SYMBOL_BY_GCC
			    : strstr(name, "clang")       ? SYMBOL_BY_CLANG
							  : SYMBOL_BY_OTHER;
	p->compilers |= compiler;
	return compiler;
}

/* Resolve r->pending, which are in the unit. */
static int resolve_unit(struct resolver *r, Dwarf_Off offset)
{
	struct unit *u = &r->unit;
	Dwarf_Die die, split;
	Dwarf_Attribute a;
	uint8_t type;
	bool found = false;
	if (!r->pending.len || !dwarf_offdie(r->pass->dwarf, offset, &die) ||
	    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    !abbreviations_pay(&r->abbreviations, &die))
		return 0;
	u->directory = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &a));
	if (type == DW_UT_skeleton && split_file_pay(&r->split_files, &die)) {
		found = split_file_unit(&r->split_files, &die, &split);
		if (found && !abbreviations_pay(&r->abbreviations, &split))
			return 0;
		if (!found)
			count_missing(r->pass, &die, u->directory);
	}
	u->die = found ? split : die;
	u->lines_die = die;
	u->marks_statements =
	    note_compiler(r->pass, &u->die) == SYMBOL_BY_GCC && r->pass->wants_statements;
	u->pending = r->pending.at;
	u->num_pending = r->pending.len;
	if (unit_read_lines(u) != 0)
		return -1;
	/* Almost all code is in functions directly in the unit or its namespaces. Visit everything
	 * only for addresses outside these functions. */
	for (int everywhere = 0; everywhere < 2 && u->num_pending; everywhere++) {
		u->ranges.len = 0;
		if (unit_walk(u, everywhere) != 0 || !assign_scopes(r) || !keep_unresolved(r))
			return -1;
		u->pending = r->unresolved.at;
		u->num_pending = r->unresolved.len;
	}
	u->pending = r->pending.at;
	u->num_pending = r->pending.len;
	return unit_lines(u);
}

/* The first address from a on that is to be tried in one more unit. */
static size_t next_open(struct resolver *r, size_t a)
{
	while (r->open[a] != a) {
		r->open[a] = r->open[r->open[a]];
		a = r->open[a];
	}
	return a;
}

/* Let the unit of a claim try its addresses from index from on. */
static bool push_pending(struct resolver *r, const struct claim *c, size_t from)
{
	struct dwarf_pass *p = r->pass;
	for (size_t a = next_open(r, from); a < c->last; a = next_open(r, a + 1)) {
		if (p->places[a].scope == SCOPE_NONE) {
			if (!work_pay(p->work, STEPS_PER_TRY))
				break;
			if (!vec_push(&r->pending, a))
				return false;
			r->tries[a]++;
		}
		if (p->places[a].scope != SCOPE_NONE || r->tries[a] == TRIES_MAX)
			r->open[a] = a + 1;
	}
	return true;
}

/* Resolve the claims, unit by unit. An address that two units claim belongs to the first one that
 * has a function there. */
static int resolve_claims(struct resolver *r)
{
	if (r->claims.len)
		qsort(r->claims.at, r->claims.len, sizeof *r->claims.at, compare_claims);
	for (size_t i = 0; i < r->claims.len;) {
		Dwarf_Off unit = r->claims.at[i].unit;
		bool tried = interner_find(&r->tried, unit) != INTERNER_NONE;
		size_t done = 0;
		r->pending.len = 0;
		for (; i < r->claims.len && r->claims.at[i].unit == unit; i++) {
			const struct claim *c = &r->claims.at[i];
			if (!tried && !push_pending(r, c, c->first > done ? c->first : done))
				return -1;
			done = c->last > done ? c->last : done;
		}
		if (!r->pending.len)
			continue;
		if (interner_insert(&r->tried, unit) == INTERNER_NONE || resolve_unit(r, unit) != 0)
			return -1;
	}
	r->claims.len = 0;
	return 0;
}

static bool all_resolved(const struct dwarf_pass *p)
{
	for (size_t i = 0; i < p->num_addresses; i++)
		if (p->places[i].scope == SCOPE_NONE)
			return false;
	return true;
}

/* Pay for what libdw reads of each unit. */
static bool pay_units(struct resolver *r)
{
	Dwarf *dwarf = r->pass->dwarf, *alt = dwarf_getalt(dwarf);
	return abbreviations_pay_units(&r->abbreviations, dwarf_getelf(dwarf)) &&
	       (!alt || abbreviations_pay_units(&r->abbreviations, dwarf_getelf(alt)));
}

static int resolve(struct resolver *r)
{
	if (!pay_units(r))
		return 0;
	if (!claim_by_aranges(r) || resolve_claims(r) != 0)
		return -1;
	if (all_resolved(r->pass))
		return 0;
	/* Not every compiler writes .debug_aranges, and units of one module differ. */
	return claim_by_units(r) ? resolve_claims(r) : -1;
}

static bool make_open(struct resolver *r)
{
	size_t n = r->pass->num_addresses;
	r->open = malloc((n + 1) * sizeof *r->open);
	r->tries = calloc(n + 1, 1);
	for (size_t i = 0; r->open && i <= n; i++)
		r->open[i] = i;
	return r->open && r->tries;
}

int dwarf_resolve(struct dwarf_pass *p)
{
	struct resolver r = {.pass = p};
	for (size_t i = 0; i < p->num_addresses; i++)
		p->places[i] = (struct debug_place){.scope = SCOPE_NONE};
	r.unit.pass = p;
	r.unit.origins = &r.origins;
	r.unit.sections = &r.sections;
	r.unit.other_tables = &r.other_tables;
	r.unit.enclosing = &r.enclosing;
	r.unit.abbreviations = &r.abbreviations;
	r.enclosing.work = r.abbreviations.work = p->work;
	r.split_files.abbreviations = &r.abbreviations;
	r.split_files.fd = p->fd;
	r.split_files.watched = p->split;
	int result = -1;
	if (read_text(&r) && make_open(&r)) {
		line_sections_read(&r.sections, dwarf_getelf(p->dwarf));
		r.unit.text = r.text.at;
		r.unit.num_text = r.text.len;
		result = resolve(&r);
	}
	if (r.abbreviations.failed || r.other_tables.failed)
		result = -1;
	vec_free(&r.text);
	vec_free(&r.claims);
	vec_free(&r.pending);
	vec_free(&r.unresolved);
	vec_free(&r.stack);
	free(r.open);
	free(r.tries);
	dwarf_sections_free(&r.other_tables.sections);
	interner_deinit(&r.other_tables.paid);
	abbreviations_free(&r.abbreviations);
	split_files_free(&r.split_files);
	p->refused = r.split_files.refused;
	vec_free(&r.unit.ranges);
	vec_free(&r.unit.files);
	vec_free(&r.unit.split_files);
	line_table_free(&r.unit.table);
	interner_deinit(&r.origins.dies);
	vec_free(&r.origins.functions);
	enclosing_free(&r.enclosing);
	interner_deinit(&r.tried);
	return result;
}
