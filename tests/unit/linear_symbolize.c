/* The time and memory that symbolize/symbolize.h takes grow with the bytes of a file, whatever is
 * in it: small files, made so that a careless reader takes the square of their size or worse, from
 * 1 KiB to 1 MiB. */
#include "symbolize/symbolize.h"

#include "tests/lib/builders/build_elf.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth.h"
#include "tests/lib/unit/scratch.h"

#include <dwarf.h>
#include <elf.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, TEXT_BYTES = 1 << 24 };

/* The abbreviations of all files; see abbreviations(). */
enum {
	UNIT = 1,
	FUNCTION,
	BLOCK,
	WITH_SIBLING,
	WITH_CODE,
	INLINED,
	WITH_RANGES,
	ABSTRACT,
	SMALL_UNIT
};

/* A file that is being made, and the addresses to resolve in it. */
struct made {
	struct elf_bytes info, abbrev, ranges, line, str, symbols, names, compressed;
	size_t info_headers;  /* of .debug_info, on the same bytes */
	size_t text_sections; /* of TEXT_BYTES together */
	VEC(uint64_t) addresses;
};

/* attributes: pairs of one and its form, up to a 0. */
static void abbreviation(struct elf_bytes *b, unsigned code, unsigned tag, bool children,
			 const uint16_t *attributes)
{
	elf_put_uleb(b, code);
	elf_put_uleb(b, tag);
	elf_put_int(b, children, 1);
	for (; *attributes; attributes++)
		elf_put_uleb(b, *attributes);
	elf_put_int(b, 0, 2);
}

static void abbreviations(struct elf_bytes *b)
{
	static const uint16_t none[] = {0};
	static const uint16_t of_unit[] = {DW_AT_low_pc,   DW_FORM_addr,    DW_AT_high_pc,
					   DW_FORM_data8,  DW_AT_stmt_list, DW_FORM_sec_offset,
					   DW_AT_comp_dir, DW_FORM_strp,    0};
	static const uint16_t of_small_unit[] = {DW_AT_low_pc,
						 DW_FORM_addr,
						 DW_AT_high_pc,
						 DW_FORM_data8,
						 DW_AT_stmt_list,
						 DW_FORM_sec_offset,
						 0};
	static const uint16_t of_function[] = {
	    DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
	    0};
	static const uint16_t sibling[] = {DW_AT_sibling, DW_FORM_ref4, 0};
	static const uint16_t code[] = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
					0};
	static const uint16_t of_inlined[] = {DW_AT_abstract_origin,
					      DW_FORM_ref4,
					      DW_AT_low_pc,
					      DW_FORM_addr,
					      DW_AT_high_pc,
					      DW_FORM_data4,
					      0};
	static const uint16_t ranges[] = {DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges,
					  DW_FORM_sec_offset, 0};
	static const uint16_t name[] = {DW_AT_name, DW_FORM_string, 0};

	abbreviation(b, UNIT, DW_TAG_compile_unit, true, of_unit);
	abbreviation(b, SMALL_UNIT, DW_TAG_compile_unit, false, of_small_unit);
	abbreviation(b, FUNCTION, DW_TAG_subprogram, true, of_function);
	abbreviation(b, BLOCK, DW_TAG_lexical_block, true, none);
	abbreviation(b, WITH_SIBLING, DW_TAG_lexical_block, true, sibling);
	abbreviation(b, WITH_CODE, DW_TAG_lexical_block, true, code);
	abbreviation(b, INLINED, DW_TAG_inlined_subroutine, true, of_inlined);
	abbreviation(b, WITH_RANGES, DW_TAG_inlined_subroutine, false, ranges);
	abbreviation(b, ABSTRACT, DW_TAG_subprogram, false, name);
	elf_put_int(b, 0, 1);
}

