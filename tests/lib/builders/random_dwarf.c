#include "tests/lib/builders/random_dwarf.h"

#include "tests/lib/builders/random_maker.h"

#include <elf.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUILD_ID = 0x1234567 };

/* A section as SHF_COMPRESSED has it. */
static const struct elf_bytes *pack(struct random_maker *m, const struct elf_bytes *from)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
	size_t most = libdeflate_zlib_compress_bound(c, from->v.len);
	void *to = malloc(most + 1);

	if (!c || !to)
		abort();
	elf_put_int(&m->packed, ELFCOMPRESS_ZLIB, 8);
	elf_put_int(&m->packed, from->v.len, 8);
	elf_put_int(&m->packed, 1, 8);
	elf_put(&m->packed, to, libdeflate_zlib_compress(c, from->v.at, from->v.len, to, most));
	free(to);
	libdeflate_free_compressor(c);
	return &m->packed;
}

static size_t write_file(struct random_maker *m, const char *path)
{
	unsigned bits = random_take(m);
	const struct {
		const char *name, *split_name;
		const struct elf_bytes *bytes;
	} debug[] = {
	    {".debug_info", ".debug_info.dwo", &m->info},
	    {".debug_abbrev", ".debug_abbrev.dwo", &m->abbrev},
	    {".debug_str", ".debug_str.dwo", &m->str},
	    {".debug_line_str", ".debug_line_str", &m->line_str},
	    {".debug_line", ".debug_line.dwo", &m->line},
	    {".debug_ranges", ".debug_ranges", &m->ranges},
	    {".debug_rnglists", ".debug_rnglists.dwo", &m->rnglists},
	    {".debug_addr", ".debug_addr", &m->addr},
	    {".debug_str_offsets", ".debug_str_offsets.dwo", &m->str_offsets},
	    {".gnu_debugaltlink", ".gnu_debugaltlink", &m->alt},
	    {".note.gnu.build-id", ".note.gnu.build-id", &m->build_id},
	};
	struct elf_section s[20] = {{".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
				     .address = RANDOM_DWARF_BASE,
				     .size = RANDOM_DWARF_TEXT_BYTES}};
	size_t n = 1;

	for (size_t i = 0; i < sizeof debug / sizeof *debug; i++) {
		bool packed = (bits & 15) == i + 1;
		if (!debug[i].bytes->v.len)
			continue;
		s[n++] = (struct elf_section){
		    m->split ? debug[i].split_name : debug[i].name,
		    debug[i].bytes == &m->build_id ? SHT_NOTE : SHT_PROGBITS,
		    packed ? SHF_COMPRESSED : 0,
		    .bytes = packed ? pack(m, debug[i].bytes) : debug[i].bytes};
	}
	if ((bits & 0xf0) == 0xf0) /* a second one on the same bytes */
		s[n++] = s[1];
	s[n] = (struct elf_section){".strtab", SHT_STRTAB, .bytes = &m->names};
	s[n + 1] = (struct elf_section){".symtab", SHT_SYMTAB, .bytes = &m->symbols,
					.link = (uint32_t)n + 1, .entry_size = sizeof(Elf64_Sym)};
	n += 2;
	return elf_write(path, s, n);
}

static void free_maker(struct random_maker *m)
{
	vec_free(&m->info.v);
	vec_free(&m->abbrev.v);
	vec_free(&m->str.v);
	vec_free(&m->line_str.v);
	vec_free(&m->line.v);
	vec_free(&m->ranges.v);
	vec_free(&m->rnglists.v);
	vec_free(&m->addr.v);
	vec_free(&m->str_offsets.v);
	vec_free(&m->symbols.v);
	vec_free(&m->names.v);
	vec_free(&m->alt.v);
	vec_free(&m->packed.v);
	vec_free(&m->build_id.v);
	vec_free(&m->dies);
	vec_free(&m->texts);
	vec_free(&m->lines);
	vec_free(&m->lists);
	vec_free(&m->rnglist_offsets);
}

static size_t make_file(struct random_maker *m, const uint8_t *input, size_t n, const char *path)
{
	size_t bytes, half = n / 2;

	m->at = input + n - 1;
	m->n = half;
	m->step = -1;
	random_put_texts(m);
	random_put_lines(m);
	random_put_ranges(m);
	random_put_rnglists(m);
	random_put_tables(m);
	random_put_symbols(m);
	n -= half - m->n;
	m->at = input;
	m->n = n;
	m->step = 1;
	random_put_abbreviations(m);
	random_put_units(m);
	bytes = write_file(m, path);
	free_maker(m);
	return bytes;
}

static int open_file(char path[32])
{
	int fd = memfd_create("random", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	sprintf(path, "/proc/self/fd/%d", fd);
	return fd;
}

/* The last byte says how the input is cut. */
size_t random_dwarf_make(struct random_dwarf *d, const uint8_t *bytes, size_t n)
{
	struct random_maker m = {0}, split = {.split = true}, alternate = {0};
	size_t made = 0, part;
	unsigned how = n ? bytes[--n] : 0;

	d->module = open_file(d->path);
	d->split = open_file(m.split_path);
	d->alternate = open_file(m.alternate_path);
	part = n / 4;
	if (how & 1) {
		n -= part;
		made += make_file(&split, bytes + n, part, m.split_path);
	}
	if (how & 2) {
		n -= part;
		elf_put_int(&alternate.build_id, 4, 4);
		elf_put_int(&alternate.build_id, 8, 4);
		elf_put_int(&alternate.build_id, NT_GNU_BUILD_ID, 4);
		elf_put_text(&alternate.build_id, "GNU");
		elf_put_int(&alternate.build_id, BUILD_ID, 8);
		made += make_file(&alternate, bytes + n, part, m.alternate_path);
		elf_put_text(&m.alt, m.alternate_path);
		elf_put_int(&m.alt, BUILD_ID, 8);
	}
	return made + make_file(&m, bytes, n, d->path);
}

void random_dwarf_free(struct random_dwarf *d)
{
	close(d->module);
	close(d->split);
	close(d->alternate);
}
