#include "symbolize/inflate.h"

#include "formats/base/cursor.h"

#include <gelf.h>
#include <libdeflate.h>
#include <string.h>

/* Two bits of deflate are at most 258 bytes (RFC 1951, 3.2.5 and 3.2.6). */
enum { MOST_TIMES = 1032 };

/* Bytes before the contents of .zdebug_*. */
enum { GNU_HEADER = 12 };

/* A compressed section. */
struct compressed {
	const char *from;
	size_t n;
	uint64_t size, align; /* decompressed */
	bool zlib;            /* else by another method */
};

/* The contents, which are kept; NULL if they are damaged, or without memory. */
static void *inflate(struct libdeflate_decompressor *d, const struct compressed *c,
		     struct inflated *kept)
{
	void *to = vec_reserve(&kept->buffers, kept->buffers.len + 1) ? malloc(c->size) : NULL;

	kept->no_memory |= !to;
	if (to &&
	    libdeflate_zlib_decompress(d, c->from, c->n, to, c->size, NULL) == LIBDEFLATE_SUCCESS)
		return to;
	free(to);
	return NULL;
}

/* Read the header of a section with SHF_COMPRESSED. */
static bool read_header(Elf *elf, Elf_Scn *section, struct compressed *c)
{
	size_t skip = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	const Elf_Data *raw = elf_rawdata(section, NULL);
	GElf_Chdr header;

	if (!raw || raw->d_size <= skip || !gelf_getchdr(section, &header))
		return false;
	*c =
	    (struct compressed){(const char *)raw->d_buf + skip, raw->d_size - skip, header.ch_size,
				header.ch_addralign, header.ch_type == ELFCOMPRESS_ZLIB};
	return true;
}

static bool is_gnu(const void *content, uint64_t size)
{
	return size >= GNU_HEADER && memcmp(content, "ZLIB", 4) == 0;
}

/* The same of a section .zdebug_*: "ZLIB", and the size in 8 bytes, big-endian. */
static bool read_gnu_header(Elf_Scn *section, const GElf_Shdr *shdr, struct compressed *c)
{
	const Elf_Data *raw = elf_rawdata(section, NULL);

	if (!raw || !is_gnu(raw->d_buf, raw->d_size))
		return false;
	*c = (struct compressed){(const char *)raw->d_buf + GNU_HEADER, raw->d_size - GNU_HEADER,
				 cursor_load_u64((const uint8_t *)raw->d_buf + 4, true),
				 shdr->sh_addralign, true};
	return true;
}

static bool hide(Elf_Scn *section, GElf_Shdr *shdr)
{
	shdr->sh_type = SHT_NOBITS;
	gelf_update_shdr(section, shdr);
	return false;
}

/* False if it is hidden. */
static bool inflate_section(Elf_Scn *section, GElf_Shdr *shdr, const struct compressed *c,
			    struct libdeflate_decompressor *d, struct work *work,
			    struct inflated *kept)
{
	Elf_Data *data = elf_getdata(section, NULL);

	/* without a place for the size, another one is an error */
	bool damaged = c->size / MOST_TIMES > c->n;
	if (damaged || !work_pay(work, c->size))
		return hide(section, shdr);
	if (!data || !c->zlib || c->size == 0)
		return true;
	void *content = inflate(d, c, kept);
	if (!content)
		return true;
	/* libdw takes .zdebug_* that begins so for compressed */
	if (is_gnu(content, c->size)) {
		free(content);
		return hide(section, shdr);
	}
	shdr->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	shdr->sh_size = c->size;
	shdr->sh_addralign = c->align;
	kept->buffers.at[kept->buffers.len++] = content;
	if (!gelf_update_shdr(section, shdr))
		return true;
	data->d_buf = content;
	data->d_size = (size_t)c->size;
	data->d_type = ELF_T_BYTE;
	data->d_align = (size_t)c->align;
	return true;
}

bool inflate_sections(Elf *elf, struct work *work, struct inflated *kept)
{
	static const char gnu[] = ".zdebug_";
	struct libdeflate_decompressor *d = NULL;
	bool all = true;
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return true;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *name = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		struct compressed c;
		if (!shdr || shdr->sh_type == SHT_NOBITS ||
		    !(shdr->sh_flags & SHF_COMPRESSED
			  ? read_header(elf, section, &c)
			  : name && strncmp(name, gnu, sizeof gnu - 1) == 0 &&
				read_gnu_header(section, shdr, &c)))
			continue;
		if (!d && !(d = libdeflate_alloc_decompressor())) {
			kept->no_memory = true;
			return all;
		}
		all &= inflate_section(section, shdr, &c, d, work, kept);
	}
	if (d)
		libdeflate_free_decompressor(d);
	return all;
}

void inflated_free(struct inflated *kept)
{
	for (size_t i = 0; i < kept->buffers.len; i++)
		free(kept->buffers.at[i]);
	vec_free(&kept->buffers);
}