static void begin_unit(struct made *m, unsigned abbreviation, uint64_t low, uint64_t size)
{
	elf_put_int(&m->info, 0, 4); /* its size */
	elf_put_int(&m->info, 4, 2); /* version */
	elf_put_int(&m->info, 0, 4); /* of .debug_abbrev */
	elf_put_int(&m->info, 8, 1); /* bytes of an address */
	elf_put_uleb(&m->info, abbreviation);
	elf_put_int(&m->info, low, 8);
	elf_put_int(&m->info, size, 8);
	elf_put_int(&m->info, 0, 4); /* of .debug_line */
	if (abbreviation == UNIT)
		elf_put_int(&m->info, 0, 4); /* of .debug_str */
}

/* An abstract function, whose offset is returned, and the beginning of a function. */
static size_t begin_function(struct made *m)
{
	size_t abstract;

	begin_unit(m, UNIT, BASE, TEXT_BYTES);
	abstract = m->info.v.len;
	elf_put_uleb(&m->info, ABSTRACT);
	elf_put_text(&m->info, "inner");
	elf_put_uleb(&m->info, FUNCTION);
	elf_put_text(&m->info, "outer");
	elf_put_int(&m->info, BASE, 8);
	elf_put_int(&m->info, TEXT_BYTES, 4);
	return abstract;
}

static void end_levels(struct made *m, size_t n)
{
	while (n--)
		elf_put_int(&m->info, 0, 1);
}

/* ---- the families --------------------------------------------------------------------------- */

/* Blocks in each other, each of which says that its sibling is its first child. */
static void make_siblings(struct made *m, size_t bytes)
{
	size_t n = bytes / 6;

	begin_function(m);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, WITH_SIBLING);
		elf_put_int(&m->info, m->info.v.len + 4, 4);
	}
	end_levels(m, n + 2);
}

/* The same without a word about siblings. */
static void make_nested(struct made *m, size_t bytes)
{
	size_t n = bytes / 2;

	begin_function(m);
	for (size_t i = 0; i < n; i++)
		elf_put_uleb(&m->info, BLOCK);
	end_levels(m, n + 2);
}

/* Blocks with code in each other, outside of functions. */
static void make_outside(struct made *m, size_t bytes)
{
	size_t n = bytes / 14;

	begin_unit(m, UNIT, BASE, TEXT_BYTES);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, WITH_CODE);
		elf_put_int(&m->info, BASE, 8);
		elf_put_int(&m->info, TEXT_BYTES - i, 4);
	}
	end_levels(m, n + 1);
}

/* Inlined functions in each other, and addresses in half of them on average. */
static void make_inlined(struct made *m, size_t bytes)
{
	size_t n = bytes / 26, abstract = begin_function(m);

	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, INLINED);
		elf_put_int(&m->info, abstract, 4);
		elf_put_int(&m->info, BASE, 8);
		elf_put_int(&m->info, n - i, 4);
		vec_push(&m->addresses, BASE + i);
	}
	end_levels(m, n + 2);
}

/* Inlined functions with the same list of ranges. */
static void make_ranges(struct made *m, size_t bytes)
{
	size_t abstract = begin_function(m);

	for (size_t i = 0; i < bytes / 32; i++) {
		elf_put_int(&m->ranges, BASE + 2 * i, 8);
		elf_put_int(&m->ranges, BASE + 2 * i + 1, 8);
		vec_push(&m->addresses, BASE + 2 * i);
	}
	elf_put_int(&m->ranges, 0, 8);
	elf_put_int(&m->ranges, 0, 8);
	for (size_t i = 0; i < bytes / 18; i++) {
		elf_put_uleb(&m->info, WITH_RANGES);
		elf_put_int(&m->info, abstract, 4);
		elf_put_int(&m->info, 0, 4);
	}
	end_levels(m, 2);
}

/* The header of a line table without directories; returns where its size is. */
static size_t begin_lines(struct made *m)
{
	static const uint8_t header[] = {1, 1, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0};
	size_t at;

	elf_put_int(&m->line, 0, 4);
	at = m->line.v.len;
	elf_put_int(&m->line, 4, 2);
	elf_put_int(&m->line, 0, 4); /* bytes of what follows before the program */
	elf_put(&m->line, header, sizeof header);
	return at;
}

