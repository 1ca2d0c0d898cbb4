#include "tests/lib/builders/random_maker.h"

#include <dwarf.h>
#include <stdlib.h>

#define BASE RANDOM_DWARF_BASE

enum { UNIT_ABBREVIATIONS = 3, GROUP_LEVELS = 3 };

/* ---- attributes ---------------------------------------------------------------------- */

static const uint16_t names[] = {
    DW_AT_name,
    DW_AT_low_pc,
    DW_AT_high_pc,
    DW_AT_ranges,
    DW_AT_sibling,
    DW_AT_abstract_origin,
    DW_AT_specification,
    DW_AT_linkage_name,
    DW_AT_decl_file,
    DW_AT_decl_line,
    DW_AT_call_file,
    DW_AT_call_line,
    DW_AT_declaration,
    DW_AT_inline,
    DW_AT_entry_pc,
    DW_AT_import,
    DW_AT_signature,
    DW_AT_comp_dir,
    DW_AT_stmt_list,
    DW_AT_str_offsets_base,
    DW_AT_addr_base,
    DW_AT_rnglists_base,
    DW_AT_GNU_ranges_base,
    DW_AT_GNU_addr_base,
    DW_AT_dwo_name,
    DW_AT_GNU_dwo_name,
    DW_AT_GNU_dwo_id,
    DW_AT_location,
    DW_AT_external,
    DW_AT_language,
    DW_AT_type,
    DW_AT_MIPS_linkage_name,
};

static const uint8_t text_forms[] = {DW_FORM_strp,  DW_FORM_string, DW_FORM_line_strp,
				     DW_FORM_strx1, DW_FORM_strx2,  DW_FORM_strx};
static const uint8_t code_forms[] = {DW_FORM_addr, DW_FORM_addr, DW_FORM_addrx, DW_FORM_addrx1,
				     DW_FORM_addrx2};
static const uint8_t number_forms[] = {DW_FORM_data4,          DW_FORM_data2, DW_FORM_data1,
				       DW_FORM_data8,          DW_FORM_udata, DW_FORM_sdata,
				       DW_FORM_implicit_const, DW_FORM_addr};
static const uint8_t die_forms[] = {DW_FORM_ref4, DW_FORM_ref4, DW_FORM_ref_addr, DW_FORM_ref_udata,
				    DW_FORM_ref1, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup4};
static const uint8_t other_forms[] = {DW_FORM_flag_present, DW_FORM_flag,     DW_FORM_exprloc,
				      DW_FORM_block1,       DW_FORM_block,    DW_FORM_data16,
				      DW_FORM_sec_offset,   DW_FORM_rnglistx, DW_FORM_indirect};

#define FORM(list) list[random_pick(m, sizeof(list))]

/* A form that goes with the attribute, or sometimes any. */
static uint16_t take_form(struct random_maker *m, uint16_t name)
{
	unsigned byte = random_take(m);

	if (byte >= 248)
		return FORM(other_forms);
	switch (name) {
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_comp_dir:
		return byte >= 232 ? DW_FORM_GNU_strp_alt : FORM(text_forms);
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return DW_FORM_string;
	case DW_AT_GNU_dwo_id:
		return DW_FORM_data8;
	case DW_AT_low_pc:
	case DW_AT_entry_pc:
		return FORM(code_forms);
	case DW_AT_ranges:
		return byte & 64 ? DW_FORM_rnglistx : DW_FORM_sec_offset;
	case DW_AT_stmt_list:
	case DW_AT_str_offsets_base:
	case DW_AT_addr_base:
	case DW_AT_rnglists_base:
	case DW_AT_GNU_ranges_base:
	case DW_AT_GNU_addr_base:
		return DW_FORM_sec_offset;
	case DW_AT_sibling:
	case DW_AT_abstract_origin:
	case DW_AT_specification:
	case DW_AT_import:
	case DW_AT_signature:
	case DW_AT_type:
		return byte >= 224 ? DW_FORM_GNU_ref_alt : FORM(die_forms);
	case DW_AT_declaration:
	case DW_AT_external:
		return DW_FORM_flag_present;
	case DW_AT_location:
		return DW_FORM_exprloc;
	default:
		return FORM(number_forms);
	}
}

