#include "symbolize/procedure.h"

#include "formats/base/search.h"
#include "formats/base/vec.h"
#include "symbolize/binary.h"
#include "symbolize/bounds.h"
#include "symbolize/symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct code_section {
	uint64_t low, high;
	size_t nth; /* in the file */
	Elf_Scn *section;
};

struct local_symbol {
	const char *name;
	uint64_t low;
};

/* The tables that describe a module's procedures. */
struct tables {
	struct symbols symtab, dynsym;
	struct bounds bounds;
	VEC(struct code_section) code;   /* in the order of low, not overlapping */
	VEC(struct local_symbol) locals; /* of symtab, by name, then by low */
};

static int by_low(const void *a, const void *b)
{
	const struct code_section *x = a, *y = b;

	return x->low != y->low ? (x->low < y->low ? -1 : 1)
				: (x->nth > y->nth) - (x->nth < y->nth);
}

static int read_sections(struct tables *t, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t n = 0;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *h = gelf_getshdr(section, &mem);
		if (!h || !(h->sh_flags & SHF_EXECINSTR) || h->sh_type == SHT_NOBITS ||
		    h->sh_addr + h->sh_size < h->sh_addr)
			continue;
		if (!vec_push(&t->code, (struct code_section){.low = h->sh_addr,
							      .high = h->sh_addr + h->sh_size,
							      .nth = t->code.len,
							      .section = section}))
			return -1;
	}
	if (t->code.len)
		qsort(t->code.at, t->code.len, sizeof *t->code.at, by_low);
	for (size_t i = 0; i < t->code.len; i++)
		if (!n || t->code.at[i].low >= t->code.at[n - 1].high)
			t->code.at[n++] = t->code.at[i];
	t->code.len = n;
	return 0;
}

static int by_name(const void *pa, const void *pb)
{
	const struct local_symbol *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : a->low < b->low ? -1 : a->low > b->low;
}

static bool find_locals(struct tables *t)
{
	for (size_t i = 0; i < t->symtab.all.len; i++) {
		const struct code_symbol *sym = &t->symtab.all.at[i];
		if (sym->local && !vec_push(&t->locals, (struct local_symbol){sym->name, sym->low}))
			return false;
	}
	if (t->locals.len)
		qsort(t->locals.at, t->locals.len, sizeof *t->locals.at, by_name);
	return true;
}

/* Which of the local symbols of its name a symbol is, from 1 on. */
static uint32_t number_of(const struct tables *t, const struct code_symbol *sym)
{
	struct local_symbol wanted = {sym->name, sym->low};
	size_t n = t->locals.len;
	size_t first = SEARCH_FIRST(i, 0, n, strcmp(t->locals.at[i].name, sym->name) >= 0);
	size_t at = SEARCH_FIRST(i, first, n, by_name(&t->locals.at[i], &wanted) >= 0);

	return (uint32_t)(at - first + 1);
}

static int read_tables(struct tables *t, const struct binary *b)
{
	bounds_read(&t->bounds, b->main.elf);
	if (read_sections(t, b->main.elf) != 0 ||
	    symbols_read(&t->symtab, b->main.elf, SHT_SYMTAB) != 0 ||
	    symbols_read(&t->dynsym, b->main.elf, SHT_DYNSYM) != 0)
		return -1;
	if (b->debug.elf && !t->symtab.all.len &&
	    symbols_read(&t->symtab, b->debug.elf, SHT_SYMTAB) != 0)
		return -1;
	return find_locals(t) ? 0 : -1;
}

static void free_tables(struct tables *t)
{
	symbols_free(&t->symtab);
	symbols_free(&t->dynsym);
	vec_free(&t->code);
	vec_free(&t->locals);
}

static bool sized_symbol(const struct symbols *s, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct code_symbol *sym = symbols_find(s, address);

	if (!sym || !sym->sized)
		return false;
	*low = sym->low;
	*high = sym->high;
	return true;
}