static void begin_program(struct made *m, size_t at)
{
	elf_put_int(&m->line, 0, 1); /* no more files */
	uint32_t bytes = (uint32_t)(m->line.v.len - at - 6);
	memcpy(m->line.v.at + at + 2, &bytes, 4);
}

static void set_address(struct made *m, uint64_t address)
{
	elf_put(&m->line, (const uint8_t[]){0, 9, DW_LNE_set_address}, 3);
	elf_put_int(&m->line, address, 8);
}

static void end_sequence(struct made *m)
{
	elf_put(&m->line, (const uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
}

/* Many files in a folder with a long name. */
static void make_files(struct made *m, size_t bytes)
{
	size_t n = bytes / 40, at = begin_lines(m);
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%zx.c", i);
		elf_put_text(&m->line, name);
		elf_put(&m->line, (const uint8_t[]){0, 0, 0}, 3);
	}
	begin_program(m, at);
	set_address(m, BASE);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->line, DW_LNS_set_file);
		elf_put_uleb(&m->line, i + 1);
		elf_put(&m->line, (const uint8_t[]){DW_LNS_copy, DW_LNS_advance_pc, 1}, 3);
		vec_push(&m->addresses, BASE + i);
	}
	end_sequence(m);
	elf_patch_size(&m->line, at);
	m->str.v.len = 0;
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->str, i % 80 ? 'x' : '/', 1);
	elf_put_int(&m->str, 0, 1);
	begin_function(m);
	end_levels(m, 2);
}

/* Sequences of rows that all have all addresses. */
static void make_sequences(struct made *m, size_t bytes)
{
	size_t at = begin_lines(m);

	elf_put_text(&m->line, "a.c");
	elf_put(&m->line, (const uint8_t[]){0, 0, 0}, 3);
	begin_program(m, at);
	for (size_t i = 0; i < bytes / 20; i++) {
		set_address(m, BASE);
		elf_put_uleb(&m->line, DW_LNS_copy);
		elf_put_uleb(&m->line, DW_LNS_advance_pc);
		elf_put_uleb(&m->line, TEXT_BYTES - 1);
		end_sequence(m);
		vec_push(&m->addresses, BASE + i);
	}
	elf_patch_size(&m->line, at);
	begin_function(m);
	end_levels(m, 2);
}

/* Units that have all addresses and one line table. */
static void make_units(struct made *m, size_t bytes)
{
	size_t at = begin_lines(m);

	begin_program(m, at);
	set_address(m, BASE);
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->line, 200, 1);
	end_sequence(m);
	elf_patch_size(&m->line, at);
	for (size_t i = 0; i < bytes / 64; i++) {
		size_t unit = m->info.v.len + 4;
		begin_unit(m, SMALL_UNIT, BASE, TEXT_BYTES);
		elf_patch_size(&m->info, unit);
		vec_push(&m->addresses, BASE + 16 * i);
	}
}

static void add_symbol(struct made *m, size_t name, uint64_t address, uint64_t size)
{
	elf_put_int(&m->symbols, name, 4);
	elf_put_int(&m->symbols, STT_FUNC | STB_GLOBAL << 4, 1);
	elf_put_int(&m->symbols, 0, 1);
	elf_put_int(&m->symbols, 1, 2);
	elf_put_int(&m->symbols, address, 8);
	elf_put_int(&m->symbols, size, 8);
}

/* Symbols that contain each other, and each of which is named by the end of a long name. */
static void make_symbols(struct made *m, size_t bytes)
{
	size_t n = bytes / 48;

	for (size_t i = 0; i < n; i++) {
		add_symbol(m, i, BASE + i / 2, 2 * n - i);
		vec_push(&m->addresses, BASE + n + i);
	}
	add_symbol(m, 0, BASE, TEXT_BYTES);
	m->names.v.len = 0;
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->names, 'x', 1);
	elf_put_int(&m->names, 0, 1);
}

