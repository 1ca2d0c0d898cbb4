/* The time and memory that symbolize/symbolize.h takes grow with the bytes of a file, whatever is
 * in it: small files, made so that a careless reader takes the square of their size or worse, from
 * 1 KiB to 1 MiB. */
#include "symbolize/symbolize.h"

#include "tests/lib/builders/handmade.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth.h"
#include "tests/lib/unit/scratch.h"

#include <dwarf.h>
#include <elf.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the families --------------------------------------------------------------------------- */

/* Blocks in each other, each of which says that its sibling is its first child. */
static void make_siblings(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 6;

	handmade_function(m);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, HANDMADE_WITH_SIBLING);
		elf_put_int(&m->info, m->info.v.len + 4, 4);
	}
	handmade_end(m, n + 2);
}

/* The same without a word about siblings. */
static void make_nested(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 2;

	handmade_function(m);
	for (size_t i = 0; i < n; i++)
		elf_put_uleb(&m->info, HANDMADE_BLOCK);
	handmade_end(m, n + 2);
}

/* Blocks with code in each other, outside of functions. */
static void make_outside(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 14;

	handmade_unit(m, HANDMADE_UNIT, HANDMADE_BASE, HANDMADE_TEXT_BYTES);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, HANDMADE_WITH_CODE);
		elf_put_int(&m->info, HANDMADE_BASE, 8);
		elf_put_int(&m->info, HANDMADE_TEXT_BYTES - i, 4);
	}
	handmade_end(m, n + 1);
}

/* Inlined functions in each other, and addresses in half of them on average. */
static void make_inlined(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 26, abstract = handmade_function(m);

	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->info, HANDMADE_INLINED);
		elf_put_int(&m->info, abstract, 4);
		elf_put_int(&m->info, HANDMADE_BASE, 8);
		elf_put_int(&m->info, n - i, 4);
		vec_push(&m->addresses, HANDMADE_BASE + i);
	}
	handmade_end(m, n + 2);
}

/* Inlined functions with the same list of ranges. */
static void make_ranges(struct handmade *m, size_t bytes)
{
	size_t abstract = handmade_function(m);

	for (size_t i = 0; i < bytes / 32; i++) {
		elf_put_int(&m->ranges, HANDMADE_BASE + 2 * i, 8);
		elf_put_int(&m->ranges, HANDMADE_BASE + 2 * i + 1, 8);
		vec_push(&m->addresses, HANDMADE_BASE + 2 * i);
	}
	elf_put_int(&m->ranges, 0, 8);
	elf_put_int(&m->ranges, 0, 8);
	for (size_t i = 0; i < bytes / 18; i++) {
		elf_put_uleb(&m->info, HANDMADE_WITH_RANGES);
		elf_put_int(&m->info, abstract, 4);
		elf_put_int(&m->info, 0, 4);
	}
	handmade_end(m, 2);
}

/* The header of a line table without directories; returns where its size is. */
static size_t begin_lines(struct handmade *m)
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

static void begin_program(struct handmade *m, size_t at)
{
	elf_put_int(&m->line, 0, 1); /* no more files */
	uint32_t bytes = (uint32_t)(m->line.v.len - at - 6);
	memcpy(m->line.v.at + at + 2, &bytes, 4);
}

static void set_address(struct handmade *m, uint64_t address)
{
	elf_put(&m->line, (const uint8_t[]){0, 9, DW_LNE_set_address}, 3);
	elf_put_int(&m->line, address, 8);
}

