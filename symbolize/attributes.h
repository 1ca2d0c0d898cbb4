/* The attributes of a DIE. A string belongs to libdw, and lives as long as its Dwarf. */
#ifndef SYMBOLIZE_ATTRIBUTES_H
#define SYMBOLIZE_ATTRIBUTES_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* The attribute's text, not empty; or NULL. */
static inline const char *die_string(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	const char *s = dwarf_formstring(dwarf_attr(die, attribute, &a));
	return s && *s ? s : NULL;
}

static inline bool die_number(Dwarf_Die *die, unsigned attribute, uint64_t *value)
{
	Dwarf_Attribute a;
	Dwarf_Word word;
	if (dwarf_formudata(dwarf_attr(die, attribute, &a), &word) != 0)
		return false;
	*value = word;
	return true;
}

/* The number of a line or column; 0 if there is none. */
static inline uint32_t die_position(Dwarf_Die *die, unsigned attribute)
{
	uint64_t value;
	return die_number(die, attribute, &value) && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static inline bool die_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	bool value;
	return dwarf_formflag(dwarf_attr(die, attribute, &a), &value) == 0 && value;
}

#endif
