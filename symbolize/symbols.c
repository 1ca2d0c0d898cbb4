#include "symbolize/symbols.h"

#include "formats/base/cursor.h"
#include "formats/base/search.h"
#include "formats/base/vec.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

void symbols_free(struct symbols *s)
{
	vec_free(&s->all);
	vec_free(&s->places);
}

/* Symbols that name code. ARM and RISC-V mark the kind of bytes that follow with mapping symbols,
 * "$x" or "$d.1", which are not names. */
static bool names_code(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);
	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || !*name)
		return false;
	bool mapping =
	    name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
	/* The annobin plugin of gcc leaves hidden local labels at the ends of text. */
	bool annobin = type == STT_NOTYPE && GELF_ST_BIND(sym->st_info) == STB_LOCAL &&
		       GELF_ST_VISIBILITY(sym->st_other) == STV_HIDDEN;
	return !mapping && !annobin;
}

static uint8_t rank(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);
	uint8_t typed = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 4 : 0;
	return typed + (bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0);
}

/* Bytes of a name that are compared. */
enum { COMPARED = 256 };

static int underscores(const char *name)
{
	int n = 0;
	while (n < COMPARED && name[n] == '_')
		n++;
	return n;
}

/* By address; at one address the best is last, because look-ups search downwards. */
static int compare(const void *left, const void *right)
{
	const struct code_symbol *a = *(const struct code_symbol *const *)left,
				 *b = *(const struct code_symbol *const *)right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	/* Prefer the alias that a user would write: "malloc", not "__libc_malloc". */
	int under_a = underscores(a->name), under_b = underscores(b->name);
	if (under_a != under_b)
		return under_a > under_b ? -1 : 1;
	/* Long names can be the ends of one, which are not to be read again and again. */
	int order = strncmp(b->name, a->name, COMPARED);
	return order ? order : a->name < b->name ? -1 : a->name > b->name;
}

/* A symbol without a size reaches to the next one or to the end of its section, which is in high at
 * first. */
static void extend_unsized(struct symbols *s)
{
	uint64_t next = UINT64_MAX;
	for (size_t i = s->all.len; i-- > 0;) {
		struct code_symbol *sym = &s->all.at[i];
		if (i + 1 < s->all.len && s->all.at[i + 1].low != sym->low)
			next = s->all.at[i + 1].low;
		if (!sym->sized && next < sym->high)
			sym->high = next;
	}
}

/* Add the places from symbol i up to the next one. What ends before that is left for those to its
 * left that end later, and never comes up again: all places are at most two for each symbol. */
static bool add_places(struct symbols *s, size_t i, const size_t *left)
{
	const struct code_symbol *at = s->all.at;
	uint64_t from = at[i].low, next = i + 1 < s->all.len ? at[i + 1].low : UINT64_MAX;
	for (size_t k = i; from < next; k = left[k]) {
		if (k == SIZE_MAX)
			return vec_push(&s->places, (struct symbol_place){from, k});
		if (at[k].high <= from)
			continue;
		if (!vec_push(&s->places, (struct symbol_place){from, k}))
			return false;
		from = at[k].high;
	}
	return true;
}

int symbols_place(struct symbols *s)
{
	/* Of each symbol, the nearest one before it that ends higher. */
	size_t *left = malloc((s->all.len + 1) * sizeof *left);
	bool ok = left;
	for (size_t i = 0; ok && i < s->all.len; i++) {
		left[i] = i - 1; /* SIZE_MAX before the first */
		while (left[i] != SIZE_MAX && s->all.at[left[i]].high <= s->all.at[i].high)
			left[i] = left[left[i]];
		ok = add_places(s, i, left);
	}
	free(left);
	return ok ? 0 : -1;
}

/* The end of the executable section that contains sym. A debug file also has the headers. */
static bool section_end(Elf *elf, const GElf_Sym *sym, size_t shndx, uint64_t *end)
{
	GElf_Shdr mem;
	const GElf_Shdr *shdr = gelf_getshdr(elf_getscn(elf, shndx), &mem);
	if (!shdr || !(shdr->sh_flags & SHF_EXECINSTR) || sym->st_value < shdr->sh_addr)
		return false;
	*end = shdr->sh_addr + shdr->sh_size;
	return true;
}