static void end_sequence(struct handmade *m)
{
	elf_put(&m->line, (const uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
}

/* Many files in a folder with a long name. */
static void make_files(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 40, at = begin_lines(m);
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%zx.c", i);
		elf_put_text(&m->line, name);
		elf_put(&m->line, (const uint8_t[]){0, 0, 0}, 3);
	}
	begin_program(m, at);
	set_address(m, HANDMADE_BASE);
	for (size_t i = 0; i < n; i++) {
		elf_put_uleb(&m->line, DW_LNS_set_file);
		elf_put_uleb(&m->line, i + 1);
		elf_put(&m->line, (const uint8_t[]){DW_LNS_copy, DW_LNS_advance_pc, 1}, 3);
		vec_push(&m->addresses, HANDMADE_BASE + i);
	}
	end_sequence(m);
	elf_patch_size(&m->line, at);
	m->str.v.len = 0;
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->str, i % 80 ? 'x' : '/', 1);
	elf_put_int(&m->str, 0, 1);
	handmade_function(m);
	handmade_end(m, 2);
}

/* Sequences of rows that all have all addresses. */
static void make_sequences(struct handmade *m, size_t bytes)
{
	size_t at = begin_lines(m);

	elf_put_text(&m->line, "a.c");
	elf_put(&m->line, (const uint8_t[]){0, 0, 0}, 3);
	begin_program(m, at);
	for (size_t i = 0; i < bytes / 20; i++) {
		set_address(m, HANDMADE_BASE);
		elf_put_uleb(&m->line, DW_LNS_copy);
		elf_put_uleb(&m->line, DW_LNS_advance_pc);
		elf_put_uleb(&m->line, HANDMADE_TEXT_BYTES - 1);
		end_sequence(m);
		vec_push(&m->addresses, HANDMADE_BASE + i);
	}
	elf_patch_size(&m->line, at);
	handmade_function(m);
	handmade_end(m, 2);
}

/* Units that have all addresses and one line table. */
static void make_units(struct handmade *m, size_t bytes)
{
	size_t at = begin_lines(m);

	begin_program(m, at);
	set_address(m, HANDMADE_BASE);
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->line, 200, 1);
	end_sequence(m);
	elf_patch_size(&m->line, at);
	for (size_t i = 0; i < bytes / 64; i++) {
		elf_patch_size(&m->info, handmade_unit(m, HANDMADE_SMALL_UNIT, HANDMADE_BASE,
						       HANDMADE_TEXT_BYTES));
		vec_push(&m->addresses, HANDMADE_BASE + 16 * i);
	}
}

static void add_symbol(struct handmade *m, size_t name, uint64_t address, uint64_t size)
{
	elf_put_int(&m->symbols, name, 4);
	elf_put_int(&m->symbols, STT_FUNC | STB_GLOBAL << 4, 1);
	elf_put_int(&m->symbols, 0, 1);
	elf_put_int(&m->symbols, 1, 2);
	elf_put_int(&m->symbols, address, 8);
	elf_put_int(&m->symbols, size, 8);
}

/* Symbols that contain each other, and each of which is named by the end of a long name. */
static void make_symbols(struct handmade *m, size_t bytes)
{
	size_t n = bytes / 48;

	for (size_t i = 0; i < n; i++) {
		add_symbol(m, i, HANDMADE_BASE + i / 2, 2 * n - i);
		vec_push(&m->addresses, HANDMADE_BASE + n + i);
	}
	add_symbol(m, 0, HANDMADE_BASE, HANDMADE_TEXT_BYTES);
	m->names.v.len = 0;
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_int(&m->names, 'x', 1);
	elf_put_int(&m->names, 0, 1);
}

/* Names, each of whose parts names the one before it twice. */
static void make_doubling(struct handmade *m, size_t bytes)
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
		add_symbol(m, m->names.v.len, HANDMADE_BASE + 16 * i, 16);
		elf_put_text(&m->names, name);
		vec_push(&m->addresses, HANDMADE_BASE + 16 * i);
	}
}

/* Compressed sections on the same bytes. */
static void make_overlapping(struct handmade *m, size_t bytes)
{
	handmade_function(m);
	handmade_end(m, 2 + bytes / 2);
	m->info_headers = bytes / 128;
}