static uint32_t take_section_offset(struct random_maker *m, uint16_t name)
{
	switch (name) {
	case DW_AT_stmt_list:
		return random_one_of(m, m->lines.at, m->lines.len);
	case DW_AT_ranges:
		return m->version >= 5
			   ? random_one_of(m, m->rnglist_offsets.at, m->rnglist_offsets.len)
			   : random_one_of(m, m->lists.at, m->lists.len);
	case DW_AT_str_offsets_base:
	case DW_AT_addr_base:
		return 8;
	case DW_AT_rnglists_base:
		return 12;
	default:
		return random_take(m);
	}
}

static uint64_t take_number(struct random_maker *m, uint16_t name)
{
	unsigned byte = random_take(m);

	if (byte >= 252)
		return UINT64_MAX >> (byte - 252) * 16;
	if (name == DW_AT_high_pc && !m->depth) /* a unit's */
		return RANDOM_DWARF_TEXT_BYTES - byte;
	if (name == DW_AT_decl_file || name == DW_AT_call_file)
		return byte % 4;
	if (name == DW_AT_high_pc)
		return byte < 128 ? 64u * (128 - byte) : random_take_wide(m);
	return byte;
}

/* Where another DIE is, from the beginning of the unit or of .debug_info. */
static uint32_t take_die(struct random_maker *m, bool of_unit)
{
	unsigned how = random_take(m) & 7;
	uint32_t at = (uint32_t)m->die;

	if (how == 1) /* the one after this, if nothing follows */
		at = (uint32_t)m->info.v.len + 4;
	else if (how == 2) /* one of those after this */
		at = (uint32_t)m->info.v.len + random_take(m);
	else if (how == 3) /* one of the last */
		at =
		    m->dies.at[m->dies.len - 1 - random_pick(m, m->dies.len < 8 ? m->dies.len : 8)];
	else if (how != 4)
		at = random_one_of(m, m->dies.at, m->dies.len);
	return of_unit && at >= m->unit ? at - (uint32_t)m->unit : at;
}

static void put_block(struct random_maker *m, unsigned bytes)
{
	for (; bytes; bytes--)
		elf_put_int(&m->info, random_take(m), 1);
}

static void put_value(struct random_maker *m, uint16_t name, unsigned form)
{
	struct elf_bytes *b = &m->info;
	bool to_split = name == DW_AT_dwo_name || name == DW_AT_GNU_dwo_name;

	switch (form) {
	case DW_FORM_string:
		if (to_split)
			elf_put_text(b, m->split_path);
		else
			random_put_text(m, b);
		break;
	case DW_FORM_strp:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		elf_put_int(b, random_one_of(m, m->texts.at, m->texts.len), 4);
		break;
	case DW_FORM_line_strp:
		elf_put_int(b, random_take(m), 4);
		break;
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
		elf_put_uleb(b, random_take(m));
		break;
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
		elf_put_int(b, form == DW_FORM_ref1 ? take_die(m, true) : random_take(m), 1);
		break;
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
	case DW_FORM_data2:
		elf_put_int(b, take_number(m, name), 2);
		break;
	case DW_FORM_addr:
		elf_put_int(b, BASE + (m->depth ? random_take_place(m) : 0), 8);
		break;
	case DW_FORM_data4:
		elf_put_int(b, take_number(m, name), 4);
		break;
	case DW_FORM_data8:
	case DW_FORM_ref_sig8:
		elf_put_int(b, name == DW_AT_GNU_dwo_id ? random_pick(m, 2) : take_number(m, name),
			    8);
		break;
	case DW_FORM_data16:
		elf_put_int(b, take_number(m, name), 8);
		elf_put_int(b, 0, 8);
		break;
	case DW_FORM_udata:
		elf_put_uleb(b, take_number(m, name));
		break;
	case DW_FORM_sdata:
		elf_put_int(b, random_take(m) & 0x7f, 1);
		break;
	case DW_FORM_ref4:
		elf_put_int(b, take_die(m, true), 4);
		break;
	case DW_FORM_ref8:
		elf_put_int(b, take_die(m, true), 8);
		break;
	case DW_FORM_ref_udata:
		elf_put_uleb(b, take_die(m, true));
		break;
	case DW_FORM_ref_addr:
		elf_put_int(b, take_die(m, false), m->version == 2 ? 8 : 4);
		break;
	case DW_FORM_ref_sup4:
	case DW_FORM_GNU_ref_alt:
		elf_put_int(b, take_die(m, false), 4);
		break;
	case DW_FORM_sec_offset:
		elf_put_int(b, take_section_offset(m, name), 4);
		break;
	case DW_FORM_exprloc:
	case DW_FORM_block: {
		unsigned bytes = random_pick(m, 6);
		elf_put_uleb(b, bytes);
		put_block(m, bytes);
		break;
	}
	case DW_FORM_block1: {
		unsigned bytes = random_pick(m, 20);
		elf_put_int(b, bytes, 1);
		put_block(m, bytes);
		break;
	}
	case DW_FORM_indirect: {
		unsigned actual = take_form(m, name);
		actual = actual == DW_FORM_indirect || actual == DW_FORM_implicit_const
			     ? DW_FORM_data1
			     : actual;
		elf_put_uleb(b, actual);
		put_value(m, name, actual);
		break;
	}
	default: /* flag_present, implicit_const */
		break;
	}
}

