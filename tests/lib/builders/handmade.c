#include "tests/lib/builders/handmade.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

void handmade_abbreviation(struct handmade *m, unsigned code, unsigned tag, bool children,
			   const uint16_t *attributes)
{
	struct elf_bytes *b = &m->abbrev;

	b->v.len -= b->v.len > 0; /* the end of the table */
	elf_put_uleb(b, code);
	elf_put_uleb(b, tag);
	elf_put_int(b, children, 1);
	for (; *attributes; attributes++)
		elf_put_uleb(b, *attributes);
	elf_put_int(b, 0, 3);
}

static void add_abbreviations(struct handmade *m)
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
	static const uint16_t far[] = {DW_AT_abstract_origin,
				       DW_FORM_ref_addr,
				       DW_AT_low_pc,
				       DW_FORM_addr,
				       DW_AT_high_pc,
				       DW_FORM_data4,
				       0};
	static const uint16_t skeleton[] = {DW_AT_low_pc,     DW_FORM_addr,       DW_AT_high_pc,
					    DW_FORM_data8,    DW_AT_GNU_dwo_name, DW_FORM_string,
					    DW_AT_GNU_dwo_id, DW_FORM_data8,      0};

	handmade_abbreviation(m, HANDMADE_UNIT, DW_TAG_compile_unit, true, of_unit);
	handmade_abbreviation(m, HANDMADE_SMALL_UNIT, DW_TAG_compile_unit, false, of_small_unit);
	handmade_abbreviation(m, HANDMADE_FUNCTION, DW_TAG_subprogram, true, of_function);
	handmade_abbreviation(m, HANDMADE_BLOCK, DW_TAG_lexical_block, true, none);
	handmade_abbreviation(m, HANDMADE_WITH_SIBLING, DW_TAG_lexical_block, true, sibling);
	handmade_abbreviation(m, HANDMADE_WITH_CODE, DW_TAG_lexical_block, true, code);
	handmade_abbreviation(m, HANDMADE_INLINED, DW_TAG_inlined_subroutine, true, of_inlined);
	handmade_abbreviation(m, HANDMADE_WITH_RANGES, DW_TAG_inlined_subroutine, false, ranges);
	handmade_abbreviation(m, HANDMADE_ABSTRACT, DW_TAG_subprogram, false, name);
	handmade_abbreviation(m, HANDMADE_FAR, DW_TAG_inlined_subroutine, false, far);
	handmade_abbreviation(m, HANDMADE_SKELETON, DW_TAG_compile_unit, false, skeleton);
}

void handmade_init(struct handmade *m)
{
	*m = (struct handmade){.info_headers = 1, .suffix = ""};
	add_abbreviations(m);
	elf_put_text(&m->str, "/folder");
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_text(&m->names, "");
}

size_t handmade_unit(struct handmade *m, unsigned abbreviation, uint64_t low, uint64_t size)
{
	size_t at = m->info.v.len + 4;

	elf_put_int(&m->info, 0, 4); /* its size */
	elf_put_int(&m->info, 4, 2); /* version */
	elf_put_int(&m->info, 0, 4); /* of .debug_abbrev */
	elf_put_int(&m->info, 8, 1); /* bytes of an address */
	elf_put_uleb(&m->info, abbreviation);
	elf_put_int(&m->info, low, 8);
	elf_put_int(&m->info, size, 8);
	if (abbreviation == HANDMADE_UNIT || abbreviation == HANDMADE_SMALL_UNIT)
		elf_put_int(&m->info, 0, 4); /* of .debug_line */
	if (abbreviation == HANDMADE_UNIT)
		elf_put_int(&m->info, 0, 4); /* of .debug_str */
	return at;
}

/* An abstract function, whose offset is returned, and the beginning of a function. */
size_t handmade_function(struct handmade *m)
{
	size_t abstract;

	handmade_unit(m, HANDMADE_UNIT, HANDMADE_BASE, HANDMADE_TEXT_BYTES);
	abstract = m->info.v.len;
	elf_put_uleb(&m->info, HANDMADE_ABSTRACT);
	elf_put_text(&m->info, "inner");
	elf_put_uleb(&m->info, HANDMADE_FUNCTION);
	elf_put_text(&m->info, "outer");
	elf_put_int(&m->info, HANDMADE_BASE, 8);
	elf_put_int(&m->info, HANDMADE_TEXT_BYTES, 4);
	return abstract;
}

void handmade_end(struct handmade *m, size_t n)
{
	while (n--)
		elf_put_int(&m->info, 0, 1);
}

size_t handmade_write(struct handmade *m, const char *path)
{
	VEC(struct elf_section) s = {0};
	size_t parts = m->text_sections ? m->text_sections : 1;
	char info[32], abbrev[32];
	const struct elf_section debug[] = {
	    {abbrev, SHT_PROGBITS, .bytes = &m->abbrev},
	    {".debug_ranges", SHT_PROGBITS, .bytes = &m->ranges},
	    {".debug_line", SHT_PROGBITS, .bytes = &m->line},
	    {".debug_str", SHT_PROGBITS, .bytes = &m->str},
	};

	uint32_t unit = 0;

	if (m->info.v.len >= 4)
		memcpy(&unit, m->info.v.at, 4);
	if (!unit && m->info.v.len >= 4 && m->info_headers == 1)
		elf_patch_size(&m->info, 4);
	snprintf(info, sizeof info, ".debug_info%s", m->suffix);
	snprintf(abbrev, sizeof abbrev, ".debug_abbrev%s", m->suffix);
	for (size_t i = 0; i < parts; i++)
		vec_push(&s, (struct elf_section){".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
						  .address = HANDMADE_BASE +
							     HANDMADE_TEXT_BYTES / parts * i,
						  .size = HANDMADE_TEXT_BYTES / parts});
	for (size_t i = 0; i < sizeof debug / sizeof *debug; i++)
		vec_push(&s, debug[i]);
	for (size_t i = 0; i < m->info_headers; i++)
		vec_push(&s, (struct elf_section){info, SHT_PROGBITS,
						  m->info_headers > 1 ? SHF_COMPRESSED : 0,
						  .bytes = &m->info});
	if (m->alt.v.len)
		vec_push(&s,
			 (struct elf_section){".gnu_debugaltlink", SHT_PROGBITS, .bytes = &m->alt});
	if (m->compressed.v.len)
		vec_push(&s, (struct elf_section){m->compressed_name, SHT_PROGBITS,
						  m->compressed_flags, .bytes = &m->compressed});
	vec_push(&s, (struct elf_section){".strtab", SHT_STRTAB, .bytes = &m->names});
	uint32_t strings = (uint32_t)s.len;
	vec_push(&s, (struct elf_section){".symtab", SHT_SYMTAB, .bytes = &m->symbols,
					  .link = strings, .entry_size = sizeof(Elf64_Sym)});
	size_t bytes = elf_write(path, s.at, s.len);
	vec_free(&s);
	return bytes;
}

void handmade_free(struct handmade *m)
{
	vec_free(&m->info.v);
	vec_free(&m->abbrev.v);
	vec_free(&m->ranges.v);
	vec_free(&m->line.v);
	vec_free(&m->str.v);
	vec_free(&m->symbols.v);
	vec_free(&m->names.v);
	vec_free(&m->compressed.v);
	vec_free(&m->alt.v);
	vec_free(&m->addresses);
}