/* A section of zeros, which are compressed as far as that is possible. */
static void put_zeros(struct handmade *m, size_t bytes)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(9);
	size_t size = bytes * 1000, most = libdeflate_zlib_compress_bound(c, size);
	void *from = calloc(1, size), *to = malloc(most);
	size_t n = libdeflate_zlib_compress(c, from, size, to, most);

	elf_put(&m->compressed, to, n);
	free(from);
	free(to);
	libdeflate_free_compressor(c);
}

static void make_compressed(struct handmade *m, size_t bytes)
{
	elf_put_int(&m->compressed, ELFCOMPRESS_ZLIB, 8);
	elf_put_int(&m->compressed, bytes * 1000, 8);
	elf_put_int(&m->compressed, 1, 8);
	put_zeros(m, bytes);
	m->compressed_name = ".debug_rnglists";
	m->compressed_flags = SHF_COMPRESSED;
}

static void make_compressed_as_before(struct handmade *m, size_t bytes)
{
	elf_put(&m->compressed, "ZLIB", 4);
	for (unsigned i = 8; i--;)
		elf_put_int(&m->compressed, (uint64_t)bytes * 1000 >> 8 * i & 255, 1);
	put_zeros(m, bytes);
	m->compressed_name = ".zdebug_rnglists";
	handmade_function(m);
	handmade_end(m, 2);
}

/* A long table of abbreviations, whose last one, of a function with a name, has the code that is
 * returned. */
static unsigned put_abbreviations(struct handmade *m, size_t bytes)
{
	static const uint16_t name[] = {DW_AT_name, DW_FORM_string, 0};
	unsigned code = HANDMADE_MORE;

	while (m->abbrev.v.len < bytes)
		handmade_abbreviation(m, code++, DW_TAG_subprogram, false, name);
	return code - 1;
}

/* Units that use the last abbreviation of a long table. */
static void make_abbreviations(struct handmade *m, size_t bytes)
{
	unsigned last = put_abbreviations(m, bytes / 2);

	for (size_t i = 0; i < bytes / 100; i++) {
		size_t unit = handmade_unit(m, HANDMADE_UNIT, HANDMADE_BASE + 16 * i, 16);
		elf_put_uleb(&m->info, last);
		elf_put_text(&m->info, "f");
		handmade_end(m, 1);
		elf_patch_size(&m->info, unit);
		vec_push(&m->addresses, HANDMADE_BASE + 16 * i);
	}
}

/* The same of units that a unit refers to. */
static void make_referred(struct handmade *m, size_t bytes)
{
	unsigned last = put_abbreviations(m, bytes / 2);
	VEC(size_t) origins = {0};

	for (size_t i = 0; i < bytes / 100; i++) {
		size_t unit = handmade_unit(m, HANDMADE_UNIT, 0, 0);
		vec_push(&origins, m->info.v.len);
		elf_put_uleb(&m->info, last);
		elf_put_text(&m->info, "f");
		handmade_end(m, 1);
		elf_patch_size(&m->info, unit);
	}
	size_t unit = handmade_unit(m, HANDMADE_UNIT, HANDMADE_BASE, HANDMADE_TEXT_BYTES);
	elf_put_uleb(&m->info, HANDMADE_FUNCTION);
	elf_put_text(&m->info, "outer");
	elf_put_int(&m->info, HANDMADE_BASE, 8);
	elf_put_int(&m->info, HANDMADE_TEXT_BYTES, 4);
	for (size_t i = 0; i < origins.len; i++) {
		elf_put_uleb(&m->info, HANDMADE_FAR);
		elf_put_int(&m->info, origins.at[i], 4);
		elf_put_int(&m->info, HANDMADE_BASE + 16 * i, 8);
		elf_put_int(&m->info, 16, 4);
		vec_push(&m->addresses, HANDMADE_BASE + 16 * i);
	}
	handmade_end(m, 2);
	elf_patch_size(&m->info, unit);
	vec_free(&origins);
}

