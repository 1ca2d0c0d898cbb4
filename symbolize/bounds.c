#include "symbolize/bounds.h"

#include "formats/base/search.h"

#include <gelf.h>
#include <string.h>

enum {
	HEADER_VERSION = 1,
	PCREL_SDATA4 = 0x1b,
	UDATA4 = 0x03,
	DATAREL_SDATA4 = 0x3b,
	HEADER_BYTES = 4 + 4 + 4, /* version and encodings, pointer to .eh_frame, count */
	ENTRY_BYTES = 8,
};

static bool find_section(Elf *elf, const char *wanted, struct cursor *out, uint64_t *address)
{
	size_t names;
	Elf_Scn *section = NULL;
	const char *ident = elf_getident(elf, NULL);

	if (!ident || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = NULL;
		Elf_Data *data;
		if (gelf_getshdr(section, &header))
			name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, wanted) != 0 || header.sh_type == SHT_NOBITS)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			return false;
		*out = cursor_of(data->d_buf, data->d_size, ident[EI_DATA] == ELFDATA2MSB);
		*address = header.sh_addr;
		return true;
	}
	return false;
}

void bounds_read(struct bounds *b, Elf *elf)
{
	uint8_t version, pointer, count, entries;
	uint32_t unused, n;

	memset(b, 0, sizeof *b);
	if (!find_section(elf, ".eh_frame_hdr", &b->table, &b->table_base) ||
	    !find_section(elf, ".eh_frame", &b->frames, &b->frames_base))
		return;
	if (!cursor_u8(&b->table, &version) || !cursor_u8(&b->table, &pointer) ||
	    !cursor_u8(&b->table, &count) || !cursor_u8(&b->table, &entries) ||
	    version != HEADER_VERSION || pointer != PCREL_SDATA4 || count != UDATA4 ||
	    entries != DATAREL_SDATA4 || !cursor_u32(&b->table, &unused) ||
	    !cursor_u32(&b->table, &n) || n > cursor_left(&b->table) / ENTRY_BYTES)
		return;
	b->count = n;
}

/* base plus the signed 4-byte number at pos. */
static uint64_t relative(const struct cursor *c, size_t pos, uint64_t base)
{
	return base + (uint64_t)(int32_t)cursor_load_u32(c->base + pos, c->big);
}

static uint64_t function_of(const struct bounds *b, size_t i)
{
	return relative(&b->table, HEADER_BYTES + i * ENTRY_BYTES, b->table_base);
}

/* The size in bytes of the function in entry i; 0 if its FDE is not in the usual form (length, CIE,
 * function relative to itself, bytes). */
static uint64_t size_of(const struct bounds *b, size_t i)
{
	uint64_t fde = relative(&b->table, HEADER_BYTES + i * ENTRY_BYTES + 4, b->table_base);
	uint64_t at = fde - b->frames_base;

	if (at > b->frames.size || b->frames.size - at < 16 ||
	    relative(&b->frames, at + 8, fde + 8) != function_of(b, i))
		return 0;
	return cursor_load_u32(b->frames.base + at + 12, b->frames.big);
}

bool bounds_find(const struct bounds *b, uint64_t address, uint64_t *low, uint64_t *high)
{
	size_t first = SEARCH_FIRST(i, 0, b->count, function_of(b, i) > address);

	if (!first || address - function_of(b, first - 1) >= size_of(b, first - 1))
		return false;
	*low = function_of(b, first - 1);
	*high = *low + size_of(b, first - 1);
	return true;
}
