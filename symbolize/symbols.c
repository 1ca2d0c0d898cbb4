#include "symbolize/symbols.h"

#include "formats/base/search.h"
#include "formats/base/vec.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(struct code_symbol) symbol_vec;

void symbols_free(struct symbols *s)
{
	free(s->at);
	*s = (struct symbols){0};
}

/* Symbols that name code. ARM and RISC-V mark the kind of bytes that follow with mapping symbols,
 * "$x" or "$d.1", which are not names. */
static bool names_code(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);
	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || !name || !*name)
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

/* By address; at one address the best is last, because look-ups search downwards. */
static int compare(const void *left, const void *right)
{
	const struct code_symbol *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	/* Prefer the alias that a user would write: "malloc", not "__libc_malloc". */
	size_t under_a = strspn(a->name, "_"), under_b = strspn(b->name, "_");
	if (under_a != under_b)
		return under_a > under_b ? -1 : 1;
	return strcmp(b->name, a->name);
}

/* A symbol without a size reaches to the next one or to the end of its section, which is in high at
 * first. */
static void extend_unsized(struct symbols *s)
{
	uint64_t next = UINT64_MAX;
	for (size_t i = s->len; i-- > 0;) {
		struct code_symbol *sym = &s->at[i];
		if (i + 1 < s->len && s->at[i + 1].low != sym->low)
			next = s->at[i + 1].low;
		if (!sym->sized && next < sym->high)
			sym->high = next;
	}
}

void symbols_link(struct symbols *s)
{
	for (size_t i = 0; i < s->len; i++) {
		size_t left = i - 1; /* SIZE_MAX before the first */
		while (left != SIZE_MAX && s->at[left].high <= s->at[i].high)
			left = s->at[left].left;
		s->at[i].left = left;
	}
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

static bool add_symbol(symbol_vec *v, Elf *elf, const GElf_Sym *sym, size_t shndx, const char *name)
{
	uint64_t end;
	if (!names_code(sym, name) || !section_end(elf, sym, shndx, &end))
		return true;
	bool sized = sym->st_size != 0 && sym->st_value + sym->st_size > sym->st_value;
	return vec_push(v, (struct code_symbol){
			       .low = sym->st_value,
			       .high = sized ? sym->st_value + sym->st_size : end,
			       .name = name,
			       .rank = rank(sym),
			       .sized = sized,
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

int symbols_read(struct symbols *s, Elf *elf, unsigned section_type)
{
	symbol_vec v = {0};
	GElf_Shdr shdr;
	Elf_Scn *section = find_section(elf, section_type, &shdr);
	Elf_Data *data = section && shdr.sh_entsize ? elf_getdata(section, NULL) : NULL;
	Elf_Data *wide = data ? wide_indices(elf, section) : NULL;
	size_t count = data ? data->d_size / shdr.sh_entsize : 0;
	int failed = 0;
	for (size_t i = 0; i < count && i < INT32_MAX && !failed; i++) {
		GElf_Sym sym;
		Elf32_Word index = 0;
		if (!gelf_getsymshndx(data, wide, (int)i, &sym, &index))
			break;
		size_t shndx = sym.st_shndx == SHN_XINDEX ? index : sym.st_shndx;
		const char *name = elf_strptr(elf, shdr.sh_link, sym.st_name);
		failed = add_symbol(&v, elf, &sym, shndx, name) ? 0 : -1;
	}
	*s = (struct symbols){.at = v.at, .len = v.len, .cap = v.cap};
	if (failed) {
		symbols_free(s);
		return -1;
	}
	if (s->len)
		qsort(s->at, s->len, sizeof *s->at, compare);
	extend_unsized(s);
	symbols_link(s);
	return 0;
}

const struct code_symbol *symbols_find(const struct symbols *s, uint64_t address)
{
	/* If a symbol ends too early, only earlier ones that end later can contain the address. */
	size_t i = SEARCH_FIRST(k, 0, s->len, s->at[k].low > address) - 1;
	while (i != SIZE_MAX && s->at[i].high <= address)
		i = s->at[i].left;
	return i == SIZE_MAX ? NULL : &s->at[i];
}