static bool find_extent(const struct tables *t, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct code_symbol *sym;

	if (sized_symbol(&t->symtab, address, low, high) ||
	    sized_symbol(&t->dynsym, address, low, high) ||
	    bounds_find(&t->bounds, address, low, high))
		return *high > *low && *high - *low <= PROCEDURE_MOST_BYTES;
	sym = symbols_find(&t->symtab, address);
	if (!sym || sym->high - sym->low > PROCEDURE_MOST_BYTES)
		return false;
	*low = sym->low;
	*high = sym->high;
	return true;
}

/* Read the bytes of [p->low, p->high), up to the end of the section. NULL if there are none in the
 * file, or if memory ran out, which sets *memory. */
static uint8_t *read_bytes(const struct tables *t, struct procedure *p, bool *memory)
{
	size_t n = SEARCH_FIRST(i, 0, t->code.len, t->code.at[i].low > p->low);
	const struct code_section *c = n ? &t->code.at[n - 1] : NULL;
	Elf_Data *data = c && p->low < c->high ? elf_rawdata(c->section, NULL) : NULL;
	uint8_t *out;

	if (!data || !data->d_buf || p->low - c->low >= data->d_size)
		return NULL;
	if (p->high - c->low > data->d_size)
		p->high = c->low + data->d_size;
	out = malloc(p->high - p->low);
	*memory = !out;
	return out ? memcpy(out, (uint8_t *)data->d_buf + (p->low - c->low), p->high - p->low)
		   : NULL;
}

/* What gcc and clang append to the name of a function for the part that is seldom executed. */
static bool names_part(const char *symbol)
{
	size_t n = strlen(symbol), tail = strlen(".cold");

	return strstr(symbol, ".cold.") || (n > tail && strcmp(symbol + n - tail, ".cold") == 0);
}

/* Find the symbol at the start. False if memory ran out. */
static bool find_symbol(const struct tables *t, struct procedure *p)
{
	const struct code_symbol *sym = symbols_find(&t->symtab, p->low);

	if (!sym || sym->low != p->low)
		sym = symbols_find(&t->dynsym, p->low);
	if (!sym || sym->low != p->low)
		return true;
	p->symbol = strdup(sym->name);
	p->is_part = names_part(sym->name);
	p->local = sym->local ? number_of(t, sym) : 0;
	return p->symbol != NULL;
}

static int read_all(const struct symbolize_request *q, const struct tables *t,
		    struct procedures *out)
{
	for (size_t i = 0; i < q->num_addresses; i++) {
		uint64_t at = q->addresses[i], end = out->len ? out->at[out->len - 1].high : 0;
		struct procedure p = {0};
		bool memory = false;
		if (out->len && at < end)
			continue;
		if (!find_extent(t, at, &p.low, &p.high)) {
			out->missed++;
			continue;
		}
		if (p.low < end) /* symbols may overlap, but procedures must not */
			p.low = end;
		p.bytes = read_bytes(t, &p, &memory);
		if (memory)
			return -1;
		if (!p.bytes || at >= p.high) {
			free(p.bytes);
			out->missed++;
			continue;
		}
		if (!find_symbol(t, &p) || !vec_push(out, p)) {
			procedure_free(&p);
			return -1;
		}
	}
	return 0;
}

static bool is_cut(const struct binary *b)
{
	return mapped_file_is_cut(&b->main.mapped) || mapped_file_is_cut(&b->debug.mapped);
}

/* What was read is not what the program ran. */
static void forget(struct procedures *out, size_t num_addresses)
{
	procedures_free(out);
	out->missed = num_addresses;
}

int procedures_read(const struct symbolizer *s, const struct symbolize_request *q,
		    struct procedures *out, struct error *why)
{
	struct binary b;
	struct tables t = {0};
	struct work work;
	int result = 0;

