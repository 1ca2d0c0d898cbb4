#include "symbolize/abbreviations.h"

#include "symbolize/leb.h"

#include <dwarf.h>

enum {
	/* Steps for a byte of a table: libdw keeps 48 bytes for each abbreviation. */
	STEPS_PER_TABLE_BYTE = 4,
	STEPS_PER_UNIT = 64,
	/* Attributes of one abbreviation that take no bytes in a DIE. Compilers write up to 12. */
	EMPTY_MAX = 64
};

void abbreviations_free(struct abbreviations *a)
{
	dwarf_sections_free(&a->tables);
	interner_deinit(&a->units);
	interner_deinit(&a->refused);
}

/* Pay for a table, from c on to its end or to the abbreviation with this code. */
static bool pay_table(struct abbreviations *a, struct cursor c, uint64_t wanted)
{
	uint64_t code, tag, attribute, form;
	int64_t value;
	uint8_t children;

	for (;;) {
		size_t from = c.pos, empty = 0;
		if (!leb_read(&c, &code) || !code || !leb_read(&c, &tag) ||
		    !cursor_u8(&c, &children))
			return true; /* libdw reads no further, too */
		do {
			if (!leb_read(&c, &attribute) || !leb_read(&c, &form) ||
			    (form == DW_FORM_implicit_const && !leb_read_signed(&c, &value)))
				return true;
			empty += form == DW_FORM_implicit_const || form == DW_FORM_flag_present;
		} while (attribute || form);
		if (empty > EMPTY_MAX)
			a->work->over = true;
		if (empty > EMPTY_MAX ||
		    !work_pay(a->work, STEPS_PER_TABLE_BYTE * (uint64_t)(c.pos - from)))
			return false;
		if (code == wanted)
			return true;
	}
}

/* A table in the section. */
static bool pay_at(struct abbreviations *a, const struct cursor *section, uint64_t offset,
		   uint64_t wanted)
{
	struct cursor c = *section;

	return offset > c.size || !cursor_skip(&c, (size_t)offset) || pay_table(a, c, wanted);
}

/* Read the header of the unit at c, which is moved behind it, and the code of its first DIE. False
 * at the end, and if it is damaged. */
static bool read_header(struct cursor *c, bool types, uint64_t *table, uint64_t *code)
{
	unsigned width;
	uint64_t type_offset;
	uint16_t version;
	uint8_t kind = DW_UT_compile, address_size;

	struct cursor in = *c;
	if (!leb_read_length(&in, &width))
		return false;
	c->pos = in.size;
	*table = *code = 0;
	if (!leb_read_u16(&in, &version) ||
	    (version >= 5 && (!cursor_u8(&in, &kind) || !cursor_u8(&in, &address_size))) ||
	    !cursor_word(&in, width, table) || (version < 5 && !cursor_u8(&in, &address_size)))
		return true;
	bool is_type = types || kind == DW_UT_type || kind == DW_UT_split_type;
	if ((is_type || kind == DW_UT_skeleton || kind == DW_UT_split_compile) &&
	    !cursor_skip(&in, 8))
		return true;
	if (!is_type || cursor_word(&in, width, &type_offset))
		leb_read(&in, code);
	return true;
}

static bool pay_section(struct abbreviations *a, struct cursor c, bool types,
			const struct cursor *tables)
{
	uint64_t table, code;

	while (read_header(&c, types, &table, &code))
		if (!work_pay(a->work, STEPS_PER_UNIT) || (code && !pay_at(a, tables, table, code)))
			return false;
	return true;
}

bool abbreviations_pay_units(struct abbreviations *a, Elf *elf)
{
	static const char *const names[][3] = {
	    {".debug_info", ".debug_types", ".debug_abbrev"},
	    {".debug_info.dwo", ".debug_types.dwo", ".debug_abbrev.dwo"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct cursor tables = section_read(elf, names[i][2]);
		if (!pay_section(a, section_read(elf, names[i][0]), false, &tables) ||
		    !pay_section(a, section_read(elf, names[i][1]), true, &tables))
			return false;
	}
	return true;
}

bool abbreviations_pay(struct abbreviations *a, Dwarf_Die *die)
{
	Dwarf_Die root;
	Dwarf_Off table;
	const struct cursor *tables;

	if (!dwarf_cu_die(die->cu, &root, NULL, &table, NULL, NULL, NULL, NULL))
		return false;
	if (interner_find(&a->units, (uintptr_t)root.addr) != INTERNER_NONE)
		return true;
	if (interner_find(&a->refused, (uintptr_t)root.addr) != INTERNER_NONE)
		return false;
	tables = dwarf_sections_get(&a->tables, dwarf_cu_getdwarf(die->cu), ".debug_abbrev");
	bool paid = tables && pay_at(a, tables, table, 0);
	if (!tables ||
	    interner_insert(paid ? &a->units : &a->refused, (uintptr_t)root.addr) == INTERNER_NONE)
		a->failed = true;
	return paid && !a->failed;
}