/* DIEs of a byte, with many attributes that take none. */
static void make_empty_attributes(struct handmade *m, size_t bytes)
{
	VEC(uint16_t) attributes = {0};

	for (size_t i = 0; i < bytes / 4; i++) {
		vec_push(&attributes, DW_AT_external);
		vec_push(&attributes, DW_FORM_flag_present);
	}
	vec_push(&attributes, 0);
	handmade_abbreviation(m, HANDMADE_MORE, DW_TAG_variable, false, attributes.at);
	vec_free(&attributes);
	handmade_function(m);
	for (size_t i = 0; i < bytes / 2; i++)
		elf_put_uleb(&m->info, HANDMADE_MORE);
	handmade_end(m, 2);
}

/* Skeletons that name one .dwo file, with many units, none of which is theirs. */
static void make_split(struct handmade *m, size_t bytes)
{
	struct handmade dwo;
	char path[256];

	snprintf(path, sizeof path, "%s", scratch_path("made.dwo"));
	handmade_init(&dwo);
	dwo.suffix = ".dwo";
	for (size_t i = 0; i < bytes / 80; i++)
		elf_patch_size(&dwo.info, handmade_unit(&dwo, HANDMADE_SMALL_UNIT, 0, 0));
	handmade_write(&dwo, path);
	handmade_free(&dwo);
	for (size_t i = 0; i < bytes / 80; i++) {
		size_t unit = handmade_unit(m, HANDMADE_SKELETON, HANDMADE_BASE + 16 * i, 16);
		elf_put_text(&m->info, "made.dwo");
		elf_put_int(&m->info, i, 8);
		elf_patch_size(&m->info, unit);
		vec_push(&m->addresses, HANDMADE_BASE + 16 * i);
	}
}

/* Sections with code, and as many blocks with code. */
static void make_sections(struct handmade *m, size_t bytes)
{
	m->text_sections = bytes / 128;
	handmade_function(m);
	for (size_t i = 0; i < bytes / 28; i++) {
		elf_put_uleb(&m->info, HANDMADE_WITH_CODE);
		elf_put_int(&m->info, HANDMADE_BASE + i, 8);
		elf_put_int(&m->info, 1, 4);
		elf_put_int(&m->info, 0, 1);
	}
	handmade_end(m, 2);
}

/* ---- the measurement ------------------------------------------------------------------------ */

typedef void maker(struct handmade *m, size_t bytes);

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

struct family {
	maker *make;
	struct handmade m;
	char path[256];
};

static size_t prepare(void *context, size_t bytes)
{
	struct family *f = context;
	struct handmade *m = &f->m;

	handmade_init(m);
	f->make(m, bytes);
	for (size_t i = 0; i < bytes / 64 && !m->addresses.len; i++)
		if (!vec_push(&m->addresses, HANDMADE_BASE + i))
			abort();
	qsort(m->addresses.at, m->addresses.len, sizeof *m->addresses.at, by_value);
	return handmade_write(m, f->path);
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
	    {"siblings", make_siblings},
	    {"nested blocks", make_nested},
	    {"blocks outside", make_outside},
	    {"inlined functions", make_inlined},
	    {"shared ranges", make_ranges},
	    {"files of a long folder", make_files},
	    {"sequences", make_sequences},
	    {"units", make_units},
	    {"symbols", make_symbols},
	    {"doubling names", make_doubling},
	    {"overlapping", make_overlapping},
	    {"compressed", make_compressed},
	    {"sections", make_sections},
	    {"compressed as before", make_compressed_as_before},
	    {"abbreviations", make_abbreviations},
	    {"abbreviations elsewhere", make_referred},
	    {"empty attributes", make_empty_attributes},
	    {"split units", make_split},
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
	handmade_free(&f.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	    cmocka_unit_test(a_limit_is_said),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