/* ---- abbreviations ------------------------------------------------------------------- */

static const uint8_t tags[] = {DW_TAG_subprogram,       DW_TAG_inlined_subroutine,
			       DW_TAG_lexical_block,    DW_TAG_inlined_subroutine,
			       DW_TAG_namespace,        DW_TAG_structure_type,
			       DW_TAG_subprogram,       DW_TAG_imported_unit,
			       DW_TAG_class_type,       DW_TAG_variable,
			       DW_TAG_formal_parameter, DW_TAG_call_site,
			       DW_TAG_entry_point,      DW_TAG_common_block,
			       DW_TAG_try_block,        DW_TAG_module};
static const uint8_t unit_tags[] = {DW_TAG_compile_unit, DW_TAG_compile_unit, DW_TAG_partial_unit,
				    DW_TAG_skeleton_unit, DW_TAG_type_unit};

static void put_abbreviation(struct random_maker *m, const struct random_abbreviation *a,
			     unsigned code)
{
	elf_put_uleb(&m->abbrev, code);
	elf_put_uleb(&m->abbrev, a->tag);
	elf_put_int(&m->abbrev, a->children, 1);
	for (unsigned i = 0; i < a->num_attributes; i++) {
		elf_put_uleb(&m->abbrev, a->attributes[i].name);
		elf_put_uleb(&m->abbrev, a->attributes[i].form);
		if (a->attributes[i].form == DW_FORM_implicit_const)
			elf_put_int(&m->abbrev, random_take(m) & 0x7f, 1);
	}
	elf_put_int(&m->abbrev, 0, 2);
}

static void take_attribute(struct random_maker *m, struct random_abbreviation *a, uint16_t name)
{
	if (a->num_attributes == RANDOM_ATTRIBUTES)
		return;
	a->attributes[a->num_attributes].name = name;
	a->attributes[a->num_attributes++].form = take_form(m, name);
}

/* With the form that compilers give it: the first choice of each. */
static void add_attribute(struct random_maker *m, struct random_abbreviation *a, uint16_t name)
{
	size_t n = m->n;

	m->n = 0;
	take_attribute(m, a, name);
	m->n = n;
}

/* The first UNIT_ABBREVIATIONS are of units. */
static void take_abbreviation(struct random_maker *m, struct random_abbreviation *a, unsigned which)
{
	static const uint16_t of_unit[] = {DW_AT_stmt_list, DW_AT_name, DW_AT_low_pc,
					   DW_AT_comp_dir, DW_AT_high_pc};

	*a = (struct random_abbreviation){.children = true};
	if (which < UNIT_ABBREVIATIONS) {
		unsigned byte = random_take(m), odd = byte >= 192 ? random_take(m) : 0;
		a->tag = unit_tags[odd % sizeof unit_tags];
		for (unsigned i = 0; i < 5; i++)
			if (!(odd >> (3 + i) & 1))
				(odd ? take_attribute : add_attribute)(m, a, of_unit[i]);
		if (byte & 1) {
			add_attribute(m, a, byte & 4 ? DW_AT_GNU_dwo_name : DW_AT_dwo_name);
			add_attribute(m, a, DW_AT_GNU_dwo_id);
		}
		if (!(byte & 2)) {
			add_attribute(m, a, DW_AT_str_offsets_base);
			add_attribute(m, a, DW_AT_addr_base);
			add_attribute(m, a, DW_AT_rnglists_base);
		}
		return;
	}
	unsigned bits = random_take(m);
	a->tag = tags[bits % sizeof tags];
	a->children = !(bits & 64);
	if (!(bits & 128)) { /* as compilers make them */
		if (a->tag == DW_TAG_inlined_subroutine)
			add_attribute(m, a, DW_AT_abstract_origin);
		else
			add_attribute(m, a, DW_AT_name);
		add_attribute(m, a, DW_AT_low_pc);
		add_attribute(m, a, DW_AT_high_pc);
		if (bits & 16) {
			bool inlined = a->tag == DW_TAG_inlined_subroutine;
			add_attribute(m, a, inlined ? DW_AT_call_file : DW_AT_decl_file);
			add_attribute(m, a, inlined ? DW_AT_call_line : DW_AT_decl_line);
		}
	}
	for (unsigned n = random_pick(m, RANDOM_ATTRIBUTES); n; n--)
		take_attribute(m, a, names[random_pick(m, sizeof names / sizeof *names)]);
}

