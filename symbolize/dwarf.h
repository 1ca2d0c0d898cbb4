/* The DWARF pass over one module: maps sorted addresses to scopes and lines.
 *
 * Only the compilation units that contain addresses are read. They are found with .debug_aranges,
 * or else by the units' own ranges. In such a unit, subtrees whose code contains no address are
 * skipped. Broken or unknown data is ignored.
 *
 * All of it is paid for in steps (symbolize/work.h). What is not paid for is not read. */
#ifndef SYMBOLIZE_DWARF_H
#define SYMBOLIZE_DWARF_H

#include "symbolize/elf_file.h"
#include "symbolize/functions.h"
#include "symbolize/names.h"
#include "symbolize/symbols.h"
#include "symbolize/work.h"

#include <elfutils/libdw.h>

#define SCOPE_NONE UINT32_MAX

/* A function's code, or one inlined copy of a function. */
struct scope {
	const struct symbol_function *function;
	const char *call_file; /* of an inlined copy: file of the call; may be NULL */
	uint32_t call_line;    /* or 0 */
	uint32_t call_discriminator;
	uint32_t parent; /* what it was inlined into, or SCOPE_NONE */
};

/* The DWARF information on one address. */
struct debug_place {
	const char *file; /* or NULL */
	uint32_t line;    /* or 0 */
	uint32_t discriminator;
	uint32_t scope; /* the innermost one, or SCOPE_NONE */
};

struct dwarf_pass {
	/* Set by the caller. */
	Dwarf *dwarf;
	int fd;              /* its file */
	mapped_files *split; /* gets the files of split units */
	struct work *work;
	struct symbol_names *names;
	struct functions *functions;
	const struct symbols *symbols; /* of the module; may be empty */
	const uint64_t *addresses;     /* sorted, distinct */
	size_t num_addresses;
	bool wants_statements;
	struct debug_place *places; /* one per address; filled */
	/* Filled; the caller frees scopes. missing: units with addresses whose split debug
	 * information was not found; the first of them has folder and dwo, its DW_AT_comp_dir (may
	 * be NULL) and DW_AT_dwo_name. compilers: of all units with addresses. */
	size_t missing;
	unsigned compilers; /* of enum symbol_compiler */
	const char *folder, *dwo;
	struct error refused; /* why a file with such information was not opened; or ERROR_NONE */
	VEC(struct symbol_statement) statements; /* at addresses; the caller frees them, too */
	struct scope *scopes;
	size_t num_scopes, cap_scopes;
};

/* -1 only if memory ran out. */
int dwarf_resolve(struct dwarf_pass *p);

#endif
