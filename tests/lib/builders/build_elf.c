#include "tests/lib/builders/build_elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(bool ok)
{
	if (ok)
		return;
	perror("build_elf");
	exit(2);
}

void elf_put(struct elf_bytes *b, const void *bytes, size_t n)
{
	check(vec_reserve(&b->v, b->v.len + n));
	if (n)
		memcpy(b->v.at + b->v.len, bytes, n);
	b->v.len += n;
}

void elf_put_int(struct elf_bytes *b, uint64_t value, unsigned size)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	elf_put(b, bytes, size);
}

void elf_put_uleb(struct elf_bytes *b, uint64_t value)
{
	do {
		uint8_t byte = (value & 127) | (value > 127 ? 128 : 0);
		elf_put(b, &byte, 1);
		value >>= 7;
	} while (value);
}

void elf_put_text(struct elf_bytes *b, const char *s)
{
	elf_put(b, s, strlen(s) + 1);
}

void elf_patch_size(struct elf_bytes *b, size_t at)
{
	uint32_t size = (uint32_t)(b->v.len - at);

	memcpy(b->v.at + at - 4, &size, 4);
}

/* Where the bytes of section i are in the file. */
static uint64_t place(const struct elf_section *s, size_t i, const uint64_t *places, uint64_t next)
{
	for (size_t k = 0; s[i].bytes && k < i; k++)
		if (s[k].bytes == s[i].bytes)
			return places[k];
	return next;
}

size_t elf_write(const char *path, const struct elf_section *sections, size_t n)
{
	Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof header,
			     .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr *table = calloc(n + 2, sizeof *table);
	uint64_t *places = calloc(n + 1, sizeof *places), end;
	struct elf_bytes names = {0}, file = {0};

	check(table && places);
	elf_put(&file, &header, sizeof header);
	elf_put_text(&names, "");
	for (size_t i = 0; i <= n; i++) {
		struct elf_section s = {.name = ".shstrtab", .type = SHT_STRTAB, .bytes = &names};
		Elf64_Shdr *h = &table[i + 1];
		if (i < n)
			s = sections[i];
		h->sh_name = (uint32_t)names.v.len;
		elf_put_text(&names, s.name);
		places[i < n ? i : n] = h->sh_offset =
		    i < n ? place(sections, i, places, file.v.len) : file.v.len;
		h->sh_type = s.type;
		h->sh_flags = s.flags;
		h->sh_addr = s.address;
		h->sh_size = s.bytes ? s.bytes->v.len : s.size;
		h->sh_link = s.link;
		h->sh_entsize = s.entry_size;
		h->sh_addralign = 1;
		if (s.bytes && h->sh_offset == file.v.len)
			elf_put(&file, s.bytes->v.at, s.bytes->v.len);
		while (file.v.len % 8)
			elf_put_int(&file, 0, 1);
	}
	end = file.v.len;
	elf_put(&file, table, (n + 2) * sizeof *table);
	header.e_shoff = end;
	/* More than this go into the first header. */
	header.e_shnum = n + 2 < SHN_LORESERVE ? (uint16_t)(n + 2) : 0;
	header.e_shstrndx = n + 1 < SHN_LORESERVE ? (uint16_t)(n + 1) : SHN_XINDEX;
	memcpy(file.v.at, &header, sizeof header);
	if (!header.e_shnum) {
		table[0].sh_size = n + 2;
		table[0].sh_link = (uint32_t)(n + 1);
		memcpy(file.v.at + end, table, sizeof *table);
	}
	FILE *f = fopen(path, "wb");
	check(f && fwrite(file.v.at, 1, file.v.len, f) == file.v.len && fclose(f) == 0);
	end = file.v.len;
	free(table);
	free(places);
	vec_free(&names.v);
	vec_free(&file.v);
	return end;
}