void random_put_abbreviations(struct random_maker *m)
{
	m->num_abbreviations =
	    UNIT_ABBREVIATIONS + 1 + random_pick(m, RANDOM_ABBREVIATIONS - UNIT_ABBREVIATIONS);
	for (unsigned i = 0; i < m->num_abbreviations; i++) {
		take_abbreviation(m, &m->abbreviations[i], i);
		put_abbreviation(m, &m->abbreviations[i], i + 1);
	}
	elf_put_int(&m->abbrev, 0, 1);
}

/* ---- units --------------------------------------------------------------------------- */

static void put_die(struct random_maker *m, unsigned which)
{
	const struct random_abbreviation *a = &m->abbreviations[which];

	m->die = m->info.v.len;
	if (!vec_push(&m->dies, (uint32_t)m->die))
		abort();
	elf_put_uleb(&m->info, which + 1);
	for (unsigned i = 0; i < a->num_attributes; i++)
		put_value(m, a->attributes[i].name, a->attributes[i].form);
	m->depth += a->children;
}

/* Put DIEs, one after or in the other. */
static void put_dies(struct random_maker *m, unsigned levels)
{
	for (unsigned n = 1 + random_pick(m, 6); n; n--) {
		unsigned byte = random_take(m);
		unsigned body = (unsigned)m->num_abbreviations - UNIT_ABBREVIATIONS;
		if (byte >= 192 && levels)
			RANDOM_REPEATED(m, put_dies(m, levels - 1));
		else if (byte < 128)
			put_die(m, byte == 127 ? 0 : UNIT_ABBREVIATIONS + byte % body);
		else if (m->depth > 1) {
			elf_put_int(&m->info, 0, 1);
			m->depth--;
		}
	}
}

static void put_unit_header(struct random_maker *m)
{
	static const uint8_t kinds[] = {DW_UT_compile, DW_UT_compile,       DW_UT_compile,
					DW_UT_compile, DW_UT_skeleton,      DW_UT_skeleton,
					DW_UT_partial, DW_UT_split_compile, DW_UT_type};
	unsigned kind;

	m->version = 5 - random_pick(m, 4);
	elf_put_int(&m->info, 0, 4);
	elf_put_int(&m->info, m->version, 2);
	if (m->version < 5) {
		elf_put_int(&m->info, 0, 4);
		elf_put_int(&m->info, 8, 1);
		return;
	}
	kind = m->split ? DW_UT_split_compile : kinds[random_pick(m, sizeof kinds)];
	elf_put_int(&m->info, kind, 1);
	elf_put_int(&m->info, 8, 1);
	elf_put_int(&m->info, 0, 4);
	if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
		elf_put_int(&m->info, random_pick(m, 2), 8);
	if (kind == DW_UT_type) {
		elf_put_int(&m->info, random_take(m), 8);
		elf_put_int(&m->info, 24 + random_pick(m, 8), 4);
	}
}

static void put_unit(struct random_maker *m)
{
	unsigned left = 2 + random_take(m);

	m->unit = m->info.v.len;
	m->depth = 0;
	put_unit_header(m);
	put_die(m, random_pick(m, UNIT_ABBREVIATIONS));
	while (left-- && m->n && !random_is_full(m, 100))
		put_dies(m, GROUP_LEVELS);
	for (; m->depth; m->depth--)
		elf_put_int(&m->info, 0, 1);
	elf_patch_size(&m->info, m->unit + 4);
}

void random_put_units(struct random_maker *m)
{
	unsigned units = 1 + random_pick(m, 5);

	while (units--) {
		size_t from = m->info.v.len;
		unsigned times;
		put_unit(m);
		times = random_take_times(m);
		random_repeat(m, &m->info, from, times);
	}
}