/* Names, each of whose parts names the one before it twice. */
static void make_doubling(struct made *m, size_t bytes)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < bytes / 250; i++) {
		char name[300];
		size_t at = (size_t)sprintf(name, "_Z8f%07zx1AIiiE", i & 0xfffffff);
		for (unsigned k = 1; k < 25; k++) {
			unsigned n = 2 * k - 2; /* S0_ is 1 */
			char s[8];
			snprintf(s, sizeof s, n < 36 ? "S%c_" : "S1%c_", digits[n % 36]);
			at += (size_t)sprintf(name + at, "1BI%s%sE", s, s);
		}
		add_symbol(m, m->names.v.len, BASE + 16 * i, 16);
		elf_put_text(&m->names, name);
		vec_push(&m->addresses, BASE + 16 * i);
	}
}

/* Compressed sections on the same bytes. */
static void make_overlapping(struct made *m, size_t bytes)
{
	begin_function(m);
	end_levels(m, 2 + bytes / 2);
	m->info_headers = bytes / 128;
}

/* A section of zeros, which are compressed as far as that is possible. */
static void make_compressed(struct made *m, size_t bytes)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(9);
	size_t size = bytes * 1000, most = libdeflate_zlib_compress_bound(c, size);
	void *from = calloc(1, size), *to = malloc(most);
	size_t n = libdeflate_zlib_compress(c, from, size, to, most);

	elf_put_int(&m->compressed, ELFCOMPRESS_ZLIB, 8);
	elf_put_int(&m->compressed, size, 8);
	elf_put_int(&m->compressed, 1, 8);
	elf_put(&m->compressed, to, n);
	free(from);
	free(to);
	libdeflate_free_compressor(c);
}

/* Sections with code, and as many blocks with code. */
static void make_sections(struct made *m, size_t bytes)
{
	m->text_sections = bytes / 128;
	begin_function(m);
	for (size_t i = 0; i < bytes / 28; i++) {
		elf_put_uleb(&m->info, WITH_CODE);
		elf_put_int(&m->info, BASE + i, 8);
		elf_put_int(&m->info, 1, 4);
		elf_put_int(&m->info, 0, 1);
	}
	end_levels(m, 2);
}

/* ---- the measurement ------------------------------------------------------------------------ */

typedef void maker(struct made *m, size_t bytes);

static size_t write_file(struct made *m, const char *path)
{
	VEC(struct elf_section) s = {0};
	size_t parts = m->text_sections ? m->text_sections : 1;
	const struct elf_section debug[] = {
	    {".debug_abbrev", SHT_PROGBITS, .bytes = &m->abbrev},
	    {".debug_ranges", SHT_PROGBITS, .bytes = &m->ranges},
	    {".debug_line", SHT_PROGBITS, .bytes = &m->line},
	    {".debug_str", SHT_PROGBITS, .bytes = &m->str},
	};

	for (size_t i = 0; i < parts; i++)
		vec_push(&s, (struct elf_section){".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
						  .address = BASE + TEXT_BYTES / parts * i,
						  .size = TEXT_BYTES / parts});
	for (size_t i = 0; i < sizeof debug / sizeof *debug; i++)
		vec_push(&s, debug[i]);
	for (size_t i = 0; i < m->info_headers; i++)
		vec_push(&s, (struct elf_section){".debug_info", SHT_PROGBITS,
						  m->info_headers > 1 ? SHF_COMPRESSED : 0,
						  .bytes = &m->info});
	if (m->compressed.v.len)
		vec_push(&s, (struct elf_section){".debug_loc", SHT_PROGBITS, SHF_COMPRESSED,
						  .bytes = &m->compressed});
	vec_push(&s, (struct elf_section){".strtab", SHT_STRTAB, .bytes = &m->names});
	uint32_t strings = (uint32_t)s.len;
	vec_push(&s, (struct elf_section){".symtab", SHT_SYMTAB, .bytes = &m->symbols,
					  .link = strings, .entry_size = sizeof(Elf64_Sym)});
	size_t bytes = elf_write(path, s.at, s.len);
	vec_free(&s);
	return bytes;
}