	*out = (struct procedures){0};
	if (why)
		*why = (struct error){.kind = ERROR_NONE};
	work_init(&work, 0, q->num_addresses);
	binary_open(&b, q->path, q->build_id, symbolizer_places(s), &work, why);
	if (b.main.elf) {
		GElf_Ehdr mem, *header = gelf_getehdr(b.main.elf, &mem);
		out->machine = header ? header->e_machine : EM_NONE;
		out->big = header && header->e_ident[EI_DATA] == ELFDATA2MSB;
		result = read_tables(&t, &b);
		if (result == 0)
			result = read_all(q, &t, out);
		if (result == 0 && !out->len)
			error_set(why, ERROR_FORMAT, "%s: the start of its functions is unknown",
				  b.main.path);
	} else {
		out->missed = q->num_addresses;
	}
	free_tables(&t);
	binary_check_cut(&b);
	if (result == 0 && is_cut(&b)) {
		forget(out, q->num_addresses);
		if (why)
			*why = b.unread;
	}
	binary_close(&b);
	if (result == 0)
		return 0;
	procedures_free(out);
	return error_set(why, ERROR_MEMORY, "%s: not enough memory for its code", q->name);
}

/* ---- by name ----------------------------------------------------------------------- */

typedef VEC(uint64_t) addresses;

static bool is_among(const char *const *names, size_t num, const char *name, size_t length)
{
	size_t i = SEARCH_FIRST(k, 0, num, strncmp(names[k], name, length) >= 0);

	/* of those that begin so, the shortest is the first */
	return i < num && strncmp(names[i], name, length) == 0 && !names[i][length];
}

/* Whether a name is among them, up to its end or a dot. */
static bool is_named(const char *const *names, size_t num, const char *symbol)
{
	const char *dot = strchr(symbol, '.');

	for (; dot; dot = strchr(dot + 1, '.'))
		if (is_among(names, num, symbol, (size_t)(dot - symbol)))
			return true;
	return is_among(names, num, symbol, strlen(symbol));
}

static bool add_named(const struct symbols *s, const char *const *names, size_t num, addresses *out)
{
	for (size_t i = 0; i < s->all.len; i++)
		if (is_named(names, num, s->all.at[i].name) && !vec_push(out, s->all.at[i].low))
			return false;
	return true;
}

static int by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static void make_distinct(addresses *a)
{
	size_t n = 0;

	if (a->len)
		qsort(a->at, a->len, sizeof *a->at, by_number);
	for (size_t i = 0; i < a->len; i++)
		if (!n || a->at[i] != a->at[n - 1])
			a->at[n++] = a->at[i];
	a->len = n;
}

int procedures_named(const struct symbolizer *s, const struct symbolize_request *request,
		     const char *const *names, size_t num_names, uint64_t **out, size_t *num_out,
		     struct error *e)
{
	struct binary b;
	struct tables t = {0};
	struct work work;
	addresses found = {0};
	int rc;

	work_init(&work, 0, num_names);
	rc = binary_open(&b, request->path, request->build_id, symbolizer_places(s), &work, e);
	if (rc == 0 && !b.main.elf)
		rc = -1; /* *e says why, though a debug file was found */
	if (rc == 0 && (read_tables(&t, &b) != 0 || !vec_reserve(&found, 1) ||
			!add_named(&t.symtab, names, num_names, &found) ||
			!add_named(&t.dynsym, names, num_names, &found)))
		rc = error_memory(e, 0);
	free_tables(&t);
	binary_check_cut(&b);
	if (rc == 0 && is_cut(&b)) {
		rc = -1;
		*e = b.unread;
	}
	binary_close(&b);
	make_distinct(&found);
	*out = found.at;
	*num_out = found.len;
	if (rc != 0)
		vec_free(&found);
	return rc;
}

void procedure_free(struct procedure *p)
{
	if (!p)
		return;
	free(p->bytes);
	free(p->symbol);
}

void procedures_free(struct procedures *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->len; i++)
		procedure_free(&p->at[i]);
	free(p->at);
	*p = (struct procedures){0};
}
