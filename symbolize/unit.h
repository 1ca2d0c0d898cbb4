/* Shared by the parts of the DWARF pass: the current compilation unit. */
#ifndef SYMBOLIZE_UNIT_H
#define SYMBOLIZE_UNIT_H

#include "formats/base/interner.h"
#include "formats/base/vec.h"
#include "symbolize/dwarf.h"
#include "symbolize/line_table.h"
#include "symbolize/section.h"

/* Bytes of code that belong to a scope. */
struct scope_range {
	uint64_t low, high; /* [low, high) */
	uint32_t scope;
};

struct extent {
	uint64_t low, high; /* [low, high) */
};

/* Paths by file number; NULL: not looked up yet, or none. */
struct file_cache {
	const char **at;
	size_t len, cap;
};

/* Line tables that libdw reads, because other units have them or our reader refuses them. */
struct other_tables {
	struct dwarf_sections sections; /* .debug_line */
	struct interner paid;           /* addresses of tables in memory */
	bool failed;                    /* memory ran out */
};

/* The functions of abstract DIEs. */
struct origins {
	struct interner dies;                    /* addresses of the DIEs */
	VEC(struct function_record *) functions; /* [dies] */
};

struct unit {
	struct dwarf_pass *pass;
	Dwarf_Die die;         /* has the children; for a split unit, the split one */
	Dwarf_Die lines_die;   /* has the line table; for a split unit, the skeleton */
	const char *directory; /* of the compilation, or NULL */
	/* The executable sections. The linker discarded code outside them, and set its ranges to 0
	 * or to a tombstone. */
	const struct extent *text; /* sorted, disjoint */
	size_t num_text;
	/* Indices of the addresses to resolve, ascending. */
	const size_t *pending;
	size_t num_pending;
	struct enclosing *enclosing;
	struct abbreviations *abbreviations;
	const struct line_sections *sections;
	struct other_tables *other_tables;
	struct origins *origins;
	VEC(struct scope_range) ranges;
	struct line_table table;
	bool marks_statements;         /* and they are asked for */
	bool has_table;                /* else libdw reads it */
	struct file_cache files;       /* of the line table */
	struct file_cache split_files; /* of the split unit, which has its own numbers */
};

/* The index of the first of u's pending addresses, from index first on, that is not below address;
 * num_pending if there is none. */
size_t unit_lower_bound(const struct unit *u, size_t first, uint64_t address);

/* Whether address is in an executable section. */
bool unit_is_text(const struct unit *u, uint64_t address);

/* Whether [low, high) is code of the module and contains a pending address. */
bool unit_wants(const struct unit *u, uint64_t low, uint64_t high);

/* The DIE that the attribute refers to. False if there is none, or if the abbreviations of the unit
 * that it is in are not paid for. */
bool unit_reference(struct unit *u, Dwarf_Die *die, unsigned attribute, Dwarf_Die *to);

/* What describes a copy of a function, or a definition away from its declaration. False as above.
 */
bool unit_origin(struct unit *u, Dwarf_Die *die, Dwarf_Die *origin);

/* Read the header of the unit's line table, for unit_file and unit_lines. Sets u's fields for
 * files. -1 if memory ran out. */
int unit_read_lines(struct unit *u);

/* The path of a file number of die, which u's DIEs refer to and another unit may contain; NULL in
 * *path if it has none. -1 if memory ran out. */
int unit_die_file(struct unit *u, Dwarf_Die *die, uint64_t number, const char **path);

/* The path of a file number in u's DIEs; NULL in *path if it has none. -1 if
 * memory ran out. */
int unit_file(struct unit *u, uint64_t number, const char **path);

/* The same for die, which is in another unit. */
int unit_other_file(struct unit *u, Dwarf_Die *die, uint64_t number, const char **path);

/* Walk u's DIEs: append the scopes that contain pending addresses to the pass, and their ranges to
 * u->ranges, unsorted. everywhere: also visit places where compilers seldom put code: types, and
 * functions that contain no address. -1 if memory ran out. */
int unit_walk(struct unit *u, bool everywhere);

/* Look the pending addresses up in u's line table. -1 if memory ran out. */
int unit_lines(struct unit *u);

#endif
