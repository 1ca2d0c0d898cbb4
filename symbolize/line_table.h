/* Reads .debug_line, versions 2 to 5 (DWARF 5, section 6.2), without making a table of rows: libdw
 * allocates and sorts all rows of a unit, which takes most of the time of a pass. A table with
 * features that this reader does not support (several operations per instruction, unusual forms) is
 * refused, and libdw is used instead. */
#ifndef SYMBOLIZE_LINE_TABLE_H
#define SYMBOLIZE_LINE_TABLE_H

#include "formats/base/cursor.h"
#include "formats/base/vec.h"

#include <libelf.h>

/* No compiler writes more directories or files into one table. */
enum { LINE_ENTRIES_MAX = 1 << 20 };

/* The sections of one ELF file, decompressed; empty if it has none. */
struct line_sections {
	struct cursor line, line_str, str;
};

struct line_file {
	const char *name; /* in a section, NUL-terminated */
	uint64_t directory;
};

/* All zeros is an empty table. A table can be reused. */
struct line_table {
	struct cursor program; /* bounded to the instructions */
	uint8_t version, min_instruction, line_range, opcode_base;
	int8_t line_base;
	bool is_statement;             /* rows are, at first */
	const uint8_t *opcode_lengths; /* of opcodes 1 .. opcode_base - 1 */
	VEC(const char *) directories; /* 0: the compilation's; NULL in versions before 5 */
	VEC(struct line_file) files;   /* by file number; 0 has no name before version 5 */
};

enum line_result { LINE_READ, LINE_UNKNOWN, LINE_NO_MEMORY };

/* elf must have been passed to dwarf_begin_elf, which decompresses its sections. */
void line_sections_read(struct line_sections *s, Elf *elf);

/* The bytes of the table at an offset of a .debug_line, as it says; at most those of the section.
 */
uint64_t line_table_bytes(const struct cursor *section, uint64_t offset);

/* Read the header at an offset of .debug_line. */
enum line_result line_table_read(struct line_table *t, const struct line_sections *s,
				 uint64_t offset);
void line_table_free(struct line_table *t);

/* One row of a line table. */
struct line_row {
	uint64_t address, file;
	uint32_t line; /* 0: none */
	uint32_t discriminator;
	bool is_statement; /* a statement begins there, if the compiler marks these */
};

/* Called for each row and the address of the next one, low < high. Returns the address from which
 * more rows of this sequence are needed. */
typedef uint64_t line_sink(void *context, const struct line_row *row, uint64_t high);

/* Called for each row with is_statement after the rows before it, also if the next one has the same
 * address. */
typedef void line_statement(void *context, const struct line_row *row);

/* Run the program. begin is called at the start of each sequence and returns the first address that
 * is needed. Rows that end at or before the address last returned by begin or sink may be omitted.
 * statement may be NULL. False if the program is broken; rows before the error were reported. */
bool line_table_run(const struct line_table *t, line_sink *sink,
		    uint64_t (*begin)(void *context, uint64_t address), line_statement *statement,
		    void *context);

#endif
