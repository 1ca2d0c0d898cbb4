#include "symbolize/plt.h"

#include "formats/base/cursor.h"
#include "formats/base/vec.h"

#include <gelf.h>
#include <string.h>

/* A slot of the global offset table, and the symbol whose address it will contain. */
struct slot {
	uint64_t address;
	const char *name;
};

struct plt_reader {
	Elf *elf;
	struct symbol_names *names;
	struct work *work;
	unsigned machine;
	VEC(struct slot) slots;
	VEC(struct code_symbol) entries;
};

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	return a->address < b->address ? -1 : a->address > b->address;
}

static bool is_slot_relocation(unsigned machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	default:
		return false;
	}
}

static bool read_slots(struct plt_reader *r, Elf_Scn *section, const GElf_Shdr *shdr)
{
	GElf_Shdr symbols_mem;
	Elf_Scn *symbols = elf_getscn(r->elf, shdr->sh_link);
	const GElf_Shdr *symbols_shdr = gelf_getshdr(symbols, &symbols_mem);
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data || !shdr->sh_entsize || !symbols_shdr || symbols_shdr->sh_type != SHT_DYNSYM)
		return true;
	Elf_Data *table = elf_getdata(symbols, NULL);
	size_t n = data->d_size / shdr->sh_entsize;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Rela rela;
		GElf_Sym sym;
		if (!gelf_getrela(data, (int)i, &rela))
			break;
		if (!is_slot_relocation(r->machine, GELF_R_TYPE(rela.r_info)) ||
		    !gelf_getsym(table, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		const char *name = elf_strptr(r->elf, symbols_shdr->sh_link, sym.st_name);
		if (name && *name && !vec_push(&r->slots, (struct slot){rela.r_offset, name}))
			return false;
	}
	return true;
}

/* Decode the x86-64 instruction "jmp *offset(%rip)" (ff 25, perhaps with a bnd prefix) at p. *slot
 * is the slot with its target. */
static bool decode_x86_64(const uint8_t *p, size_t left, uint64_t address, uint64_t *slot)
{
	if (left < 6 || p[0] != 0xff || p[1] != 0x25)
		return false;
	*slot = address + 6 + (uint64_t)(int32_t)cursor_load_u32(p + 2, false);
	return true;
}

/* The same for AArch64's "adrp x16, page; ldr x17, [x16, #offset]". Instructions are little-endian
 * for both byte orders. */
static bool decode_aarch64(const uint8_t *p, size_t left, uint64_t address, uint64_t *slot)
{
	if (left < 8)
		return false;
	uint32_t adrp = cursor_load_u32(p, false), ldr = cursor_load_u32(p + 4, false);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (pages & 1u << 20)
		pages |= ~(uint64_t)0 << 21;
	*slot = (address & ~(uint64_t)0xfff) + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
	return true;
}

static bool decode(const struct plt_reader *r, const uint8_t *p, size_t left, uint64_t address,
		   uint64_t *slot)
{
	if (r->machine == EM_X86_64)
		return decode_x86_64(p, left, address, slot);
	return decode_aarch64(p, left, address, slot);
}

static const char *slot_name(struct plt_reader *r, uint64_t address)
{
	const struct slot key = {.address = address};
	if (!r->slots.len)
		return NULL;
	const struct slot *slot =
	    bsearch(&key, r->slots.at, r->slots.len, sizeof key, compare_slots);
	return slot ? slot->name : NULL;
}

static bool add_entry(struct plt_reader *r, uint64_t low, uint64_t high, const char *name)
{
	if (!work_pay_text(r->work, name))
		return true;
	name = symbol_names_format(r->names, "%s@plt", name);
	return name &&
	       vec_push(&r->entries, (struct code_symbol){
					 .low = low, .high = high, .name = name, .sized = true});
}

/* Entries have one size per section: 16 bytes, or 8 in a .plt.got whose entries contain only the
 * jump. */
static bool read_entries(struct plt_reader *r, Elf_Scn *section, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(section, NULL);
	uint64_t step = shdr->sh_entsize == 8 ? 8 : 16;
	const uint8_t *bytes = data ? data->d_buf : NULL;
	for (uint64_t at = 0; bytes && at + step <= data->d_size; at += step) {
		for (uint64_t i = 0; i < step; i++) {
			uint64_t slot, address = shdr->sh_addr + at;
			if (!decode(r, bytes + at + i, step - i, address + i, &slot))
				continue;
			const char *name = slot_name(r, slot);
			if (name && !add_entry(r, address, address + step, name))
				return false;
			break;
		}
	}
	return true;
}

static bool each_section(struct plt_reader *r, bool entries)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(r->elf, &names) != 0)
		return true;
	while ((section = elf_nextscn(r->elf, section))) {
		GElf_Shdr mem;
		const GElf_Shdr *shdr = gelf_getshdr(section, &mem);
		const char *name = shdr ? elf_strptr(r->elf, names, shdr->sh_name) : NULL;
		if (!name)
			continue;
		bool plt = shdr->sh_type == SHT_PROGBITS && strncmp(name, ".plt", 4) == 0;
		if (entries && plt && !read_entries(r, section, shdr))
			return false;
		if (!entries && shdr->sh_type == SHT_RELA && !read_slots(r, section, shdr))
			return false;
	}
	return true;
}

static int compare_entries(const void *left, const void *right)
{
	const struct code_symbol *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

int plt_read(struct symbols *s, Elf *elf, struct symbol_names *names, struct work *work)
{
	struct plt_reader r = {.elf = elf, .names = names, .work = work};
	GElf_Ehdr ehdr;
	*s = (struct symbols){0};
	if (!gelf_getehdr(elf, &ehdr) ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64))
		return 0;
	r.machine = ehdr.e_machine;
	bool done = each_section(&r, false);
	if (r.slots.len)
		qsort(r.slots.at, r.slots.len, sizeof *r.slots.at, compare_slots);
	done = done && each_section(&r, true);
	vec_free(&r.slots);
	if (!done) {
		vec_free(&r.entries);
		return -1;
	}
	if (r.entries.len)
		qsort(r.entries.at, r.entries.len, sizeof *r.entries.at, compare_entries);
	s->all.at = r.entries.at;
	s->all.len = r.entries.len;
	s->all.cap = r.entries.cap;
	if (symbols_place(s) == 0)
		return 0;
	symbols_free(s);
	return -1;
}
