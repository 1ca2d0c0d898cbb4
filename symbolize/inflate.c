#include "symbolize/inflate.h"

#include <gelf.h>
#include <libdeflate.h>

/* Two bits of deflate are at most 258 bytes (RFC 1951, 3.2.5 and 3.2.6). */
enum { MOST_TIMES = 1032 };

/* The size bytes that are compressed in n bytes; NULL if they are damaged. */
static void *inflate(struct libdeflate_decompressor *d, const void *from, size_t n, size_t size)
{
	void *to = malloc(size);
	if (to && libdeflate_zlib_decompress(d, from, n, to, size, NULL) == LIBDEFLATE_SUCCESS)
		return to;
	free(to);
	return NULL;
}

static void inflate_section(Elf *elf, Elf_Scn *section, GElf_Shdr *shdr,
			    struct libdeflate_decompressor *d, struct work *work,
			    struct inflated *kept)
{
	size_t skip = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	const Elf_Data *raw = elf_rawdata(section, NULL);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Chdr header;

	if (!raw || !data || raw->d_size <= skip || !gelf_getchdr(section, &header))
		return;
	/* without a place for the size, another one is an error */
	bool damaged = header.ch_size / MOST_TIMES > raw->d_size - skip;
	if (damaged || !work_pay(work, header.ch_size)) {
		shdr->sh_type = SHT_NOBITS;
		gelf_update_shdr(section, shdr);
		return;
	}
	if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size == 0)
		return;
	void *content =
	    inflate(d, (const char *)raw->d_buf + skip, raw->d_size - skip, (size_t)header.ch_size);
	if (!content)
		return;
	shdr->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	shdr->sh_size = header.ch_size;
	shdr->sh_addralign = header.ch_addralign;
	if (!vec_push(&kept->buffers, content)) {
		free(content);
		return;
	}
	if (!gelf_update_shdr(section, shdr))
		return;
	data->d_buf = content;
	data->d_size = (size_t)header.ch_size;
	data->d_type = ELF_T_BYTE;
	data->d_align = (size_t)header.ch_addralign;
}

void inflate_sections(Elf *elf, struct work *work, struct inflated *kept)
{
	struct libdeflate_decompressor *d = NULL;
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		if (!shdr || !(shdr->sh_flags & SHF_COMPRESSED) || shdr->sh_type == SHT_NOBITS)
			continue;
		if (!d && !(d = libdeflate_alloc_decompressor()))
			return;
		inflate_section(elf, section, shdr, d, work, kept);
	}
	if (d)
		libdeflate_free_decompressor(d);
}

void inflated_free(struct inflated *kept)
{
	for (size_t i = 0; i < kept->buffers.len; i++)
		free(kept->buffers.at[i]);
	vec_free(&kept->buffers);
}