static void forget(struct made *m)
{
	vec_free(&m->info.v);
	vec_free(&m->abbrev.v);
	vec_free(&m->ranges.v);
	vec_free(&m->line.v);
	vec_free(&m->str.v);
	vec_free(&m->symbols.v);
	vec_free(&m->names.v);
	vec_free(&m->compressed.v);
	vec_free(&m->addresses);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

struct family {
	maker *make;
	struct made m;
	char path[256];
};

static size_t prepare(void *context, size_t bytes)
{
	struct family *f = context;
	struct made *m = &f->m;

	*m = (struct made){.info_headers = 1};
	abbreviations(&m->abbrev);
	elf_put_text(&m->str, "/folder");
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_text(&m->names, "");
	f->make(m, bytes);
	if (m->info.v.len && m->info_headers == 1 && f->make != make_units)
		elf_patch_size(&m->info, 4);
	for (size_t i = 0; i < bytes / 64 && !m->addresses.len; i++)
		assert_true(vec_push(&m->addresses, BASE + i));
	qsort(m->addresses.at, m->addresses.len, sizeof *m->addresses.at, by_value);
	return write_file(m, f->path);
}

static struct symbolize_request request_of(const struct family *f)
{
	return (struct symbolize_request){.path = f->path,
					  .name = "made",
					  .addresses = f->m.addresses.at,
					  .num_addresses = f->m.addresses.len};
}

static void run(void *context)
{
	struct family *f = context;
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbolize_request q = request_of(f);
	struct symbol_table t;

	if (!s || symbolize_module(s, &q, &t, NULL) != 0)
		abort();
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

static void all_grow_with_their_bytes(void **state)
{
	static const struct {
		const char *name;
		maker *make;
	} families[] = {
	    {"siblings", make_siblings},       {"nested blocks", make_nested},
	    {"blocks outside", make_outside},  {"inlined functions", make_inlined},
	    {"shared ranges", make_ranges},    {"files of a long folder", make_files},
	    {"sequences", make_sequences},     {"units", make_units},
	    {"symbols", make_symbols},         {"doubling names", make_doubling},
	    {"overlapping", make_overlapping}, {"compressed", make_compressed},
	    {"sections", make_sections},
	};

	(void)state;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		struct family f = {.make = families[i].make};
		snprintf(f.path, sizeof f.path, "%s", scratch_path("made"));
		growth_is_linear(families[i].name, prepare, run, &f);
	}
}

static void read_with(const struct symbolizer_options *o, struct family *f, struct error *why)
{
	struct symbolizer *s = symbolizer_create(o);
	struct symbolize_request q = request_of(f);
	struct symbol_table t;

	assert_non_null(s);
	assert_int_equal(symbolize_module(s, &q, &t, why), 0);
	assert_int_equal(t.best, SYMBOL_DWARF);
	assert_string_equal(t.frames[t.first[1] - 1].function->name, "outer");
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

/* What is left out is said; with another limit it is not left out. */
static void a_limit_is_said(void **state)
{
	const struct symbolizer_options no_limit = {.module_limit = UINT64_MAX};
	struct family f = {.make = make_ranges};
	struct error why;

	(void)state;
	snprintf(f.path, sizeof f.path, "%s", scratch_path("made"));
	prepare(&f, 1 << 14);
	read_with(NULL, &f, &why);
	assert_int_equal(why.kind, ERROR_FORMAT);
	assert_string_equal(strrchr(why.text, '/'),
			    "/made: reading it took too long for its size; the names that were "
			    "found until then are used (see --module-limit)");
	read_with(&no_limit, &f, &why);
	assert_int_equal(why.kind, ERROR_NONE);
	forget(&f.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	    cmocka_unit_test(a_limit_is_said),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