static bool add_symbol(struct symbols *s, Elf *elf, const GElf_Sym *sym, size_t shndx,
		       const char *name)
{
	uint64_t end;
	if (!names_code(sym, name) || !section_end(elf, sym, shndx, &end))
		return true;
	bool sized = sym->st_size != 0 && sym->st_value + sym->st_size > sym->st_value;
	return vec_push(&s->all, (struct code_symbol){
				     .low = sym->st_value,
				     .high = sized ? sym->st_value + sym->st_size : end,
				     .name = name,
				     .rank = rank(sym),
				     .sized = sized,
				     .local = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
				 });
}

static Elf_Scn *find_section(Elf *elf, unsigned type, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, shdr) && shdr->sh_type == type)
			return section;
	return NULL;
}

/* The table of section indices that do not fit into a symbol. */
static Elf_Data *wide_indices(Elf *elf, Elf_Scn *table)
{
	GElf_Shdr shdr;
	Elf_Scn *section = find_section(elf, SHT_SYMTAB_SHNDX, &shdr);
	return section && shdr.sh_link == elf_ndxscn(table) ? elf_getdata(section, NULL) : NULL;
}

/* The strings of a section, without what follows the last zero. */
static struct cursor strings_of(Elf *elf, size_t index)
{
	Elf_Data *data = elf_getdata(elf_getscn(elf, index), NULL);
	struct cursor c = cursor_of(data && data->d_buf ? data->d_buf : "", 0, false);
	c.size = data && data->d_buf ? data->d_size : 0;
	while (c.size && c.base[c.size - 1])
		c.size--;
	return c;
}

/* By pointers, of which qsort moves fewer bytes than of symbols. There is at least one. */
static bool sort(struct symbols *s)
{
	size_t n = s->all.len;
	const struct code_symbol **order = malloc(n * sizeof(struct code_symbol *));
	struct code_symbol *sorted = malloc(n * sizeof *sorted);
	bool ok = order && sorted;
	for (size_t i = 0; ok && i < n; i++)
		order[i] = &s->all.at[i];
	if (ok)
		qsort(order, n, sizeof(struct code_symbol *), compare);
	for (size_t i = 0; ok && i < n; i++)
		sorted[i] = *order[i];
	if (ok)
		memcpy(s->all.at, sorted, n * sizeof *sorted);
	free(order);
	free(sorted);
	return ok;
}

int symbols_read(struct symbols *s, Elf *elf, unsigned section_type)
{
	GElf_Shdr shdr;
	Elf_Scn *section = find_section(elf, section_type, &shdr);
	Elf_Data *data = section && shdr.sh_entsize ? elf_getdata(section, NULL) : NULL;
	Elf_Data *wide = data ? wide_indices(elf, section) : NULL;
	size_t count = data ? data->d_size / shdr.sh_entsize : 0;
	struct cursor strings = data ? strings_of(elf, shdr.sh_link) : (struct cursor){0};
	bool ok = true;
	*s = (struct symbols){0};
	for (size_t i = 0; i < count && i < INT32_MAX && ok; i++) {
		GElf_Sym sym;
		Elf32_Word index = 0;
		if (!gelf_getsymshndx(data, wide, (int)i, &sym, &index))
			break;
		size_t shndx = sym.st_shndx == SHN_XINDEX ? index : sym.st_shndx;
		if (sym.st_name < strings.size)
			ok = add_symbol(s, elf, &sym, shndx,
					(const char *)strings.base + sym.st_name);
	}
	ok = ok && (s->all.len == 0 || sort(s));
	if (ok) {
		extend_unsized(s);
		ok = symbols_place(s) == 0;
	}
	if (!ok)
		symbols_free(s);
	return ok ? 0 : -1;
}

const struct code_symbol *symbols_find(const struct symbols *s, uint64_t address)
{
	size_t i = SEARCH_FIRST(k, 0, s->places.len, s->places.at[k].from > address);
	size_t symbol = i ? s->places.at[i - 1].symbol : SIZE_MAX;
	return symbol == SIZE_MAX ? NULL : &s->all.at[symbol];
}
